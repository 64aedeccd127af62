SELECT d.right_id AS A, d.left_id AS B, m.lon AS answer_lon, m.lat AS answer_lat,
       CASE WHEN NOT d.inside OR d.distance_km < 2 THEN 'entity_not_2_km_inside' END AS discard
FROM d JOIN m ON m.id = d.right_id
