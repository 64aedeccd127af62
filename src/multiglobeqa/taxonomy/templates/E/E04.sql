-- outlines of world maps are simplified at 0.9 km: what lies nearer to a boundary is in doubt there
SELECT o.left_id AS A, o.right_id AS B, o.outside <= 0.001 AS answer,
       CASE WHEN o.outside > 0.001 AND o.outside < 0.05 THEN 'between_0.1_and_5_percent_outside'
            WHEN o.extent = 'world' AND (w.distance_km < 1 OR o.outside > 0.001 AND o.outside < 0.2)
              THEN 'boundary_finer_than_the_map' END AS discard
FROM offered o LEFT JOIN walls w ON w.left_id = o.right_id AND w.right_id = o.left_id
