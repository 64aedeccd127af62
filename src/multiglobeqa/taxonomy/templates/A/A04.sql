WITH ordered AS (
  SELECT left_id, right_id, distance_km,
         row_number() OVER (PARTITION BY left_id ORDER BY md5('{salt}' || CAST(right_id AS STRING))) AS place
  FROM d
)
SELECT x.left_id AS C, x.right_id AS A, y.right_id AS B,
       CASE WHEN {sign} * (x.distance_km - y.distance_km) < 0 THEN x.right_id ELSE y.right_id END AS answer_ids,
       CASE WHEN abs(x.distance_km - y.distance_km) < 0.05 * greatest(x.distance_km, y.distance_km) THEN 'distances_within_5_percent'
            WHEN abs(x.distance_km - y.distance_km) < 0.05 THEN 'distances_within_50_m' END AS discard
FROM ordered x JOIN ordered y ON x.left_id = y.left_id AND x.place = 1 AND y.place = 2
