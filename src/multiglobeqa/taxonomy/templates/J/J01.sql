WITH turned AS (
  SELECT left_id, right_id, centre_km, abs((azimuth_deg - {bearing} + 540) % 360 - 180) AS off, abs((rhumb_deg - {bearing} + 540) % 360 - 180) AS rhumb_off
  FROM d
)
SELECT right_id AS A, left_id AS B, off < 45 AS answer,
       CASE WHEN centre_km > 2000 THEN 'farther_than_2000_km' WHEN centre_km < 0.05 THEN 'closer_than_50_m'
            WHEN off > 40 AND off < 95 THEN 'near_the_sector_edge'
            WHEN (off < 45) <> (rhumb_off < 45) OR (off > 95) <> (rhumb_off > 95) THEN 'rhumb_bearing_differs' END AS discard
FROM turned
