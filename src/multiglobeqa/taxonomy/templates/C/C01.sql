WITH offered AS (
  SELECT n.left_id, n.right_id, n.distance_km, n.distance_km = 0 AS meets,
         row_number() OVER (PARTITION BY n.right_id, n.distance_km = 0 ORDER BY md5('{salt}' || CAST(n.left_id AS STRING) || '/' || CAST(n.right_id AS STRING))) AS place
  FROM near n JOIN entity a ON a.id = n.left_id JOIN entity b ON b.id = n.right_id
  WHERE a.cell = b.cell AND a.layer = b.layer OR a.cell = b.cell AND a.edge_km IS NULL AND b.edge_km IS NULL
)
SELECT o.left_id AS A, o.right_id AS B, o.meets AS answer,
       CASE WHEN o.meets <> (t.left_id IS NOT NULL) THEN 'distance_and_topology_differ'
            WHEN NOT o.meets AND o.distance_km < 0.5 THEN 'less_than_500_m_apart'
            ELSE {rule} END AS discard
FROM offered o JOIN entity a ON a.id = o.left_id JOIN entity b ON b.id = o.right_id
LEFT JOIN met t ON t.left_id = o.left_id AND t.right_id = o.right_id
LEFT JOIN common p ON p.left_id = o.left_id AND p.right_id = o.right_id
WHERE o.place <= 2
