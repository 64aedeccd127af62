-- hard ones first: as many true ones where a lesser part meets B as where the largest does
WITH judged AS (
  SELECT n.left_id, n.right_id, a.cell, n.distance_km = 0 AS meets,
         CASE WHEN n.distance_km > 0 THEN 'apart' WHEN h.main_part_meets THEN 'largest' ELSE 'lesser' END AS relation,
         CASE WHEN b.class = 'storm' THEN 'the track of the centre of ' ELSE '' END AS lead,
         CASE WHEN (n.distance_km = 0) <> (t.left_id IS NOT NULL) THEN 'distance_and_topology_differ'
              WHEN n.distance_km > 0 AND n.distance_km < 0.5 THEN 'less_than_500_m_apart'
              WHEN n.distance_km > 0 AND n.distance_km < 2 AND a.extent = 'world' THEN 'gap_finer_than_the_map'
              WHEN t.touches THEN 'touches_only'
              WHEN l.inside_km < 0.1 THEN 'less_than_100_m_inside'
              WHEN a.extent = 'world' AND l.inside_km < CASE WHEN b.class = 'storm' THEN 10 ELSE 2 END THEN 'stretch_finer_than_the_map'
              WHEN s.intersection_area_km2 < 0.01 * least(a.area_km2, b.area_km2) THEN 'overlap_below_1_percent'
              WHEN a.extent = 'world' AND t.overlapping AND s.overlap_width_km < 1 THEN 'overlap_finer_than_the_map' END AS discard,
         md5('{salt}' || CAST(n.left_id AS STRING) || '/' || CAST(n.right_id AS STRING)) AS pick
  FROM near n JOIN entity a ON a.id = n.left_id JOIN entity b ON b.id = n.right_id
  LEFT JOIN met t ON t.left_id = n.left_id AND t.right_id = n.right_id
  LEFT JOIN parts h ON h.left_id = n.left_id AND h.right_id = n.right_id
  LEFT JOIN along l ON l.left_id = CASE WHEN a.kind = 'line' THEN a.id ELSE b.id END AND l.right_id = CASE WHEN a.kind = 'line' THEN b.id ELSE a.id END
  LEFT JOIN common s ON s.left_id = n.left_id AND s.right_id = n.right_id
  WHERE (a.cell = b.cell OR b.class = 'storm') AND a.extent = b.extent
), turned AS (
  SELECT *, row_number() OVER (PARTITION BY left_id, relation, discard IS NULL ORDER BY pick) AS turn FROM judged
), placed AS (
  SELECT *, row_number() OVER (PARTITION BY cell, relation, discard IS NULL ORDER BY turn, pick) AS place FROM turned
)
SELECT left_id AS A, right_id AS B, meets AS answer, lead AS p_lead, discard FROM placed WHERE place <= 40
