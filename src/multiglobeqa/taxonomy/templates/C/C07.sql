WITH offered AS (
  SELECT n.left_id, n.right_id, n.distance_km, coalesce(t.overlapping, false) AS overlapping,
         coalesce(t.covers OR t.covered_by, false) AS contained, coalesce(p.intersection_area_km2, 0) AS common_km2,
         a.area_km2 AS a_km2, b.area_km2 AS b_km2,
         row_number() OVER (PARTITION BY n.right_id, coalesce(t.overlapping, false) ORDER BY md5('{salt}' || CAST(n.left_id AS STRING) || '/' || CAST(n.right_id AS STRING))) AS place
  FROM near n JOIN entity a ON a.id = n.left_id JOIN entity b ON b.id = n.right_id
  LEFT JOIN met t ON t.left_id = n.left_id AND t.right_id = n.right_id
  LEFT JOIN common p ON p.left_id = n.left_id AND p.right_id = n.right_id
  WHERE a.cell = b.cell
)
SELECT left_id AS A, right_id AS B, overlapping AS answer,
       CASE WHEN overlapping AND common_km2 < 0.01 * least(a_km2, b_km2) THEN 'overlap_below_1_percent'
            WHEN overlapping AND (a_km2 - common_km2 < 0.01 * least(a_km2, b_km2) OR b_km2 - common_km2 < 0.01 * least(a_km2, b_km2)) THEN 'remainder_below_1_percent'
            WHEN NOT overlapping AND NOT contained AND distance_km < 0.5 THEN 'less_than_500_m_apart' END AS discard
FROM offered WHERE place <= 2
