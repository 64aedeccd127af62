-- each member near B or C stands in, out, or in doubt; one in doubt takes the question out, unless it is in C
WITH judged AS (
  SELECT n.left_id, n.right_id, b.cell, b.extent, b.class AS of_class, b.level, e.class, e.kind, n.distance_km,
         CASE WHEN e.contested THEN 'contested_member'
              WHEN (n.distance_km = 0) <> (t.left_id IS NOT NULL) THEN 'distance_and_topology_differ'
              WHEN n.distance_km >= CASE WHEN b.extent = 'world' THEN 2 ELSE 0.02 END THEN 'out'
              WHEN n.distance_km > 0 THEN 'member_all_but_touches'
              WHEN t.touches THEN 'member_only_touches'
              WHEN e.kind = 'point' THEN 'member_without_extent'
              WHEN s.left_id IS NOT NULL AND (s.intersection_area_km2 < 0.01 * least(b.area_km2, e.area_km2)
                OR t.overlapping AND b.extent = 'world' AND s.overlap_width_km < 1) THEN 'member_met_too_slightly'
              WHEN l.left_id IS NOT NULL AND l.inside_km < CASE WHEN b.class = 'storm' THEN 10 WHEN b.extent = 'world' THEN 2 ELSE 0.1 END THEN 'member_met_too_slightly'
              WHEN x.left_id IS NOT NULL AND (t.dimension = 1 OR x.crossing_end_km < 0.1) THEN 'member_met_too_slightly'
              WHEN d.id IS NOT NULL AND e.class = 'admin1' THEN 'second_source_counts_otherwise'
              ELSE 'in' END AS standing
  FROM near n JOIN entity b ON b.id = n.left_id JOIN entity e ON e.id = n.right_id
  LEFT JOIN met t ON t.left_id = n.left_id AND t.right_id = n.right_id
  LEFT JOIN common s ON s.left_id = least(n.left_id, n.right_id) AND s.right_id = greatest(n.left_id, n.right_id)
  LEFT JOIN along l ON l.left_id = CASE WHEN b.kind = 'line' THEN b.id ELSE e.id END AND l.right_id = CASE WHEN b.kind = 'line' THEN e.id ELSE b.id END
  LEFT JOIN crossed x ON x.left_id = n.left_id AND x.right_id = n.right_id
  LEFT JOIN doubted_units d ON d.id = e.id
), shared AS (
  SELECT b.left_id AS b_id, c.left_id AS c_id, b.class, b.cell, count(*) AS common
  FROM judged b JOIN judged c ON c.right_id = b.right_id AND c.left_id <> b.left_id AND c.of_class = b.of_class AND c.extent = b.extent
  WHERE b.standing = 'in' AND c.standing = 'in' AND (b.cell = c.cell OR b.cell IS NOT NULL AND b.of_class = 'storm')
    AND (b.level IS NULL OR b.level = c.level)
  GROUP BY b.left_id, c.left_id, b.class, b.cell
), picked AS (
  SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY b_id, class ORDER BY md5('{salt}' || CAST(b_id AS STRING) || '/' || CAST(c_id AS STRING))) AS turn FROM shared) AS s
  WHERE turn <= 6
), told AS (
  SELECT p.b_id, p.c_id, p.class, b.kind, b.right_id,
         CASE WHEN c.standing = 'in' THEN 'both' WHEN coalesce(c.standing, 'out') <> 'out' AND b.standing <> 'out' THEN c.standing WHEN b.standing = 'in' THEN 'answer' ELSE b.standing END AS standing,
         row_number() OVER (PARTITION BY p.b_id, p.c_id, p.class, b.standing ORDER BY b.distance_km, b.right_id) AS turn
  FROM picked p JOIN judged b ON b.left_id = p.b_id AND b.class = p.class
  LEFT JOIN judged c ON c.left_id = p.c_id AND c.right_id = b.right_id
), grouped AS (
  SELECT b_id, c_id, class, max(kind) AS last_kind, array_agg(CASE WHEN standing = 'answer' THEN right_id END) AS answer_ids, count(CASE WHEN standing = 'answer' THEN 1 END) AS size,
         array_agg(CASE WHEN standing = 'both' OR standing = 'out' AND turn <= 10 THEN right_id END) AS evidence,
         array_agg(CASE WHEN standing IN ('answer', 'both') THEN right_id END) AS of_b, max(CASE WHEN standing NOT IN ('answer', 'both', 'out') THEN standing END) AS doubt
  FROM told GROUP BY b_id, c_id, class
), placed AS (
  SELECT *, row_number() OVER (PARTITION BY cell, size > 1, doubt IS NULL ORDER BY of_turn, pick, class) AS place
  FROM (SELECT g.*, b.cell, b.class AS of_class, md5('{salt}/' || CAST(g.b_id AS STRING) || '/' || CAST(g.c_id AS STRING)) AS pick,
               row_number() OVER (PARTITION BY g.b_id, g.size > 1, g.doubt IS NULL ORDER BY md5('{salt}/' || CAST(g.b_id AS STRING) || '/' || CAST(g.c_id AS STRING)), g.class) AS of_turn
        FROM grouped g JOIN entity b ON b.id = g.b_id WHERE g.size BETWEEN 1 AND 30) AS t
)
SELECT b_id AS B, c_id AS C, class AS p_class, CASE WHEN of_class = 'storm' THEN 'the track of the centre of ' ELSE '' END AS p_lead,
       CASE WHEN of_class = 'storm' THEN 'that of ' ELSE '' END AS p_lead_c, {way} AS p_way, {way_c} AS p_way_c, answer_ids, evidence, of_b AS slip_all_of_b, doubt AS discard
FROM placed WHERE of_turn <= 3 AND place <= CASE WHEN size = 1 THEN 12 ELSE 60 END
