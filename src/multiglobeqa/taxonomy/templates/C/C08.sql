-- of the true ones as many touch in points as along a line, so that a third or more do in any draw
WITH judged AS (
  SELECT n.left_id, n.right_id, a.cell, coalesce(t.touches, false) AS touching,
         CASE WHEN t.left_id IS NULL THEN 'apart' WHEN t.overlapping THEN 'overlapping' WHEN substr(t.de9im, 5, 1) = '0' THEN 'points' ELSE 'lines' END AS relation,
         CASE WHEN (a.east >= 180 OR a.west <= -180) AND (b.east >= 180 OR b.west <= -180) THEN 'both_at_the_antimeridian'
              WHEN (n.distance_km = 0) <> (t.left_id IS NOT NULL) THEN 'distance_and_topology_differ'
              WHEN t.covers OR t.covered_by THEN 'one_covers_the_other'
              WHEN t.overlapping AND p.intersection_area_km2 < 0.01 * least(a.area_km2, b.area_km2) THEN 'overlap_below_1_percent'
              WHEN t.overlapping AND a.extent = 'world' AND p.overlap_width_km < 1 THEN 'overlap_finer_than_the_map'
              WHEN t.touches AND a.extent = 'world' AND a.class <> b.class THEN 'touch_of_two_layers'
              WHEN n.distance_km > 0 AND n.distance_km < 0.5 THEN 'less_than_500_m_apart'
              WHEN n.distance_km > 0 AND n.distance_km < 2 AND a.extent = 'world' THEN 'gap_finer_than_the_map' END AS discard,
         md5('{salt}' || CAST(n.left_id AS STRING) || '/' || CAST(n.right_id AS STRING)) AS pick
  FROM near n JOIN entity a ON a.id = n.left_id JOIN entity b ON b.id = n.right_id
  LEFT JOIN met t ON t.left_id = n.left_id AND t.right_id = n.right_id
  LEFT JOIN common p ON p.left_id = n.left_id AND p.right_id = n.right_id
  WHERE a.cell = b.cell AND a.extent = b.extent
), turned AS (
  SELECT *, row_number() OVER (PARTITION BY left_id, relation, discard IS NULL ORDER BY pick) AS turn,
         count(CASE WHEN relation = 'points' AND discard IS NULL THEN 1 END) OVER (PARTITION BY cell) AS in_points
  FROM judged
), placed AS (
  SELECT *, row_number() OVER (PARTITION BY cell, relation, discard IS NULL ORDER BY turn, pick) AS place FROM turned
)
SELECT left_id AS A, right_id AS B, touching AS answer, discard
FROM placed WHERE place <= CASE WHEN discard IS NULL AND relation = 'lines' THEN least(in_points, 40) ELSE 40 END
