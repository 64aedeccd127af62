-- hint_planar: degrees of longitude and latitude taken as equally long
WITH placed AS (
  SELECT left_id, right_id, centre_km, CASE WHEN isnan(azimuth_deg) THEN 0 ELSE azimuth_deg END AS azimuth_deg,
         CASE WHEN isnan(rhumb_deg) THEN 0 ELSE rhumb_deg END AS rhumb_deg,
         CASE WHEN a.ref_lat = b.ref_lat AND a.ref_lon = b.ref_lon THEN 0
              ELSE (degrees(atan2((b.ref_lon - a.ref_lon + 540) % 360 - 180, b.ref_lat - a.ref_lat)) + 360) % 360 END AS planar_deg
  FROM d JOIN entity a ON a.id = left_id JOIN entity b ON b.id = right_id -- coincident points have no direction; discarded below
), turned AS (
  SELECT left_id, right_id, centre_km, 360.0 / {winds} AS width,
         CAST(floor((azimuth_deg + 180.0 / {winds}) / (360.0 / {winds})) AS BIGINT) % {winds} AS sector,
         CAST(floor((rhumb_deg + 180.0 / {winds}) / (360.0 / {winds})) AS BIGINT) % {winds} AS rhumb_sector,
         CAST(floor((planar_deg + 180.0 / {winds}) / (360.0 / {winds})) AS BIGINT) % {winds} AS planar_sector,
         (azimuth_deg + 180.0 / {winds}) % (360.0 / {winds}) AS into_sector
  FROM placed
), names AS (
  SELECT * FROM (VALUES {names}) AS n(sector, name)
)
SELECT t.left_id AS A, t.right_id AS B, n.name AS answer, CAST({winds} AS BIGINT) AS p_winds, m.name AS hint_planar,
       CASE WHEN t.centre_km > 2000 THEN 'farther_than_2000_km' WHEN t.centre_km < 0.05 THEN 'closer_than_50_m'
            WHEN least(t.into_sector, t.width - t.into_sector) < 5 THEN 'within_5_degrees_of_the_sector_edge'
            WHEN t.sector <> t.rhumb_sector THEN 'rhumb_bearing_differs' END AS discard
FROM turned t JOIN names n ON n.sector = t.sector JOIN names m ON m.sector = t.planar_sector
