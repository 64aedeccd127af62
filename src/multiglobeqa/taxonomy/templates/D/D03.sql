WITH grouped AS (
  SELECT n.left_id, e.class, count(CASE WHEN n.distance_km <= {threshold} THEN 1 END) AS size,
         array_agg(CASE WHEN n.distance_km <= {threshold} THEN n.right_id END) AS answer_ids,
         array_agg(CASE WHEN n.distance_km > {threshold} AND n.distance_km <= 2 * {threshold} THEN n.right_id END) AS evidence,
         count(CASE WHEN n.distance_km <= 2 * {threshold} THEN 1 END) AS wide, array_agg(CASE WHEN n.distance_km <= 2 * {threshold} THEN n.right_id END) AS wide_ids,
         count(CASE WHEN n.distance_km <= 1.609344 * {threshold} THEN 1 END) AS miles,
         array_agg(CASE WHEN n.distance_km <= 1.609344 * {threshold} THEN n.right_id END) AS mile_ids,
         min(abs(n.distance_km - {threshold})) AS margin
  FROM near n JOIN entity e ON e.id = n.right_id GROUP BY n.left_id, e.class
), told AS (
  SELECT *, CASE WHEN margin < 0.05 * {threshold} THEN 'member_within_5_percent_of_threshold'
                 WHEN margin < {least_km} THEN 'member_finer_than_the_map' END AS discard,
         md5('{salt}' || CAST(left_id AS STRING) || class) AS pick
  FROM grouped WHERE size BETWEEN 1 AND 30
), offered AS (
  SELECT g.*, l.class AS of_class, row_number() OVER (PARTITION BY g.left_id ORDER BY g.pick) AS turn,
         row_number() OVER (PARTITION BY l.cell, g.size, g.discard IS NULL ORDER BY g.pick) AS place
  FROM told g JOIN entity l ON l.id = g.left_id
)
SELECT o.left_id AS B, o.class AS p_class, CAST({threshold} AS DOUBLE) AS p_threshold_km,
       CASE WHEN o.of_class = 'storm' THEN 'the track of the centre of ' ELSE '' END AS p_lead, o.size AS answer, o.answer_ids, o.evidence, {slips}, o.discard
FROM offered o WHERE o.turn <= 3 AND o.place <= CASE WHEN o.size = 1 THEN least({per_size}, 12) ELSE {per_size} END
