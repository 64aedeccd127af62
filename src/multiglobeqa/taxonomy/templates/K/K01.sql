SELECT p.left_id AS A, p.right_id AS B, {sign} * (a.area_km2 - b.area_km2) > 0 AS answer,
       CASE WHEN abs(a.area_km2 - b.area_km2) < 0.05 * greatest(a.area_km2, b.area_km2) THEN 'areas_within_5_percent' END AS discard
FROM ab p JOIN sizes a ON a.id = p.left_id JOIN sizes b ON b.id = p.right_id
