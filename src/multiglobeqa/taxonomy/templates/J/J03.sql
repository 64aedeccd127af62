-- the line is drawn downstream: a foot farther on is farther down; a long brook through a town is not to fill a stratum
WITH judged AS (
  SELECT c.a_id, c.b_id, c.c_id, c.flow_km,
         CASE WHEN NOT c.told THEN 'flow_cannot_be_told' WHEN isnan(c.flow_km) THEN 'not_on_one_stretch'
              WHEN a.edge_km < 1.2 * o.a_km + 0.05 OR b.edge_km < 1.2 * o.b_km + 0.05 THEN 'reaches_beyond_the_covered_extent'
              WHEN abs(c.flow_km) < 0.525 THEN 'less_than_500_m_apart' WHEN NOT c.apart THEN 'order_hangs_on_the_foot' END AS discard
  FROM course c JOIN offered o ON o.a_id = c.a_id AND o.b_id = c.b_id AND o.c_id = c.c_id
  JOIN entity a ON a.id = c.a_id JOIN entity b ON b.id = c.b_id
), turns AS (
  SELECT *, row_number() OVER (PARTITION BY c_id, discard, flow_km > 0
                               ORDER BY md5('{salt}' || CAST(a_id AS STRING) || '/' || CAST(b_id AS STRING))) AS place
  FROM judged
)
SELECT a_id AS A, b_id AS B, c_id AS C, CASE WHEN flow_km > 0 THEN 'downstream' ELSE 'upstream' END AS answer, discard
FROM turns WHERE place <= 6 OR discard IS NOT NULL
