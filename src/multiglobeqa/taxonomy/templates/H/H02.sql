WITH shared AS (
  SELECT n.left_id, n.right_id, x.resolution, x.cell, x.stable AND y.stable AS stable,
         row_number() OVER (PARTITION BY n.left_id, x.resolution ORDER BY md5('{salt}' || CAST(n.right_id AS STRING))) AS place
  FROM near n JOIN cell_of x ON x.id = n.left_id JOIN cell_of y ON y.id = n.right_id AND y.resolution = x.resolution AND y.cell = x.cell
  JOIN entity a ON a.id = n.left_id JOIN entity b ON b.id = n.right_id WHERE a.cell = b.cell
), offered AS (
  SELECT *, row_number() OVER (PARTITION BY left_id ORDER BY md5('{salt}' || CAST(left_id AS STRING) || '/' || CAST(resolution AS STRING))) AS turn
  FROM shared WHERE place = 1
)
SELECT left_id AS A, right_id AS B, CAST(resolution AS BIGINT) AS p_resolution, cell AS answer,
       CASE WHEN NOT stable THEN 'point_within_10_m_of_cell_edge' END AS discard
FROM offered WHERE turn = 1
