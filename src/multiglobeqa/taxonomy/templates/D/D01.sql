WITH met_units AS (
  SELECT r.left_id, u.x_id, u.class, u.level, r.right_id, r.inside_km, t.touches
  FROM runs r JOIN units u ON u.id = r.right_id JOIN met t ON t.left_id = r.left_id AND t.right_id = r.right_id
), grouped AS (
  SELECT left_id, x_id, class, level,
         array_agg(CASE WHEN inside_km >= {min_km} THEN right_id END) AS answer_ids,
         count(CASE WHEN inside_km >= {min_km} THEN 1 END) AS size,
         count(CASE WHEN inside_km < {min_km} THEN 1 END) AS brief,
         count(CASE WHEN inside_km >= {min_km} AND touches THEN 1 END) AS along,
         row_number() OVER (PARTITION BY x_id ORDER BY md5('{salt}' || CAST(left_id AS STRING) || '/' || CAST(level AS STRING))) AS place
  FROM met_units GROUP BY left_id, x_id, class, level
), others AS (
  SELECT left_id, x_id, class, level, array_agg(CASE WHEN turn <= 10 THEN id END) AS evidence FROM (
    SELECT g.left_id, g.x_id, g.class, g.level, u.id,
           row_number() OVER (PARTITION BY g.left_id, g.x_id, g.class, g.level ORDER BY md5('{salt}' || CAST(u.id AS STRING))) AS turn
    FROM grouped g JOIN units u ON u.x_id = g.x_id AND u.class = g.class AND u.level = g.level
    LEFT JOIN runs r ON r.left_id = g.left_id AND r.right_id = u.id WHERE r.right_id IS NULL
  ) AS apart GROUP BY left_id, x_id, class, level
), everywhere AS (
  SELECT r.left_id, e.class, e.level, array_agg(r.right_id) AS ids, count(*) AS size
  FROM runs r JOIN entity e ON e.id = r.right_id WHERE r.inside_km >= {min_km} GROUP BY r.left_id, e.class, e.level
), placed AS (
  SELECT g.*, d.id AS doubted, row_number() OVER (PARTITION BY x.cell, g.size, g.brief + g.along, d.id IS NULL ORDER BY g.place, md5('{salt}/' || CAST(g.left_id AS STRING) || '/' || CAST(g.x_id AS STRING))) AS of_size
  FROM grouped g JOIN entity x ON x.id = g.x_id LEFT JOIN doubted_units d ON d.id = g.x_id
)
SELECT g.left_id AS B, g.x_id AS X, g.class AS p_class, CAST(g.level AS BIGINT) AS p_level, o.evidence, g.size AS answer, g.answer_ids, {slips},
       CASE WHEN g.doubted IS NOT NULL THEN 'second_source_counts_otherwise'
            WHEN g.brief > 0 THEN 'area_crossed_too_briefly' WHEN g.along > 0 THEN 'line_runs_on_a_boundary' END AS discard
FROM placed g LEFT JOIN everywhere w ON w.left_id = g.left_id AND w.class = g.class AND w.level = g.level
LEFT JOIN others o ON o.left_id = g.left_id AND o.x_id = g.x_id AND o.class = g.class AND o.level = g.level
WHERE g.place <= 40 AND g.of_size <= CASE WHEN g.size = 1 THEN least({per_size}, 12) ELSE {per_size} END
