WITH ordered AS (
  SELECT d.left_id, d.right_id, d.distance_km,
         sqrt(pow(a.ref_lat - c.ref_lat, 2) + pow(a.ref_lon - c.ref_lon, 2)) AS degrees,
         row_number() OVER (PARTITION BY d.left_id ORDER BY md5('{salt}' || CAST(d.right_id AS STRING))) AS place
  FROM d JOIN entity c ON c.id = d.left_id JOIN entity a ON a.id = d.right_id
)
SELECT x.left_id AS C, x.right_id AS A, y.right_id AS B,
       CASE WHEN {sign} * (x.distance_km - y.distance_km) < 0 THEN x.right_id ELSE y.right_id END AS answer_ids,
       CASE WHEN {sign} * (x.degrees - y.degrees) < 0 THEN x.right_id ELSE y.right_id END AS slip_planar,
       CASE WHEN abs(x.distance_km - y.distance_km) < 0.05 * greatest(x.distance_km, y.distance_km) THEN 'distances_within_5_percent'
            WHEN abs(x.distance_km - y.distance_km) < 0.05 THEN 'distances_within_50_m' END AS discard
FROM ordered x JOIN ordered y ON x.left_id = y.left_id AND x.place = 1 AND y.place = 2
