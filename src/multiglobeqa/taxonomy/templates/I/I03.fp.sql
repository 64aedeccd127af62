SELECT o.base_id, o.left_id AS A, o.right_id AS B,
       CASE WHEN w.distance_km < 520 OR w.distance_km < 2.1 * k.greatest_km THEN 'track_within_500_km_or_2_radii' END AS discard
FROM offers o JOIN away w ON w.left_id = o.left_id AND w.right_id = o.right_id
JOIN blown k ON k.left_id = o.left_id AND k.right_id = o.right_id
