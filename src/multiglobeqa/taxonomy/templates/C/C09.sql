WITH offered AS (
  SELECT n.left_id, n.right_id, n.distance_km, coalesce(t.touches AND p.shared_boundary_km > 0, false) AS adjacent,
         coalesce(p.shared_boundary_km, 0) AS shared_km, t.left_id IS NOT NULL AND NOT t.touches AS interiors_meet,
         (a.east >= 180 OR a.west <= -180) AND (b.east >= 180 OR b.west <= -180) AS on_seam,
         row_number() OVER (PARTITION BY n.left_id, coalesce(t.touches AND p.shared_boundary_km > 0, false) ORDER BY md5('{salt}' || CAST(n.right_id AS STRING))) AS place
  FROM near n JOIN entity a ON a.id = n.left_id JOIN entity b ON b.id = n.right_id
  LEFT JOIN met t ON t.left_id = n.left_id AND t.right_id = n.right_id
  LEFT JOIN common p ON p.left_id = n.left_id AND p.right_id = n.right_id
  WHERE a.cell = b.cell AND a.layer = b.layer AND a.level = b.level
)
SELECT left_id AS A, right_id AS B, adjacent AS answer,
       CASE WHEN on_seam THEN 'both_at_the_antimeridian' WHEN interiors_meet THEN 'interiors_meet'
            WHEN adjacent AND shared_km < 0.1 THEN 'shared_boundary_below_100_m'
            WHEN NOT adjacent AND distance_km = 0 THEN 'touch_in_points_only'
            WHEN NOT adjacent AND distance_km < 0.5 THEN 'less_than_500_m_apart' END AS discard
FROM offered WHERE place <= 2
