WITH offered AS (
  SELECT n.left_id, n.right_id, n.distance_km, e.class, e.time_start, e.time_end, e.ref_lon AS a_lon, e.ref_lat AS a_lat, p.ref_lon AS b_lon, p.ref_lat AS b_lat,
         row_number() OVER (PARTITION BY n.right_id ORDER BY md5('{salt}' || e.iri || CAST(n.right_id AS STRING))) AS place
  FROM near n JOIN entity e ON e.id = n.left_id JOIN entity p ON p.id = n.right_id
  WHERE substr(md5(e.name || p.name), 1, 1) >= '8'  -- the other pairs are A03's
)
SELECT left_id AS A, right_id AS B, distance_km AS answer,
       CASE WHEN class = 'earthquake' THEN 6371 * 2 * asin(sqrt(least(1, power(sin(radians(a_lon - b_lon) / 2), 2)
            + cos(radians(a_lon)) * cos(radians(b_lon)) * power(sin(radians(a_lat - b_lat) / 2), 2)))) END AS hint_axes_swapped,
       CASE WHEN class = 'storm' THEN substr(CAST(time_start AS STRING), 1, 4) ELSE substr(CAST(time_start AS STRING), 1, 10) END AS p_day,
       CASE WHEN distance_km = 0 THEN 'track_passes_over'
            WHEN class = 'storm' AND substr(CAST(time_start AS STRING), 1, 4) <> substr(CAST(time_end AS STRING), 1, 4) THEN 'storm_of_two_years' END AS discard
FROM offered WHERE place <= 2
