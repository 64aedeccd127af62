-- an entity's resolution hangs on a seeded hash of its name: each is asked equally often
WITH cell_of AS (
  SELECT id, {r1} AS resolution, cell, stable FROM r1 UNION ALL SELECT id, {r2}, cell, stable FROM r2
  UNION ALL SELECT id, {r3}, cell, stable FROM r3 UNION ALL SELECT id, {r4}, cell, stable FROM r4
)
SELECT id AS A, CAST(resolution AS BIGINT) AS p_resolution, cell AS answer,
       CASE WHEN NOT stable THEN 'point_within_10_m_of_cell_edge' END AS discard
FROM cell_of
