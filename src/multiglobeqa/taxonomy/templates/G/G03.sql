SELECT id AS A, centroid_shift_km AS answer, CASE WHEN isnan(centroid_shift_km) THEN 'simplified_away_or_invalid' END AS discard FROM m
