-- each member near B stands in, out, or in doubt; one in doubt takes the question out
WITH judged AS (
  SELECT n.left_id, n.right_id, e.class, e.kind, e.name, n.distance_km, coalesce(t.covers OR t.covered_by, false) AS within,
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
), numbered AS (
  SELECT *, row_number() OVER (PARTITION BY left_id, class, standing ORDER BY distance_km, right_id) AS turn FROM judged
), grouped AS (
  SELECT left_id, class, count(CASE WHEN standing = 'in' THEN 1 END) AS size,
         array_agg(CASE WHEN standing = 'in' THEN right_id END) AS answer_ids,
         array_agg(CASE WHEN standing = 'out' AND turn <= 10 THEN right_id END) AS evidence,
         array_agg(CASE WHEN within THEN right_id END) AS inside_ids, count(CASE WHEN within THEN 1 END) AS inside,
         max(kind) AS last_kind, count(*) AS near, array_agg(right_id) AS near_ids,
         count(CASE WHEN standing = 'in' THEN name END) - count(DISTINCT CASE WHEN standing = 'in' THEN name END) AS namesakes,
         max(CASE WHEN standing NOT IN ('in', 'out') THEN standing END) AS doubt
  FROM numbered GROUP BY left_id, class
), offered AS (
  SELECT g.*, b.class AS of_class, row_number() OVER (PARTITION BY b.cell, least(g.size, 2 * {per_size}), g.doubt IS NULL AND g.namesakes = 0
                                      ORDER BY g.left_turn, md5('{salt}' || CAST(g.left_id AS STRING) || g.class)) AS place
  FROM (SELECT *, row_number() OVER (PARTITION BY left_id, doubt IS NULL AND namesakes = 0 ORDER BY md5('{salt}' || CAST(left_id AS STRING) || class)) AS left_turn
        FROM grouped WHERE size BETWEEN 1 AND 30) AS g JOIN entity b ON b.id = g.left_id
)
SELECT left_id AS B, class AS p_class, CASE WHEN of_class = 'storm' THEN 'the track of the centre of ' ELSE '' END AS p_lead, {way} AS p_way,
       size AS answer, answer_ids, evidence, {slips},
       CASE WHEN doubt IS NOT NULL THEN doubt WHEN namesakes > 0 THEN 'members_named_alike' END AS discard
FROM offered WHERE left_turn <= 2 AND place <= CASE WHEN size = 1 THEN least({per_size}, 12) ELSE {per_size} END
