-- all of the class in D by distance to B; B and C are never among them. A pair may come from two groups: distinct
WITH found AS (
  SELECT DISTINCT left_id, right_id, distance_km FROM towards
), ranked AS (
  SELECT a.d_id, a.class, a.b_id, a.c_id, t.right_id, t.distance_km AS from_b, w.distance_km AS from_c,
         row_number() OVER (PARTITION BY a.d_id, a.b_id, a.c_id ORDER BY t.distance_km, t.right_id) AS place
  FROM asked a
  JOIN inside i ON i.parent_id = a.d_id AND i.class = a.class AND i.id NOT IN (a.b_id, a.c_id)
  JOIN found t ON t.left_id = a.b_id AND t.right_id = i.id
  JOIN away w ON w.left_id = a.c_id AND w.right_id = t.right_id
), told AS (
  SELECT d_id, b_id, c_id, min(class) AS class, array_agg(right_id) AS members,
         max(CASE WHEN place = {rank} THEN from_c END) AS answer, max(CASE WHEN place = {rank} THEN from_b END) AS at_km,
         max(CASE WHEN place = {rank} - 1 THEN from_b END) AS before_km, max(CASE WHEN place = {rank} + 1 THEN from_b END) AS after_km,
         max(CASE WHEN place = 1 THEN from_c END) AS first, max(CASE WHEN place = 2 THEN from_c END) AS second,
         max(CASE WHEN place = 3 THEN from_c END) AS third, min(from_c) AS least_km
  FROM ranked GROUP BY d_id, b_id, c_id
)
SELECT t.b_id AS B, t.c_id AS C, t.d_id AS D, t.class AS p_class, t.members, t.answer,
       CASE WHEN {rank} <> 1 THEN t.first END AS slip_nearest, CASE WHEN {rank} <> 2 THEN t.second END AS slip_second,
       CASE WHEN {rank} <> 3 THEN t.third END AS slip_third,
       t.at_km AS hint_from_the_other_place, t.least_km AS hint_nearest_to_c,
       CASE WHEN u.class IS NOT NULL THEN 'member_of_unknown_parent'
            WHEN t.at_km - coalesce(t.before_km, -1e9) < 0.02 * t.at_km OR coalesce(t.after_km, 1e9) - t.at_km < 0.02 * t.at_km
              OR t.at_km < 0.02 THEN 'ranks_within_2_percent' END AS discard
FROM told t LEFT JOIN doubtful u ON u.parent_id = t.d_id AND u.class = t.class
