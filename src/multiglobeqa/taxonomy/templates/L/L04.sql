-- hint_nearest: the nearest alone; hint_three_nearest: as many as people like to list
WITH measured AS (
  SELECT n.left_id, e.class, n.right_id, n.distance_km, n.rank,
         min(n.distance_km) OVER (PARTITION BY n.left_id, e.class) AS least_km,
         max(n.distance_km) OVER (PARTITION BY n.left_id, e.class) AS last_km
  FROM near n JOIN entity e ON e.id = n.right_id JOIN entity b ON b.id = n.left_id WHERE e.extent = b.extent
), grouped AS (
  SELECT left_id, class, min(least_km) AS least_km, min(last_km) AS last_km,
         count(CASE WHEN distance_km <= 1.2 * least_km THEN 1 END) AS size,
         count(CASE WHEN distance_km > 1.2 * least_km AND distance_km < 1.5 * least_km THEN 1 END) AS between_count,
         array_agg(CASE WHEN distance_km <= 1.2 * least_km THEN right_id END) AS answer_ids,
         array_agg(CASE WHEN distance_km > 1.2 * least_km AND distance_km <= 2 * least_km THEN right_id END) AS evidence,
         array_agg(CASE WHEN rank = 1 THEN right_id END) AS hint_nearest,
         array_agg(CASE WHEN rank <= 3 THEN right_id END) AS hint_three_nearest
  FROM measured GROUP BY left_id, class
), offered AS ( -- most have one member: a fifth of those is enough (rule 14)
  SELECT *, md5('{salt}' || CAST(left_id AS STRING) || class) AS pick,
         row_number() OVER (PARTITION BY left_id, size > 1 ORDER BY md5('{salt}' || CAST(left_id AS STRING) || class)) AS place FROM grouped
)
SELECT o.left_id AS B, o.class AS p_class, o.answer_ids, o.evidence, o.hint_nearest, o.hint_three_nearest,
       CASE WHEN o.least_km < 0.05 THEN 'closest_within_50_m' WHEN o.between_count > 0 THEN 'member_between_1.2_and_1.5_times'
            WHEN o.last_km < 1.5 * o.least_km THEN 'more_than_8_about_as_close'
            WHEN b.edge_km < 1.65 * o.least_km THEN 'reaches_beyond_the_covered_extent'
            WHEN o.class = 'settlement' AND u.distance_km < 1.5 * o.least_km THEN 'place_of_unknown_size_in_reach' END AS discard
FROM offered o JOIN entity b ON b.id = o.left_id LEFT JOIN unsized u ON u.left_id = o.left_id WHERE o.place <= 2 AND (o.size > 1 OR o.pick < '33333333')
