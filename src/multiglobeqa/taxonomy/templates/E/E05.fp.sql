-- the widened scope: 5 km beyond an outline of a world map, else 1 km
WITH nearest_members AS (
  SELECT e.left_id, e.group AS layer_class, count(*) AS size, array_agg(e.right_id) AS evidence FROM elsewhere e GROUP BY e.left_id, e.group
), told AS (
  SELECT c.*, n.evidence,
         CASE WHEN s.scope_id IS NOT NULL THEN 'member_in_the_widened_scope'
              WHEN n.size IS NULL OR n.size < 5 THEN 'fewer_than_5_elsewhere' END AS discard
  FROM changed c LEFT JOIN standing s ON s.scope_id = c.scope_id AND s.class = c.class
  LEFT JOIN nearest_members n ON n.left_id = c.scope_id AND n.layer_class = c.layer_class
)
SELECT base_id, A, scope_id AS C, class AS p_class, CAST(NULL AS BIGINT) AS p_level, evidence, discard FROM (
  SELECT *, row_number() OVER (PARTITION BY base_id, alike, discard ORDER BY pick) AS turn FROM told
) AS ordered WHERE turn <= 5
