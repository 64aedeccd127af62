SELECT d.left_id AS A, array_agg(d.right_id) AS answer_ids, 'admin1' AS p_class, substr(CAST(min(e.time_start) AS VARCHAR), 1, 10) AS p_day,
       CASE WHEN min(d.distance_km) < 2 THEN 'epicentre_within_2_km_of_boundary' END AS discard
FROM d JOIN entity e ON e.id = d.left_id GROUP BY d.left_id
