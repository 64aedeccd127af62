-- two roads may be drawn in either order: each pair is asked once
SELECT c.left_id AS A, c.right_id AS B, c.crossing_points AS answer,
       CASE WHEN a.class = 'storm' THEN 'the track of the centre of ' ELSE '' END AS p_lead,
       CASE WHEN c.shares_segment THEN 'shared_segment' WHEN NOT t.crossing THEN 'touch_without_crossing'
            WHEN a.class = 'storm' AND b.class = 'border' AND c.crossing_points_apart <> c.crossing_points THEN 'crossings_hang_on_detail' END AS discard
FROM crossed c JOIN met t ON t.left_id = c.left_id AND t.right_id = c.right_id
JOIN entity a ON a.id = c.left_id JOIN entity b ON b.id = c.right_id
WHERE (a.cell = b.cell AND a.layer = b.layer AND (a.class < b.class OR a.class = b.class AND a.id < b.id)) OR a.class = 'storm'
