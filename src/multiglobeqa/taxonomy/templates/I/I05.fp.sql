SELECT o.base_id, o.storm AS A, o.right_id AS B, CASE WHEN w.distance_km < 215 THEN 'footprint_within_200_km' END AS discard
FROM offers o JOIN away w ON w.left_id = o.left_id AND w.right_id = o.right_id
