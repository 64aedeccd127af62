-- outlines of world maps are simplified at 0.9 km: what lies nearer to a boundary is in doubt there
-- a divided road's length may be counted twice; parts of a road that bear one name may be one road
-- the false ones name the area that holds the second, else the nearest
WITH ordered AS (
  SELECT *, row_number() OVER (PARTITION BY c_id, class, level, outside <= 0.001
                               ORDER BY CASE WHEN second_outside <= 0.001 THEN 0 ELSE 1 END, centre_km, a_id) AS place
  FROM offered
)
SELECT o.a_id AS A, o.c_id AS C, o.class AS p_class, CAST(NULLIF(o.level, -1) AS BIGINT) AS p_level,
       o.outside <= 0.001 AS answer, g.members,
       CASE WHEN abs(g.first_value - g.second_value) <= 0.02 * greatest(g.first_value, g.second_value)
              THEN 'second_within_2_percent'
            WHEN d.half_outside > 0 THEN 'rival_partly_outside'
            WHEN d.not_plain > 0 THEN 'lines_cut_or_divided'
            WHEN d.in_parts > 0 THEN 'line_in_parts_of_one_name'
            WHEN o.outside > 0.001 AND o.outside < o.clear THEN 'partly_outside'
            WHEN o.finer OR o.clear = 0.2 AND abs(g.first_value - g.second_value) < 0.3 * sqrt(greatest(g.first_value, g.second_value))
              THEN 'boundary_finer_than_the_map'
            WHEN '{kind}' = 'line' AND o.outside <= 0.001 AND o.wall_km < 0.001 THEN 'line_meets_the_boundary' END AS discard
FROM ordered o JOIN graded g ON g.c_id = o.c_id AND g.class = o.class AND g.level = o.level
JOIN doubts d ON d.c_id = o.c_id AND d.class = o.class AND d.level = o.level
WHERE o.place <= 2
