WITH grouped AS (
  SELECT n.left_id, e.class, count(CASE WHEN n.distance_km <= {threshold} THEN 1 END) AS size,
         array_agg(CASE WHEN n.distance_km <= {threshold} THEN n.right_id END) AS answer_ids,
         array_agg(CASE WHEN n.distance_km > {threshold} AND n.distance_km <= 2 * {threshold} THEN n.right_id END) AS evidence,
         min(abs(n.distance_km - {threshold})) AS margin
  FROM near n JOIN entity e ON e.id = n.right_id GROUP BY n.left_id, e.class
), offered AS (
  SELECT *, row_number() OVER (PARTITION BY left_id ORDER BY md5('{salt}' || CAST(left_id AS STRING) || class)) AS place
  FROM grouped WHERE size BETWEEN 1 AND 30
)
SELECT left_id AS B, class AS p_class, CAST({threshold} AS DOUBLE) AS p_threshold_km, size AS answer, answer_ids, evidence,
       CASE WHEN margin < 0.05 * {threshold} THEN 'member_within_5_percent_of_threshold'
            WHEN margin < {least_km} THEN 'member_finer_than_the_map' END AS discard
FROM offered WHERE place <= 3
