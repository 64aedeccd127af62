SELECT id AS A, centroid_shift_km AS answer, CASE WHEN isnan(centroid_shift_km) THEN 'simplified_outline_not_stable' END AS discard FROM m
