SELECT left_id AS A, right_id AS B, distance_km AS answer,
       CASE WHEN distance_km = 0 THEN 'entities_meet' END AS discard
FROM d
