SELECT x.parent_id AS B, x.class AS p_class, {expression} AS answer, array_agg(DISTINCT x.id) || array_agg(DISTINCT y.id) AS members
FROM chosen x JOIN chosen y ON x.parent_id = y.parent_id AND x.class = y.class AND x.id < y.id
JOIN d ON d.left_id = x.id AND d.right_id = y.id
GROUP BY x.parent_id, x.class
