-- outlines of world maps are simplified at 0.9 km: what hangs on 2 km, or on an overlap less than 1 km wide, is not asked
WITH judged AS (
  SELECT n.left_id, n.right_id, b.cell, n.distance_km = 0 AS meets, {relation} AS relation,
         CASE WHEN {track} THEN 'the track of the centre of ' ELSE '' END AS lead,
         CASE WHEN (n.distance_km = 0) <> (t.left_id IS NOT NULL) THEN 'distance_and_topology_differ'
              WHEN n.distance_km > 0 AND n.distance_km < 0.5 THEN 'less_than_500_m_apart'
              WHEN n.distance_km > 0 AND n.distance_km < 2 AND b.extent = 'world' THEN 'gap_finer_than_the_map'
              ELSE {rule} END AS discard,
         md5('{salt}' || CAST(n.left_id AS STRING) || '/' || CAST(n.right_id AS STRING)) AS pick
  FROM near n JOIN entity a ON a.id = n.left_id JOIN entity b ON b.id = n.right_id
  LEFT JOIN met t ON t.left_id = n.left_id AND t.right_id = n.right_id
  LEFT JOIN common p ON p.left_id = n.left_id AND p.right_id = n.right_id
  WHERE (a.cell = b.cell OR a.class = 'storm') AND a.extent = b.extent
), turned AS (
  SELECT *, row_number() OVER (PARTITION BY left_id, relation, discard IS NULL ORDER BY pick) AS left_turn,
         row_number() OVER (PARTITION BY right_id, relation, discard IS NULL ORDER BY pick) AS right_turn
  FROM judged
), placed AS (
  SELECT *, row_number() OVER (PARTITION BY cell, relation, discard IS NULL ORDER BY greatest(left_turn, right_turn), pick) AS place
  FROM turned
)
SELECT left_id AS A, right_id AS B, meets AS answer, lead AS p_lead, discard FROM placed WHERE place <= 60
