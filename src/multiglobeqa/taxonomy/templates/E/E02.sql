-- a country's number of units must be the one that a second source states; everywhere the units fill the area
SELECT o.parent_id AS B, o.class AS p_class, CAST(NULLIF(o.level, -1) AS BIGINT) AS p_level, o.size AS answer,
       o.members,
       NULLIF(m.meeting, o.size) AS slip_all_that_meet, NULLIF(o.other_size, o.size) AS slip_other_level,
       CASE WHEN o.of_class = 'country' AND (s.units IS NULL OR s.units <> o.size) THEN 'second_source_counts_otherwise'
            WHEN abs(o.area_km2 - o.whole_km2) > 0.01 * o.whole_km2 THEN 'units_do_not_fill_area' END AS discard
FROM offered o LEFT JOIN stated_units s ON s.id = o.parent_id
LEFT JOIN (
  SELECT t.left_id, e.class, coalesce(e.level, -1) AS level, count(*) AS meeting FROM met t JOIN entity e
         ON e.id = t.right_id
  GROUP BY t.left_id, e.class, coalesce(e.level, -1)
) AS m ON m.left_id = o.parent_id AND m.class = o.class AND m.level = o.level
