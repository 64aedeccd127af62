-- hint_unsimplified: the boundary as it is stored
WITH scaled AS (
  SELECT id, 1.0 AS scale_km, {metric} AS value FROM at_1 UNION ALL SELECT id, 5.0, {metric} FROM at_5
)
SELECT s.id AS A, CAST(s.scale_km AS DOUBLE) AS p_scale_km, s.value AS answer, round(u.{metric}, 6) AS hint_unsimplified, {slip},
       CASE WHEN isnan(s.value) THEN 'simplified_outline_not_stable' WHEN s.value < {least} THEN 'below_{least}' END AS discard
FROM scaled s JOIN unsimplified u ON u.id = s.id
