-- two roads or two tracks may be drawn in either order: each pair is asked once
WITH judged AS (
  SELECT c.left_id, c.right_id, b.cell, c.crossing_points, a.class AS a_class, b.class AS b_class,
         CASE WHEN c.shares_segment THEN 'shared_segment' WHEN NOT t.crossing THEN 'touch_without_crossing'
              WHEN a.class = 'storm' AND c.crossing_points_apart <> c.crossing_points THEN 'crossings_hang_on_detail'
              WHEN a.class = 'storm' AND e.crossing_end_least_km < 10 THEN 'crossing_near_an_end' END AS discard
  FROM crossed c JOIN met t ON t.left_id = c.left_id AND t.right_id = c.right_id
  JOIN ends e ON e.left_id = c.left_id AND e.right_id = c.right_id
  JOIN entity a ON a.id = c.left_id JOIN entity b ON b.id = c.right_id
  WHERE (a.cell = b.cell AND a.layer = b.layer AND a.class <> 'storm' AND (a.class < b.class OR a.class = b.class AND a.id < b.id))
     OR a.class = 'storm' AND (b.class <> 'storm' OR a.cell IS NULL OR a.id < b.id)
), placed AS (
  SELECT *, row_number() OVER (PARTITION BY cell, b_class, crossing_points, discard IS NULL ORDER BY md5('{salt}' || CAST(left_id AS STRING) || '/' || CAST(right_id AS STRING))) AS place
  FROM judged
)
SELECT left_id AS A, right_id AS B, crossing_points AS answer,
       CASE WHEN a_class = 'storm' THEN 'the track of the centre of ' ELSE '' END AS p_lead,
       CASE WHEN b_class = 'storm' THEN 'that of ' ELSE '' END AS p_lead_b, discard
FROM placed WHERE place <= 20
