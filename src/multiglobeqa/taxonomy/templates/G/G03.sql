SELECT id AS A, centroid_shift_km AS answer, CASE WHEN centroid_shift_km IS NULL THEN 'simplified_away_or_invalid' END AS discard FROM m
