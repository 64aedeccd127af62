-- absence: nothing of the class, of its siblings, or tagged as either, within 5 km (a world map's outline may be 0.9 km off)
WITH near AS (
  SELECT DISTINCT r.left_id AS area, p.class FROM reached r JOIN possible p ON p.id = r.right_id
), asked AS (  -- some that are near, so that the cause is counted
  SELECT base_id, area, class FROM free UNION
  SELECT base_id, area, class FROM (SELECT o.base_id, o.area, o.class, row_number() OVER (PARTITION BY o.base_id ORDER BY o.area, o.class) AS turn
                                    FROM offered o JOIN near n ON n.area = o.area AND n.class = o.class) AS met WHERE turn <= 2
), proof AS (
  SELECT l.left_id AS area, e.class, count(*) AS size, array_agg(l.right_id) AS evidence
  FROM elsewhere l JOIN entity e ON e.id = l.right_id GROUP BY l.left_id, e.class
), told AS (
  SELECT o.base_id, o.area, o.class, p.evidence,
         CASE WHEN n.class IS NOT NULL THEN 'member_within_5_km'
              WHEN p.size IS NULL OR p.size < 5 THEN 'fewer_than_5_elsewhere'
              WHEN b.edge_km IS NOT NULL AND b.edge_km
                   < 6 + sqrt(pow((b.east - b.west) * 111.32 * cos(radians(b.ref_lat)), 2) + pow((b.north - b.south) * 110.6, 2)) THEN 'scope_near_the_edge' END AS discard
  FROM asked o JOIN entity b ON b.id = o.area
  LEFT JOIN near n ON n.area = o.area AND n.class = o.class
  LEFT JOIN proof p ON p.area = o.area AND p.class = o.class
)
SELECT base_id, area AS B, class AS p_class, evidence, discard FROM (
  SELECT *, row_number() OVER (PARTITION BY base_id ORDER BY CASE WHEN discard IS NULL THEN 0 ELSE 1 END,
                               md5('{salt}' || CAST(base_id AS STRING) || '/' || CAST(area AS STRING) || class)) AS place FROM told
) AS ranked WHERE place <= 5
