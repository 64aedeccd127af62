WITH offered AS (
  SELECT l.to_id AS storm, c.right_id, c.intersection_area_km2 AS common_km2, f.area_km2 AS whole_km2,
         row_number() OVER (PARTITION BY c.right_id ORDER BY md5('{salt}' || f.iri)) AS place
  FROM common c JOIN entity f ON f.id = c.left_id JOIN link l ON l.from_id = f.id AND l.kind = 'footprintOf'
  WHERE c.intersection_area_km2 BETWEEN 0.05 * f.area_km2 AND 0.95 * f.area_km2
)
SELECT storm AS A, right_id AS B, common_km2 AS answer, CAST(NULL AS STRING) AS discard FROM offered WHERE place <= 4
