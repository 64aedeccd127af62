-- the other half of the pairs of an event and a place is left to I01
WITH offered AS (
  SELECT n.left_id, n.right_id, n.distance_km, e.name, e.class,
         substr(CAST(date_trunc('month', e.time_start) AS STRING), 1, 10) AS begins,
         substr(CAST(last_day(CAST(e.time_start AS DATE)) AS STRING), 1, 10) AS ends,
         row_number() OVER (PARTITION BY n.right_id ORDER BY md5('{salt}' || e.iri || CAST(n.right_id AS STRING))) AS place
  FROM near n JOIN entity e ON e.id = n.left_id JOIN entity p ON p.id = n.right_id WHERE substr(md5(e.name || p.name), 1, 1) < '8'
), named AS (
  SELECT o.left_id, o.right_id, count(*) AS events FROM offered o JOIN entity e ON e.class = o.class AND e.name = o.name
    AND substr(CAST(e.time_start AS STRING), 1, 10) <= o.ends AND substr(CAST(e.time_end AS STRING), 1, 10) >= o.begins
  WHERE o.place <= 3 GROUP BY o.left_id, o.right_id
)
SELECT o.left_id AS A, o.right_id AS B, r.region_id AS C, o.distance_km AS answer, o.begins AS p_period_start, o.ends AS p_period_end,
       CASE WHEN n.events <> 1 THEN 'several_events_of_that_name' END AS discard
FROM offered o JOIN named n ON n.left_id = o.left_id AND n.right_id = o.right_id JOIN regions r ON r.place_id = o.right_id
WHERE o.place <= 3
