WITH nearest AS (
  SELECT left_id, right_id, row_number() OVER (PARTITION BY left_id ORDER BY centre_km, right_id) AS place FROM centres
), beside AS (
  SELECT n.left_id, array_agg(n.right_id) AS evidence FROM centres n LEFT JOIN met t ON t.left_id = n.left_id AND t.right_id = n.right_id
  WHERE t.right_id IS NULL AND n.distance_km <= 25 GROUP BY n.left_id
), held AS (
  SELECT d.left_id, array_agg(d.right_id) AS answer_ids, min(d.right_id) AS held_by, min(d.distance_km) AS margin_km, substr(CAST(min(e.time_start) AS STRING), 1, 10) AS day
  FROM d JOIN entity e ON e.id = d.left_id GROUP BY d.left_id
)
SELECT h.left_id AS A, h.answer_ids, b.evidence, 'admin1' AS p_class, h.day AS p_day,
       CASE WHEN n.right_id <> h.held_by THEN n.right_id END AS slip_nearest_centre,
       CASE WHEN h.margin_km < 2 THEN 'epicentre_within_2_km_of_boundary'
            WHEN h.held_by IN (SELECT id FROM doubted_units) THEN 'second_source_counts_otherwise' END AS discard
FROM held h LEFT JOIN beside b ON b.left_id = h.left_id LEFT JOIN nearest n ON n.left_id = h.left_id AND n.place = 1
