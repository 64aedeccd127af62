WITH reached AS (
  SELECT w.left_id, n.class, array_agg(CASE WHEN w.contact IS NOT NULL THEN w.right_id END) AS answer_ids,
         array_agg(CASE WHEN w.contact IS NULL THEN w.right_id END) AS evidence,
         count(w.contact) AS size, count(w.wider) AS most, count(w.narrower) AS fewest,
         min(CASE WHEN w.complete THEN 1 ELSE 0 END) AS known, max(CASE WHEN c.contested THEN 1 ELSE 0 END) AS contested,
         max(CASE WHEN w.contact IS NOT NULL AND d.id IS NOT NULL THEN 1 ELSE 0 END) AS doubted,
         array_agg(t.right_id) AS on_track, count(t.right_id) AS track_size
  FROM w JOIN near n ON n.left_id = w.left_id AND n.right_id = w.right_id JOIN entity u ON u.id = w.right_id
  LEFT JOIN (SELECT DISTINCT country, contested FROM entity WHERE class = 'country' AND contested) c ON c.country = u.country
  LEFT JOIN doubted_units d ON d.id = w.right_id AND n.class = 'admin1'
  LEFT JOIN crossed t ON t.left_id = w.left_id AND t.right_id = w.right_id
  GROUP BY w.left_id, n.class
)
SELECT left_id AS A, class AS p_class, answer_ids, evidence, CASE WHEN track_size BETWEEN 1 AND size - 1 THEN on_track END AS slip_track,
       CASE WHEN known = 0 THEN 'winds_unknown_at_a_fix' WHEN most > fewest THEN 'unit_within_5_percent_of_radius'
            WHEN contested = 1 THEN 'contested_country_in_reach'
            WHEN doubted = 1 THEN 'second_source_counts_otherwise' END AS discard
FROM reached
