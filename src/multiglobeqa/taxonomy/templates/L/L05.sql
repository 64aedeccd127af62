WITH stated AS (
  SELECT child_id, count(*) AS parents FROM ancestor GROUP BY child_id
), held AS (
  SELECT child_id, parent_id, count(*) AS ways FROM ancestor GROUP BY child_id, parent_id
), scaled AS (
  SELECT d.left_id, d.right_id, d.distance_km, d.inside, b.extent, s.parents, h.ways,
         round(least(25, greatest(0.5, 0.02 * sqrt(b.area_km2))), 2) AS epsilon_km
  FROM d JOIN entity a ON a.id = d.left_id JOIN entity b ON b.id = d.right_id
  LEFT JOIN stated s ON s.child_id = d.left_id LEFT JOIN held h ON h.child_id = d.left_id AND h.parent_id = d.right_id
  WHERE a.cell = b.cell
), judged AS (
  SELECT *, CASE WHEN distance_km <= epsilon_km THEN 'plausibly' WHEN inside THEN 'true' ELSE 'false' END AS answer FROM scaled
), offered AS (
  SELECT *, row_number() OVER (PARTITION BY left_id, answer ORDER BY md5('{salt}' || CAST(right_id AS STRING))) AS place FROM judged
)
SELECT left_id AS A, right_id AS B, CAST(epsilon_km AS DOUBLE) AS p_epsilon_km, answer,
       CASE WHEN distance_km BETWEEN 0.8 * epsilon_km AND 1.2 * epsilon_km THEN 'within_20_percent_of_epsilon'
            WHEN extent = 'world' AND abs(distance_km - epsilon_km) < 1 THEN 'finer_than_the_map'
            WHEN parents IS NULL OR inside <> (ways IS NOT NULL) THEN 'hierarchy_disagrees' END AS discard
FROM offered WHERE place = 1
