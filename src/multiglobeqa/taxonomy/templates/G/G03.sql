SELECT m.id AS A, m.centroid_shift_km AS answer,
       CASE WHEN NOT isnan(f.centroid_shift_km) THEN f.centroid_shift_km END AS hint_a_tenth_of_the_tolerances,
       CASE WHEN isnan(m.centroid_shift_km) THEN 'simplified_outline_not_stable' END AS discard
FROM m LEFT JOIN first f ON f.id = m.id
