WITH offered AS (
  SELECT l.to_id AS storm, c.right_id, c.intersection_area_km2 AS common_km2, f.area_km2 AS whole_km2,
         row_number() OVER (PARTITION BY c.right_id ORDER BY md5('{salt}' || f.iri)) AS place
  FROM common c JOIN entity f ON f.id = c.left_id JOIN link l ON l.from_id = f.id AND l.kind = 'footprintOf'
  WHERE c.intersection_area_km2 BETWEEN 0.05 * f.area_km2 AND 0.95 * f.area_km2
)
SELECT o.storm AS A, o.right_id AS B, o.common_km2 AS answer, o.whole_km2 AS slip_whole_swept_area, b.area_km2 AS hint_whole_of_the_area,
       o.whole_km2 - o.common_km2 AS hint_outside_the_area,
       CASE WHEN NOT w.winds_complete THEN 'winds_unknown_at_a_fix' END AS discard
FROM offered o JOIN whole w ON w.id = o.storm JOIN entity b ON b.id = o.right_id WHERE o.place <= 6
