WITH judged AS (
  SELECT n.left_id, n.right_id, b.cell, coalesce(t.overlapping, false) AS overlapping,
         CASE WHEN t.overlapping THEN 'partly' WHEN t.left_id IS NOT NULL THEN 'contained' ELSE 'apart' END AS relation,
         CASE WHEN (n.distance_km = 0) <> (t.left_id IS NOT NULL) THEN 'distance_and_topology_differ'
              WHEN t.touches THEN 'touches_only'
              WHEN t.overlapping AND p.intersection_area_km2 < 0.01 * least(a.area_km2, b.area_km2) THEN 'overlap_below_1_percent'
              WHEN t.overlapping AND (a.area_km2 - p.intersection_area_km2 < 0.01 * least(a.area_km2, b.area_km2)
                OR b.area_km2 - p.intersection_area_km2 < 0.01 * least(a.area_km2, b.area_km2)) THEN 'remainder_below_1_percent'
              WHEN b.extent = 'world' AND t.overlapping AND p.overlap_width_km < 1 THEN 'overlap_finer_than_the_map'
              WHEN t.left_id IS NOT NULL AND NOT t.overlapping AND (t.covers OR d.distance_km < CASE WHEN b.extent = 'world' THEN 2 ELSE 0.005 END) THEN 'contained_up_to_the_boundary'
              WHEN n.distance_km > 0 AND n.distance_km < 0.5 THEN 'less_than_500_m_apart'
              WHEN n.distance_km > 0 AND n.distance_km < 2 AND b.extent = 'world' THEN 'gap_finer_than_the_map' END AS discard,
         md5('{salt}' || CAST(n.left_id AS STRING) || '/' || CAST(n.right_id AS STRING)) AS pick
  FROM near n JOIN entity a ON a.id = n.left_id JOIN entity b ON b.id = n.right_id
  LEFT JOIN met t ON t.left_id = n.left_id AND t.right_id = n.right_id
  LEFT JOIN common p ON p.left_id = n.left_id AND p.right_id = n.right_id
  LEFT JOIN rim d ON d.left_id = n.left_id AND d.right_id = n.right_id
  WHERE a.cell = b.cell AND a.extent = b.extent
), turned AS (
  SELECT *, row_number() OVER (PARTITION BY left_id, relation, discard IS NULL ORDER BY pick) AS left_turn,
         row_number() OVER (PARTITION BY right_id, relation, discard IS NULL ORDER BY pick) AS right_turn
  FROM judged
), placed AS (
  SELECT *, row_number() OVER (PARTITION BY cell, relation, discard IS NULL ORDER BY greatest(left_turn, right_turn), pick) AS place
  FROM turned
)
SELECT left_id AS A, right_id AS B, overlapping AS answer, discard FROM placed WHERE place <= 40
