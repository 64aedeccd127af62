WITH turned AS (
  SELECT left_id, right_id, centre_km, 360.0 / {winds} AS width,
         CAST(floor((azimuth_deg + 180.0 / {winds}) / (360.0 / {winds})) AS BIGINT) % {winds} AS sector,
         CAST(floor((rhumb_deg + 180.0 / {winds}) / (360.0 / {winds})) AS BIGINT) % {winds} AS rhumb_sector,
         (azimuth_deg + 180.0 / {winds}) % (360.0 / {winds}) AS into_sector
  FROM (
    SELECT left_id, right_id, centre_km, CASE WHEN isnan(azimuth_deg) THEN 0 ELSE azimuth_deg END AS azimuth_deg,
           CASE WHEN isnan(rhumb_deg) THEN 0 ELSE rhumb_deg END AS rhumb_deg
    FROM d
  ) AS headed -- coincident points have no direction; they are discarded below
)
SELECT t.left_id AS A, t.right_id AS B, n.name AS answer, CAST({winds} AS BIGINT) AS p_winds,
       CASE WHEN t.centre_km > 2000 THEN 'farther_than_2000_km' WHEN t.centre_km < 0.05 THEN 'closer_than_50_m'
            WHEN least(t.into_sector, t.width - t.into_sector) < 5 THEN 'within_5_degrees_of_the_sector_edge'
            WHEN t.sector <> t.rhumb_sector THEN 'rhumb_bearing_differs' END AS discard
FROM turned t JOIN (VALUES {names}) AS n(sector, name) ON n.sector = t.sector
