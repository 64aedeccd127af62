WITH scaled AS (
  SELECT n.left_id, n.right_id, n.distance_km,
         CASE WHEN 'settlement' IN (a.scale, b.scale) THEN 15.0 ELSE 1.0 END AS threshold_km
  FROM near n JOIN entity a ON a.id = n.left_id JOIN entity b ON b.id = n.right_id WHERE a.cell = b.cell
  UNION ALL SELECT left_id, right_id, distance_km, 100.0 FROM regions
), offered AS (
  SELECT *, row_number() OVER (PARTITION BY left_id, distance_km <= threshold_km ORDER BY md5('{salt}' || CAST(right_id AS STRING))) AS place
  FROM scaled WHERE distance_km <= 4 * threshold_km
)
SELECT left_id AS A, right_id AS B, CAST(threshold_km AS DOUBLE) AS p_threshold_km, distance_km <= threshold_km AS answer,
       CASE WHEN threshold_km > 50 AND distance_km < 1 THEN 'regions_meet'
            WHEN distance_km BETWEEN 0.8 * threshold_km AND 1.2 * threshold_km THEN 'within_20_percent_of_threshold' END AS discard
FROM offered WHERE place = 1
