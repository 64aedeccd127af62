WITH judged AS (
  SELECT n.left_id, n.right_id, b.cell, t.left_id IS NULL AS apart,
         CASE WHEN t.left_id IS NULL THEN 'apart' WHEN t.touches THEN 'touching' WHEN t.overlapping THEN 'partly' ELSE 'inside' END
           || CASE WHEN a.class = b.class THEN ' alike' ELSE '' END AS relation,
         CASE WHEN (a.east >= 180 OR a.west <= -180) AND (b.east >= 180 OR b.west <= -180) THEN 'both_at_the_antimeridian'
              WHEN (n.distance_km = 0) <> (t.left_id IS NOT NULL) THEN 'distance_and_topology_differ'
              WHEN n.distance_km > 0 AND n.distance_km < 0.5 THEN 'less_than_500_m_apart'
              WHEN n.distance_km > 0 AND n.distance_km < 2 AND b.extent = 'world' THEN 'gap_finer_than_the_map'
              WHEN t.touches AND coalesce(h.shared_boundary_km, 0) < 1 THEN 'shared_boundary_below_1_km'
              WHEN NOT t.touches AND p.intersection_area_km2 < 0.01 * least(a.area_km2, b.area_km2) THEN 'overlap_below_1_percent'
              WHEN t.overlapping AND b.extent = 'world' AND p.overlap_width_km < 1 THEN 'overlap_finer_than_the_map' END AS discard,
         md5('{salt}' || CAST(n.left_id AS STRING) || '/' || CAST(n.right_id AS STRING)) AS pick
  FROM near n JOIN entity a ON a.id = n.left_id JOIN entity b ON b.id = n.right_id
  LEFT JOIN met t ON t.left_id = n.left_id AND t.right_id = n.right_id
  LEFT JOIN common p ON p.left_id = n.left_id AND p.right_id = n.right_id
  LEFT JOIN shared h ON h.left_id = n.left_id AND h.right_id = n.right_id
  WHERE a.cell = b.cell AND a.extent = b.extent AND (a.class <> b.class OR a.level = b.level)
), turned AS (
  SELECT *, row_number() OVER (PARTITION BY left_id, relation, discard IS NULL ORDER BY pick) AS turn FROM judged
), placed AS (
  SELECT *, row_number() OVER (PARTITION BY cell, relation, discard IS NULL ORDER BY turn, pick) AS place FROM turned
)
SELECT left_id AS A, right_id AS B, apart AS answer, discard FROM placed WHERE place <= 20
