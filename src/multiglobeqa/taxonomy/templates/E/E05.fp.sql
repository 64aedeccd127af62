-- the widened scope: 5 km beyond an outline of a world map, else 1 km
WITH offered AS (
  SELECT c.*, s.scope_id IS NOT NULL AS held,
         row_number() OVER (PARTITION BY c.base_id, c.alike ORDER BY CASE WHEN s.scope_id IS NULL THEN 0 ELSE 1 END, c.pick) AS turn
  FROM changed c LEFT JOIN standing s ON s.scope_id = c.scope_id AND s.class = c.class
), nearest_members AS (
  SELECT e.left_id, e.group AS layer_class, count(*) AS size, array_agg(e.right_id) AS evidence FROM elsewhere e GROUP BY e.left_id, e.group
)
SELECT o.base_id, o.A, o.scope_id AS C, o.class AS p_class, CAST(NULL AS BIGINT) AS p_level, n.evidence,
       CASE WHEN o.held THEN 'member_in_the_widened_scope'
            WHEN n.size IS NULL OR n.size < 5 THEN 'fewer_than_5_elsewhere' END AS discard
FROM offered o LEFT JOIN nearest_members n ON n.left_id = o.scope_id AND n.layer_class = o.layer_class
WHERE o.turn <= 5
