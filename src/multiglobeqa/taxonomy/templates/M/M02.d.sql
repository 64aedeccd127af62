-- UTM coordinates are scored as the point they stand for; hint_next_zone: the same easting and northing one zone on
SELECT z.id AS A, e.ref_lon AS answer_lon, e.ref_lat AS answer_lat, round((e.ref_lon + 186) % 360 - 180, 7) AS hint_next_zone_lon, e.ref_lat AS hint_next_zone_lat,
       CASE WHEN z.cell IS NULL THEN 'beyond_the_reach_of_utm' WHEN NOT z.stable THEN 'point_within_10_m_of_zone_edge' END AS discard
FROM zones z JOIN entity e ON e.id = z.id
