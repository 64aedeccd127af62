WITH offered AS (
  SELECT *, row_number() OVER (PARTITION BY a_id ORDER BY md5('{salt}' || CAST(b_id AS STRING) || '/' || CAST(c_id AS STRING))) AS place
  FROM track WHERE along_km > 0.02 * route_km AND along_km < 0.98 * route_km
)
SELECT a_id AS A, b_id AS B, c_id AS C, CASE WHEN cross_km > 0 THEN 'right' ELSE 'left' END AS answer,
       CASE WHEN ((c.ref_lon - b.ref_lon + 540) % 360 - 180) * (a.ref_lat - b.ref_lat)
                 > ((a.ref_lon - b.ref_lon + 540) % 360 - 180) * (c.ref_lat - b.ref_lat) THEN 'left' ELSE 'right' END AS hint_planar,
       CASE WHEN abs(cross_km) < greatest(0.02 * route_km, 0.02) THEN 'within_2_percent_of_the_route' END AS discard
FROM offered JOIN entity a ON a.id = a_id JOIN entity b ON b.id = b_id JOIN entity c ON c.id = c_id WHERE place <= 2
