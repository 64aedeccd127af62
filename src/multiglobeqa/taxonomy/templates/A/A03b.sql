WITH named AS (
  SELECT s.left_id, s.right_id, count(*) AS events FROM spans s JOIN entity e ON e.class = s.class AND e.name = s.name
    AND substr(CAST(e.time_start AS STRING), 1, 10) <= s.ends AND substr(CAST(e.time_end AS STRING), 1, 10) >= s.begins
  GROUP BY s.left_id, s.right_id
)
SELECT d.left_id AS A, d.right_id AS B, r.region_id AS C, d.distance_km AS answer, d.begins AS p_period_start, d.ends AS p_period_end,
       s.whole_km AS hint_whole_track, d.fix_km AS hint_nearest_fix,
       CASE WHEN n.events <> 1 THEN 'several_events_of_that_name'
            WHEN d.distance_km = 0 THEN 'track_passes_over'
            WHEN NOT d.at_fixes THEN 'period_ends_between_fixes'
            WHEN abs(d.distance_km - d.dated_km) > 0.001 * d.distance_km THEN 'nearest_after_the_last_fix_of_a_day' END AS discard
FROM d JOIN spans s ON s.left_id = d.left_id AND s.right_id = d.right_id JOIN named n ON n.left_id = d.left_id AND n.right_id = d.right_id
JOIN regions r ON r.place_id = d.right_id
