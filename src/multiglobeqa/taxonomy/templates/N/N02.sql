-- hints: longitudes and latitudes exchanged; the long way round of what crosses the antimeridian
WITH sides AS (
  SELECT *, (north - south) * 111.2 AS height_km, ((east - west + 360) % 360) * 111.2 * cos(radians((north + south) / 2)) AS width_km,
         abs(west) <= 90 AND abs(east) <= 90 AND west < east AS swaps FROM m
)
SELECT id AS A, west AS answer_west, south AS answer_south, east AS answer_east, north AS answer_north,
       CASE WHEN swaps THEN south END AS hint_axes_swapped_west, CASE WHEN swaps THEN west END AS hint_axes_swapped_south,
       CASE WHEN swaps THEN north END AS hint_axes_swapped_east, CASE WHEN swaps THEN east END AS hint_axes_swapped_north,
       CASE WHEN west > east THEN -180.0 END AS hint_whole_circle_west, CASE WHEN west > east THEN south END AS hint_whole_circle_south,
       CASE WHEN west > east THEN 180.0 END AS hint_whole_circle_east, CASE WHEN west > east THEN north END AS hint_whole_circle_north,
       CASE WHEN least(height_km, width_km) < 0.1 THEN 'side_below_100_m'
            WHEN greatest(height_km, width_km) > 20 * least(height_km, width_km) THEN 'aspect_above_20' END AS discard
FROM sides
