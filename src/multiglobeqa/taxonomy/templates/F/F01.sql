WITH ranked AS (
  SELECT *, row_number() OVER (PARTITION BY parent_id, class ORDER BY reach_km DESC, id) AS rank FROM members
)
SELECT parent_id AS B, class AS p_class, max(CASE WHEN rank = 1 THEN id END) AS answer_ids, array_agg(id) AS members,
       CASE WHEN max(CASE WHEN rank = 1 THEN reach_km END) - max(CASE WHEN rank = 2 THEN reach_km END)
                 < greatest(1, 0.02 * max(extent_km)) THEN 'second_is_too_close' END AS discard
FROM ranked GROUP BY parent_id, class
