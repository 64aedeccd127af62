-- outlines of world maps are simplified at 0.9 km: 18 km is 20 times as much
SELECT d.left_id AS A, d.right_id AS B, d.distance_km AS answer,
       CASE WHEN d.inside <> {inside} THEN 'on_the_other_side'
            WHEN b.extent = 'world' AND d.distance_km < 18 THEN 'distance_finer_than_the_map' END AS discard
FROM d JOIN entity b ON b.id = d.right_id
