WITH ordered AS (
  SELECT *, row_number() OVER (PARTITION BY left_id ORDER BY md5('{salt}' || CAST(right_id AS STRING))) AS place FROM d
)
SELECT x.left_id AS A, x.right_id AS B, y.right_id AS C, x.distance_km < y.distance_km AS answer,
       CASE WHEN abs(x.distance_km - y.distance_km) < 0.2 * greatest(x.distance_km, y.distance_km) THEN 'distances_within_20_percent' END AS discard
FROM ordered x JOIN ordered y ON x.left_id = y.left_id AND x.place = 1 AND y.place = 2
