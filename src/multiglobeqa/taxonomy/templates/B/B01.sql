-- near reaches 1.62 radii: a radius in miles taken for kilometres, or the reverse, is a mistake worth telling
WITH asked AS (
  SELECT n.left_id, e.class, e.kind, r.radius_km, n.right_id, n.distance_km, b.edge_km,
         row_number() OVER (PARTITION BY n.left_id, e.class, r.radius_km ORDER BY n.distance_km, n.right_id) AS place
  FROM near n JOIN entity e ON e.id = n.right_id JOIN entity b ON b.id = n.left_id
  CROSS JOIN (VALUES {radii}) AS r(radius_km)
  WHERE e.class <> 'administrative_seat' AND n.distance_km <= 1.62 * r.radius_km AND (b.edge_km IS NULL OR b.edge_km > 1.1 * r.radius_km)
), unsized AS (  -- may well be a settlement, of 1,000 people or more
  SELECT n.left_id, min(n.distance_km) AS least_km FROM near n JOIN entity e ON e.id = n.right_id
  WHERE e.class = 'administrative_seat' AND e.population IS NULL GROUP BY n.left_id
), counted AS (
  SELECT left_id, class, radius_km,
         count(CASE WHEN distance_km <= radius_km THEN 1 END) AS size,
         count(CASE WHEN distance_km <= radius_km / 2 THEN 1 END) AS half,
         count(CASE WHEN distance_km <= radius_km / 1.609344 THEN 1 END) AS short,
         count(CASE WHEN distance_km <= radius_km * 1.609344 THEN 1 END) AS long,
         count(CASE WHEN distance_km <= radius_km AND kind = 'point' THEN 1 END) AS points,
         min(abs(distance_km - radius_km)) AS margin, min(edge_km) AS edge_km,
         array_agg(CASE WHEN distance_km <= radius_km THEN right_id END) AS answer_ids,
         array_agg(CASE WHEN distance_km <= radius_km / 2 THEN right_id END) AS half_ids,
         array_agg(CASE WHEN distance_km <= radius_km / 1.609344 THEN right_id END) AS short_ids,
         array_agg(CASE WHEN distance_km <= radius_km * 1.609344 THEN right_id END) AS long_ids,
         array_agg(CASE WHEN distance_km <= radius_km AND kind = 'point' THEN right_id END) AS point_ids,
         array_agg(CASE WHEN distance_km > radius_km AND place <= 40 THEN right_id END) AS evidence
  FROM asked GROUP BY left_id, class, radius_km
), offered AS (
  SELECT *, row_number() OVER (PARTITION BY left_id ORDER BY md5('{salt}' || CAST(left_id AS STRING) || class || CAST(radius_km AS STRING))) AS place
  FROM counted WHERE {offered}
)
SELECT o.left_id AS B, class AS p_class, radius_km AS p_radius_km, size AS answer, answer_ids, evidence, {slips},
       CASE WHEN margin < 0.02 * radius_km THEN 'member_within_2_percent_of_radius'
            WHEN class = 'settlement' AND u.least_km <= 1.02 * radius_km THEN 'place_of_unknown_size_in_reach' END AS discard
FROM offered o LEFT JOIN unsized u ON u.left_id = o.left_id WHERE place <= 3
