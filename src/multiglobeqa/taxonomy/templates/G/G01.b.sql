-- the medoid: the member whose distances to all others add up to the least
WITH ways AS (
  SELECT x.parent_id, x.class, x.id, d.distance_km FROM chosen x JOIN d ON d.left_id = x.id
  JOIN chosen y ON y.parent_id = x.parent_id AND y.class = x.class AND y.id = d.right_id
  UNION ALL
  SELECT x.parent_id, x.class, x.id, d.distance_km FROM chosen x JOIN d ON d.right_id = x.id
  JOIN chosen y ON y.parent_id = x.parent_id AND y.class = x.class AND y.id = d.left_id
), totals AS (
  SELECT w.parent_id, w.class, w.id, e.ref_lon AS lon, e.ref_lat AS lat, CAST(sum(CAST(w.distance_km AS DECIMAL(18, 6))) AS DOUBLE) AS total_km,
         max(w.distance_km) AS farthest_km,
         CAST(sum(CAST(cos(radians(e.ref_lat)) * cos(radians(e.ref_lon)) AS DECIMAL(18, 12))) AS DOUBLE) AS x,
         CAST(sum(CAST(cos(radians(e.ref_lat)) * sin(radians(e.ref_lon)) AS DECIMAL(18, 12))) AS DOUBLE) AS y,
         CAST(sum(CAST(sin(radians(e.ref_lat)) AS DECIMAL(18, 12))) AS DOUBLE) AS z
  FROM ways w JOIN entity e ON e.id = w.id GROUP BY w.parent_id, w.class, w.id, e.ref_lon, e.ref_lat
), ranked AS (
  SELECT *, row_number() OVER (PARTITION BY parent_id, class ORDER BY total_km, id) AS place,
         row_number() OVER (PARTITION BY parent_id, class ORDER BY farthest_km, id) AS minimax FROM totals
), grouped AS (
  SELECT parent_id, class, array_agg(id) AS members,
         max(CASE WHEN place = 1 THEN lon END) AS lon, max(CASE WHEN place = 1 THEN lat END) AS lat,
         max(CASE WHEN place = 2 THEN lon END) AS second_lon, max(CASE WHEN place = 2 THEN lat END) AS second_lat,
         max(CASE WHEN minimax = 1 AND place > 2 THEN lon END) AS minimax_lon, max(CASE WHEN minimax = 1 AND place > 2 THEN lat END) AS minimax_lat,
         max(CASE WHEN place = 1 THEN total_km END) AS least_km, max(CASE WHEN place = 2 THEN total_km END) AS second_km,
         sum(x) AS x, sum(y) AS y, sum(z) AS z
  FROM ranked GROUP BY parent_id, class
), centred AS (
  SELECT *, degrees(atan2(y, x)) AS mean_lon, degrees(atan2(z, sqrt(x * x + y * y))) AS mean_lat FROM grouped
), apart AS (
  SELECT *, 6371 * 2 * asin(sqrt(least(1, power(sin(radians(lat - mean_lat) / 2), 2)
            + cos(radians(lat)) * cos(radians(mean_lat)) * power(sin(radians(lon - mean_lon) / 2), 2)))) AS off_km
  FROM centred
), unplaced AS (
  SELECT DISTINCT s.left_id AS parent_id, e.class FROM strays s JOIN entity e ON e.id = s.right_id JOIN entity a ON a.id = s.left_id
  LEFT JOIN (SELECT w.child_id, p.class, p.level FROM ancestor w JOIN entity p ON p.id = w.parent_id) k ON k.child_id = s.right_id AND k.class = a.class AND k.level = a.level
  WHERE k.child_id IS NULL
)
SELECT a.parent_id AS A, a.class AS p_class, a.members, a.lon AS answer_lon, a.lat AS answer_lat,
       a.mean_lon AS hint_mean_lon, a.mean_lat AS hint_mean_lat, a.second_lon AS hint_second_lon, a.second_lat AS hint_second_lat,
       a.minimax_lon AS hint_minimax_lon, a.minimax_lat AS hint_minimax_lat,
       CASE WHEN a.second_km - a.least_km < 0.02 * a.second_km THEN 'second_within_2_percent'
            WHEN a.off_km < 10.1 THEN 'mean_point_within_10_km'
            WHEN k.parent_id IS NOT NULL THEN 'member_of_unknown_containment' END AS discard
FROM apart a LEFT JOIN unplaced k ON k.parent_id = a.parent_id AND k.class = a.class
