WITH sides AS (
  SELECT *, (north - south) * 111.2 AS height_km, ((east - west + 360) % 360) * 111.2 * cos(radians((north + south) / 2)) AS width_km FROM m
)
SELECT id AS A, west AS answer_west, south AS answer_south, east AS answer_east, north AS answer_north,
       CASE WHEN least(height_km, width_km) < 0.1 THEN 'side_below_100_m'
            WHEN greatest(height_km, width_km) > 20 * least(height_km, width_km) THEN 'aspect_above_20' END AS discard
FROM sides
