SELECT o.base_id, o.right_id AS A, o.left_id AS B,
       CASE WHEN w.inside OR w.distance_km < 20.5 THEN 'entity_within_20_km_of_the_area' END AS discard
FROM offers o JOIN away w ON w.left_id = o.left_id AND w.right_id = o.right_id
