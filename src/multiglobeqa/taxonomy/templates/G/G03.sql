SELECT m.id AS A, m.centroid_shift_km AS answer,
       CASE WHEN NOT isnan(f.centroid_shift_km) THEN f.centroid_shift_km END AS hint_a_tenth_of_the_tolerances,
       CASE WHEN m.cause = 'ends_not_unique' THEN 'ends_not_unique'
            WHEN m.cause = 'hangs_on_the_tolerance' THEN 'hangs_on_the_tolerance'
            WHEN m.cause = 'simplified_outline_not_valid' THEN 'simplified_outline_not_valid'
            WHEN m.cause IS NOT NULL THEN 'simplified_outline_not_stable' END AS discard
FROM m LEFT JOIN first f ON f.id = m.id
WHERE f.id IS NOT NULL OR m.cause IS NOT NULL OR m.centroid_shift_km < 2
