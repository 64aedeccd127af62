WITH scaled AS (
  SELECT id, 1.0 AS scale_km, {metric} AS value FROM at_1 UNION ALL SELECT id, 5.0, {metric} FROM at_5
)
SELECT id AS A, CAST(scale_km AS DOUBLE) AS p_scale_km, value AS answer,
       CASE WHEN isnan(value) THEN 'simplified_outline_not_stable' WHEN value < {least} THEN 'below_{least}' END AS discard
FROM scaled
