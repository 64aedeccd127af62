WITH judged AS (
  SELECT n.left_id, n.right_id, a.cell, {holds} AS answer, {relation} AS relation,
         CASE WHEN (a.east >= 180 OR a.west <= -180) AND (b.east >= 180 OR b.west <= -180) THEN 'both_at_the_antimeridian'
              WHEN (n.distance_km = 0) <> (t.left_id IS NOT NULL) THEN 'distance_and_topology_differ'
              WHEN n.distance_km > 0 AND n.distance_km < 0.5 THEN 'less_than_500_m_apart'
              WHEN n.distance_km > 0 AND n.distance_km < 2 AND a.extent = 'world' THEN 'gap_finer_than_the_map'
              ELSE {rule} END AS discard,
         md5('{salt}' || CAST(n.left_id AS STRING) || '/' || CAST(n.right_id AS STRING)) AS pick
  FROM near n JOIN entity a ON a.id = n.left_id JOIN entity b ON b.id = n.right_id
  LEFT JOIN met t ON t.left_id = n.left_id AND t.right_id = n.right_id
  LEFT JOIN common p ON p.left_id = n.left_id AND p.right_id = n.right_id
  LEFT JOIN rim d ON d.left_id = n.right_id AND d.right_id = n.left_id
  WHERE a.cell = b.cell AND a.extent = b.extent
), turned AS (
  SELECT *, row_number() OVER (PARTITION BY left_id, relation, discard IS NULL ORDER BY pick) AS turn FROM judged
), placed AS (
  SELECT *, row_number() OVER (PARTITION BY cell, relation, discard IS NULL ORDER BY turn, pick) AS place FROM turned
)
SELECT left_id AS A, right_id AS B, answer, discard FROM placed WHERE place <= 30
