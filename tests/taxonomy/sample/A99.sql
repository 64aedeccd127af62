-- a comment
SELECT left_id AS A, right_id AS B, distance_km AS answer,
       CASE WHEN distance_km < 2 THEN 'closer_than_2_km' END AS discard
FROM d
