WITH ranked AS (
  SELECT *, row_number() OVER (PARTITION BY parent_id, class ORDER BY reach_km DESC, id) AS rank,
         row_number() OVER (PARTITION BY parent_id, class ORDER BY reach_km, id) AS last
  FROM members
)
SELECT r.parent_id AS B, r.class AS p_class, max(CASE WHEN rank = 1 THEN id END) AS answer_ids,
       array_agg(id) AS members,
       max(CASE WHEN rank = 2 THEN id END) AS slip_second, max(CASE WHEN last = 1 THEN id END) AS slip_opposite,
       CASE WHEN max(CASE WHEN rank = 1 THEN reach_km END) - max(CASE WHEN rank = 2 THEN reach_km END)
                 < greatest(1, 0.02 * max(extent_km)) THEN 'second_is_too_close'
            WHEN count(u.class) > 0 THEN 'member_of_unknown_parent' END AS discard
FROM ranked r LEFT JOIN doubtful u ON u.parent_id = r.parent_id AND u.class = r.class GROUP BY r.parent_id, r.class
