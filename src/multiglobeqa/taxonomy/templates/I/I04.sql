SELECT s.id AS A, s.area_km2 AS answer, CASE WHEN NOT isnan(d.swept_km2) THEN d.swept_km2 END AS slip_diameter_as_radius, k.swept_km2 AS slip_nautical_miles_as_km,
       CASE WHEN NOT w.winds_complete THEN 'winds_unknown_at_a_fix' END AS discard
FROM swept s JOIN whole w ON w.id = s.id LEFT JOIN doubled d ON d.id = s.id LEFT JOIN shrunk k ON k.id = s.id
