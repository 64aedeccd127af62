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
)
SELECT b_id AS B, c_id AS C, d_id AS D, min(class) AS p_class, array_agg(right_id) AS members,
       max(CASE WHEN place = {rank} THEN from_c END) AS answer,
       CASE WHEN max(CASE WHEN place = {rank} THEN from_b END) - coalesce(max(CASE WHEN place = {rank} - 1 THEN from_b END), -1e9)
                 < 0.02 * max(CASE WHEN place = {rank} THEN from_b END)
              OR coalesce(max(CASE WHEN place = {rank} + 1 THEN from_b END), 1e9) - max(CASE WHEN place = {rank} THEN from_b END)
                 < 0.02 * max(CASE WHEN place = {rank} THEN from_b END)
              OR max(CASE WHEN place = {rank} THEN from_b END) < 0.02 THEN 'ranks_within_2_percent' END AS discard
FROM ranked GROUP BY d_id, b_id, c_id
