-- east and west hold only where the component is nearly the same at either latitude (rule of row A02)
SELECT left_id AS B, right_id AS A, {sign} * {axis}_km AS answer,
       distance_km AS slip_whole_distance, abs({other}_km) AS hint_other_component,
       CASE WHEN {sign} * {axis}_km <= 0 THEN 'on_the_other_side'
            WHEN abs({axis}_km) < 0.2 * distance_km THEN 'component_below_20_percent'
            WHEN '{axis}' = 'east' AND greatest(abs(east_km - east_far_km), abs(east_km - parallel_km))
                 >= greatest(CASE WHEN abs(east_km) < 50 THEN 0.5 WHEN abs(east_km) < 500 THEN 5 ELSE 10 END,
                             0.05 * abs(east_km)) / 2 THEN 'component_depends_on_latitude'
       END AS discard
FROM d
