WITH placed AS (
  SELECT o.base_id, o.storm, o.right_id, w.distance_km, row_number() OVER (PARTITION BY o.base_id ORDER BY CASE WHEN w.distance_km < 215 THEN 1 ELSE 0 END, md5('{salt}' || CAST(o.right_id AS STRING))) AS place
  FROM offers o JOIN away w ON w.left_id = o.left_id AND w.right_id = o.right_id
)
SELECT base_id, storm AS A, right_id AS B, CASE WHEN distance_km < 215 THEN 'footprint_within_200_km' END AS discard FROM placed WHERE place <= 5
