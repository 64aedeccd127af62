WITH offered AS (
  SELECT c.left_id, c.right_id, 1 - c.intersection_area_km2 / b.area_km2 AS outside,
         row_number() OVER (PARTITION BY c.left_id, c.intersection_area_km2 > 0.99 * b.area_km2 ORDER BY md5('{salt}' || CAST(c.right_id AS STRING))) AS place
  FROM common c JOIN entity a ON a.id = c.left_id JOIN entity b ON b.id = c.right_id
  WHERE a.cell = b.cell AND b.area_km2 < a.area_km2 AND b.area_km2 > 0 AND NOT (a.class = b.class AND a.level = b.level)
)
SELECT left_id AS A, right_id AS B, outside <= 0.001 AS answer,
       CASE WHEN outside > 0.001 AND outside < 0.05 THEN 'between_0.1_and_5_percent_outside' END AS discard
FROM offered WHERE place <= 3
