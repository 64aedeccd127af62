-- sets of one member are offered last: at most 30 % of the questions may have one
WITH turned AS (
  SELECT a.*, abs((c.azimuth_deg - {bearing} + 540) % 360 - 180) AS off,
         abs((c.rhumb_deg - {bearing} + 540) % 360 - 180) AS rhumb_off,
         abs((b.azimuth_deg - {bearing} + 540) % 360 - 180) AS b_off, c.centre_km
  FROM asked a LEFT JOIN seen c ON c.left_id = a.c_id AND c.right_id = a.right_id
  LEFT JOIN seen b ON b.left_id = a.left_id AND b.right_id = a.right_id
), grouped AS (
  SELECT left_id, c_id, class, radius_km, min(abs(distance_km - radius_km)) AS margin,
         min(CASE WHEN inside THEN centre_km END) AS least_km, min(CASE WHEN inside THEN abs(off - 45) END) AS turn,
         max(CASE WHEN inside AND (off < 45) <> (rhumb_off < 45) THEN 1 ELSE 0 END) AS differs,
         count(CASE WHEN inside AND off < 45 THEN 1 END) AS size,
         array_agg(CASE WHEN inside AND off < 45 THEN right_id END) AS answer_ids,
         array_agg(CASE WHEN NOT (inside AND off < 45) AND place <= 60 THEN right_id END) AS evidence,
         array_agg(CASE WHEN inside THEN right_id END) AS all_ids, count(CASE WHEN inside THEN 1 END) AS all_size,
         array_agg(CASE WHEN inside AND b_off < 45 THEN right_id END) AS from_b,
         max(CASE WHEN inside AND (b_off < 45) <> (off < 45) THEN 1 ELSE 0 END) AS other_from_b
  FROM turned GROUP BY left_id, c_id, class, radius_km
), offered AS (
  SELECT *, row_number() OVER (PARTITION BY left_id ORDER BY CASE WHEN size > 1 THEN 0 ELSE 1 END,
         md5('{salt}' || CAST(left_id AS STRING) || class || CAST(radius_km AS STRING))) AS pick
  FROM grouped WHERE size BETWEEN 1 AND 30 AND all_size > size
)
SELECT o.left_id AS B, o.c_id AS C, o.class AS p_class, o.radius_km AS p_radius_km, o.answer_ids, o.evidence,
       o.all_ids AS slip_any_direction,
       CASE WHEN o.other_from_b = 1 THEN o.from_b END AS slip_seen_from_b,
       CASE WHEN o.margin < 0.02 * o.radius_km THEN 'member_within_2_percent_of_radius'
            WHEN o.turn < 5 THEN 'member_near_the_sector_edge'
            WHEN o.differs = 1 THEN 'rhumb_bearing_differs'
            WHEN o.least_km < CASE WHEN o.radius_km > 5 THEN 1 ELSE 0.05 END THEN 'member_too_close_to_c'
            WHEN o.class = 'settlement' AND u.least_km <= 1.02 * o.radius_km THEN 'place_of_unknown_size_in_reach' END AS discard
FROM offered o LEFT JOIN unsized u ON u.left_id = o.left_id WHERE o.pick <= 4
