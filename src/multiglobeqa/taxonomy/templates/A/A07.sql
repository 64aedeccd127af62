WITH summed AS (
  SELECT a.parent_id, a.class, a.target_class, m.id, CAST(sum(CAST(d.distance_km AS DECIMAL(18, 6))) AS DOUBLE) AS total,
         max(d.distance_km) AS maximum, min(d.distance_km) AS minimum
  FROM asked a JOIN held m ON m.parent_id = a.parent_id AND m.class = a.class
  JOIN held t ON t.parent_id = a.parent_id AND t.class = a.target_class
  JOIN d ON d.left_id = m.id AND d.right_id = t.id
  GROUP BY a.parent_id, a.class, a.target_class, m.id
), ranked AS (
  SELECT *, {aggregate} AS value, row_number() OVER (PARTITION BY parent_id, class, target_class ORDER BY {aggregate}, id) AS place,
         row_number() OVER (PARTITION BY parent_id, class, target_class ORDER BY {other}, id) AS place_by_other,
         row_number() OVER (PARTITION BY parent_id, class, target_class ORDER BY minimum, id) AS place_by_nearest,
         row_number() OVER (PARTITION BY parent_id, class, target_class ORDER BY {aggregate} DESC, id) AS place_from_end
  FROM summed
), chosen AS (
  SELECT parent_id, class, target_class, max(CASE WHEN place = 1 THEN id END) AS best, array_agg(id) AS candidates,
         max(CASE WHEN place = 1 THEN value END) AS first, max(CASE WHEN place = 2 THEN value END) AS second,
         max(CASE WHEN place_by_other = 1 THEN id END) AS slip_{other}, max(CASE WHEN place_by_nearest = 1 THEN id END) AS slip_nearest,
         max(CASE WHEN place_from_end = 1 THEN id END) AS slip_largest
  FROM ranked GROUP BY parent_id, class, target_class
), targets AS (
  SELECT a.parent_id, a.class, a.target_class, array_agg(t.id) AS ids FROM asked a
  JOIN held t ON t.parent_id = a.parent_id AND t.class = a.target_class GROUP BY a.parent_id, a.class, a.target_class
)
SELECT c.parent_id AS B, c.class AS p_class, c.target_class AS p_target_class, c.best AS answer_ids, c.candidates || t.ids AS members,
       c.slip_{other}, c.slip_nearest, c.slip_largest,
       CASE WHEN u.parent_id IS NOT NULL THEN 'member_of_unknown_parent'
            WHEN c.second - c.first < 0.02 * c.second THEN 'ranks_within_2_percent'
            WHEN c.second - c.first < 0.05 THEN 'ranks_within_50_m' END AS discard
FROM chosen c JOIN targets t ON t.parent_id = c.parent_id AND t.class = c.class AND t.target_class = c.target_class
LEFT JOIN (SELECT a.parent_id, a.class, a.target_class FROM asked a JOIN doubtful d
           ON d.parent_id = a.parent_id AND d.class IN (a.class, a.target_class)
           GROUP BY a.parent_id, a.class, a.target_class) u
  ON u.parent_id = c.parent_id AND u.class = c.class AND u.target_class = c.target_class
