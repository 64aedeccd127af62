WITH boxed AS (
  SELECT m.id, m.lon, m.lat, (m.south + m.north) / 2 AS box_lat,
         m.west + ((m.east - m.west + 360) % 360) / 2 AS box_lon
  FROM m
)
SELECT b.id AS A, b.lon AS answer_lon, b.lat AS answer_lat,
       CASE WHEN e.main_share < 0.95 THEN 'largest_part_below_95_percent'
            WHEN 111.2 * sqrt(power(b.lat - b.box_lat, 2)
                 + power(((b.lon - b.box_lon + 540) % 360 - 180) * cos(radians(b.lat)), 2)) < 10 THEN 'box_centre_within_10_km' END AS discard
FROM boxed b JOIN entity e ON e.id = b.id
