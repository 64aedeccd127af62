SELECT id AS A, area_km2 AS answer, CAST(NULL AS STRING) AS discard FROM swept
