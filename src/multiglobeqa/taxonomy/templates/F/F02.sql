WITH ranked AS (
  SELECT m.parent_id, m.class, m.level, m.id, s.{column} AS value, m.main_share, (e.west <= -180) <> (e.east >= 180) AS ends_at_seam,
         row_number() OVER (PARTITION BY m.parent_id, m.class, m.level ORDER BY {sign} * s.{column} DESC, m.id) AS rank
  FROM members m JOIN sizes s ON s.id = m.id JOIN entity e ON e.id = m.id
)
SELECT parent_id AS B, class AS p_class, CAST(NULLIF(level, -1) AS BIGINT) AS p_level, max(CASE WHEN rank = 1 THEN id END) AS answer_ids,
       array_agg(id) AS members,
       CASE WHEN max(CASE WHEN isnan(value) THEN 1 ELSE 0 END) = 1 THEN 'value_not_a_number'
            WHEN '{measure}' = 'perimeter' AND bool_or(ends_at_seam) THEN 'ends_at_the_antimeridian'
            WHEN abs(max(CASE WHEN rank = 1 THEN value END) - max(CASE WHEN rank = 2 THEN value END))
                 <= 0.02 * greatest(max(CASE WHEN rank = 1 THEN value END), max(CASE WHEN rank = 2 THEN value END)) THEN 'second_within_2_percent'
            WHEN '{measure}' = 'elongation' AND min(main_share) < 0.95 THEN 'largest_part_below_95_percent' END AS discard
FROM ranked GROUP BY parent_id, class, level
