SELECT id AS A, area_km2 AS answer, CAST(NULL AS VARCHAR) AS discard FROM swept
