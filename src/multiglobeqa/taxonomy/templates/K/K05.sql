WITH scaled AS (
  SELECT id, 1.0 AS scale_km, {metric} AS value FROM at_1 UNION ALL SELECT id, 5.0, {metric} FROM at_5
)
SELECT b.id AS A, CAST(b.scale_km AS DOUBLE) AS p_scale_km, b.value AS answer,
       CASE WHEN e.area_km2 < 400 * b.scale_km * b.scale_km THEN 'too_small_for_the_scale'
            WHEN isnan(b.value) THEN 'simplified_outline_not_stable' WHEN b.value < {least} THEN 'below_{least}' END AS discard
FROM scaled b JOIN entity e ON e.id = b.id
