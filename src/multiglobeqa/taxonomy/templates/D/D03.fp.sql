-- absence: nothing of the class within 4 thresholds of the line (2 km more, for the world map's outlines)
WITH near AS (
  SELECT r.left_id AS line, p.class, min(r.distance_km) AS least_km FROM reached r JOIN possible p ON p.id = r.right_id GROUP BY r.left_id, p.class
), proof AS (
  SELECT l.left_id AS line, e.class, count(*) AS size, array_agg(l.right_id) AS evidence
  FROM elsewhere l JOIN entity e ON e.id = l.right_id GROUP BY l.left_id, e.class
), told AS (
  SELECT o.base_id, o.line, o.class, p.evidence,
         CASE WHEN n.class IS NOT NULL THEN 'member_within_4_thresholds'
              WHEN p.size IS NULL OR p.size < 5 THEN 'fewer_than_5_elsewhere' END AS discard
  FROM offered o LEFT JOIN near n ON n.line = o.line AND n.class = o.class
  LEFT JOIN proof p ON p.line = o.line AND p.class = o.class
)
SELECT base_id, line AS B, class AS p_class, evidence, discard FROM (
  SELECT *, row_number() OVER (PARTITION BY base_id ORDER BY CASE WHEN discard IS NULL THEN 0 ELSE 1 END,
                               md5('{salt}' || CAST(base_id AS STRING) || '/' || CAST(line AS STRING) || class)) AS place FROM told
) AS ranked WHERE place <= 5
