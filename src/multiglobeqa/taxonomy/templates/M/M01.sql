SELECT right_id AS A, left_id AS B, azimuth_deg AS answer_azimuth_deg, centre_km AS answer_distance_km,
       CASE WHEN centre_km < 0.05 THEN 'closer_than_50_m' END AS discard
FROM d
