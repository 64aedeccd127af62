WITH met_units AS (
  SELECT r.left_id, u.x_id, u.class, u.level, r.right_id, r.inside_km
  FROM runs r JOIN units u ON u.id = r.right_id
), grouped AS (
  SELECT left_id, x_id, class, level,
         array_agg(CASE WHEN inside_km >= {min_km} THEN right_id END) AS members,
         count(CASE WHEN inside_km >= {min_km} THEN 1 END) AS size,
         count(CASE WHEN inside_km < {min_km} THEN 1 END) AS brief,
         row_number() OVER (PARTITION BY x_id ORDER BY md5('{salt}' || CAST(left_id AS VARCHAR) || '/' || CAST(level AS VARCHAR))) AS place
  FROM met_units GROUP BY left_id, x_id, class, level
)
SELECT left_id AS B, x_id AS X, class AS p_class, CAST(level AS BIGINT) AS p_level, members, size AS answer,
       CASE WHEN brief > 0 THEN 'area_crossed_too_briefly' END AS discard
FROM grouped WHERE place <= 40
