-- absence: nothing of the class, of its siblings, or tagged as either, within the radius widened by max(1 km, 2 radii)
WITH asked AS (
  SELECT o.base_id, o.centre, o.class, x.p_radius_km + greatest(1.0, 2 * x.p_radius_km) AS clear_km
  FROM offered o JOIN base x ON x.base_id = o.base_id
), near AS (
  SELECT r.left_id AS centre, p.class, min(r.distance_km) AS least_km FROM reached r JOIN possible p ON p.id = r.right_id
  GROUP BY r.left_id, p.class
), proof AS (
  SELECT l.left_id AS centre, e.class, count(*) AS size, array_agg(l.right_id) AS evidence
  FROM elsewhere l JOIN entity e ON e.id = l.right_id GROUP BY l.left_id, e.class
), told AS (
  SELECT a.base_id, a.centre, a.class, p.evidence,
         CASE WHEN n.least_km <= a.clear_km THEN 'member_in_the_widened_scope'
              WHEN b.edge_km <= a.clear_km THEN 'scope_near_the_edge'
              WHEN p.size IS NULL OR p.size < 5 THEN 'fewer_than_5_elsewhere' END AS discard
  FROM asked a JOIN entity b ON b.id = a.centre
  LEFT JOIN near n ON n.centre = a.centre AND n.class = a.class
  LEFT JOIN proof p ON p.centre = a.centre AND p.class = a.class
)
SELECT base_id, centre AS B, class AS p_class, evidence, discard FROM (
  SELECT *, row_number() OVER (PARTITION BY base_id, CASE WHEN discard IS NULL THEN 0 ELSE 1 END ORDER BY
                               md5('{salt}' || CAST(base_id AS STRING) || '/' || CAST(centre AS STRING) || class)) AS place FROM told
) AS ranked WHERE place <= 5
