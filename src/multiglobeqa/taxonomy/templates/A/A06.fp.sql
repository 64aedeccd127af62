-- absence: nothing of the class, of its siblings, or tagged as either, in the area or within 1 km of it (5 km on world maps)
WITH near AS (
  SELECT DISTINCT r.left_id AS area, p.class FROM reached r JOIN possible p ON p.id = r.right_id
  JOIN entity b ON b.id = r.left_id AND r.distance_km <= CASE WHEN b.extent = 'world' THEN 5 ELSE 1 END
  UNION SELECT h.parent_id AS area, p.class FROM held h JOIN possible p ON p.id = h.child_id
), proof AS (
  SELECT l.left_id AS area, e.class, count(*) AS size, array_agg(l.right_id) AS evidence,
         count(CASE WHEN e.id IN (SELECT child_id FROM ancestor) THEN 1 END) AS placed  -- the facts must state where one is
  FROM elsewhere l JOIN entity e ON e.id = l.right_id GROUP BY l.left_id, e.class
), told AS (
  SELECT o.base_id, o.area, o.class, p.evidence,
         CASE WHEN n.class IS NOT NULL THEN 'member_in_the_widened_scope'
              WHEN b.edge_km IS NOT NULL AND b.edge_km
                   < 1 + sqrt(pow((b.east - b.west) * 111.32 * cos(radians(b.ref_lat)), 2) + pow((b.north - b.south) * 110.6, 2)) THEN 'scope_near_the_edge'
              WHEN p.size IS NULL OR p.size < 5 OR p.placed = 0 THEN 'fewer_than_5_elsewhere' END AS discard
  FROM offered o JOIN entity b ON b.id = o.area
  LEFT JOIN near n ON n.area = o.area AND n.class = o.class
  LEFT JOIN proof p ON p.area = o.area AND p.class = o.class
)
SELECT base_id, area AS B, class AS p_class, evidence, discard FROM (
  SELECT *, row_number() OVER (PARTITION BY base_id, CASE WHEN discard IS NULL THEN 0 ELSE 1 END ORDER BY
                               md5('{salt}' || CAST(base_id AS STRING) || '/' || CAST(area AS STRING) || class)) AS place FROM told
) AS ranked WHERE place <= 5
