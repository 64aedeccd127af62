-- on a world map, whose outlines are simplified at 0.9 km, ranks must stand apart by what that may change
WITH ranked AS (
  SELECT m.parent_id, m.class, m.level, m.id, s.{column} AS value, m.main_share,
         (e.west <= -180) <> (e.east >= 180) AS ends_at_seam,
         CASE WHEN e.extent = 'world' THEN {need} ELSE 0 END AS need,
         row_number() OVER (PARTITION BY m.parent_id, m.class, m.level ORDER BY {sign} * s.{column} DESC, m.id) AS rank,
         row_number() OVER (PARTITION BY m.parent_id, m.class, m.level ORDER BY {sign} * s.{column}, m.id) AS last,
         row_number() OVER (PARTITION BY m.parent_id, m.class, m.level ORDER BY {sign} * {turn} * s.{instead} DESC,
           m.id) AS other_rank
  FROM members m JOIN sizes s ON s.id = m.id JOIN entity e ON e.id = m.id
), beside_first AS (
  SELECT *, max(CASE WHEN rank = 1 THEN value END) OVER (PARTITION BY parent_id, class, level) AS first_value,
         max(CASE WHEN rank = 1 THEN need END) OVER (PARTITION BY parent_id, class, level) AS first_need
  FROM ranked
)
SELECT parent_id AS B, class AS p_class, CAST(NULLIF(level, -1) AS BIGINT) AS p_level, max(CASE WHEN rank = 1
       THEN id END) AS answer_ids,
       array_agg(id) AS members, max(CASE WHEN rank = 2 THEN id END) AS slip_second, max(CASE WHEN last = 1
              THEN id END) AS slip_opposite,
       max(CASE WHEN other_rank = 1 AND rank > 1 THEN id END) AS slip_by_{instead},
       CASE WHEN class = 'admin1' AND parent_id IN (SELECT id FROM doubted_units) THEN 'second_source_counts_otherwise'
            WHEN class = 'natural_earth_lake' AND parent_id IN (SELECT parent_id FROM partly) THEN 'boundary_finer_than_the_map'
            WHEN max(CASE WHEN isnan(value) THEN 1 ELSE 0 END) = 1 THEN 'value_not_a_number'
            WHEN '{measure}' = 'perimeter' AND bool_or(ends_at_seam) THEN 'ends_at_the_antimeridian'
            WHEN abs(max(CASE WHEN rank = 1 THEN value END) - max(CASE WHEN rank = 2 THEN value END))
                 <= 0.02 * greatest(max(CASE WHEN rank = 1 THEN value END), max(CASE WHEN rank = 2 THEN value END))
                   THEN 'second_within_2_percent'
            WHEN '{measure}' = 'elongation' AND min(main_share) < 0.95 THEN 'largest_part_below_95_percent'
            WHEN max(CASE WHEN rank > 1 AND abs(value - first_value) < greatest(need, first_need) THEN 1 ELSE 0 END) = 1
              THEN 'rank_finer_than_the_map' END AS discard
FROM beside_first GROUP BY parent_id, class, level
