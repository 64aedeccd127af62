-- the widened scope: 5 km beyond an outline of a world map, else 1 km
SELECT c.base_id, c.scope_id AS B, c.class AS p_class, n.evidence,
       CASE WHEN s.scope_id IS NOT NULL THEN 'member_in_the_widened_scope' END AS discard
FROM (
  SELECT *, row_number() OVER (PARTITION BY base_id ORDER BY CASE WHEN (scope_id, class) IN (SELECT scope_id, class FROM standing) THEN 1 ELSE 0 END, pick) AS turn FROM changed
) AS c LEFT JOIN standing s ON s.scope_id = c.scope_id AND s.class = c.class
JOIN (SELECT e.left_id, e.group AS layer_class, array_agg(e.right_id) AS evidence FROM elsewhere e GROUP BY e.left_id, e.group) AS n
  ON n.left_id = c.scope_id AND n.layer_class = c.layer_class
WHERE c.turn <= 5
