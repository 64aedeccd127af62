SELECT left_id AS A, right_id AS B, distance_km AS answer,
       CASE WHEN inside <> {inside} THEN 'on_the_other_side' END AS discard
FROM d
