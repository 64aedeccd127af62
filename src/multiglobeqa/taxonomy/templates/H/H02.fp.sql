-- 2 * 1.4 * 1281.3 / 7^(resolution / 2) bounds the diameter of a cell: edges are at most 1.4 times their mean
WITH offered AS (
  SELECT b.base_id, b.A, n.right_id, row_number() OVER (PARTITION BY b.base_id ORDER BY md5('{salt}' || y.iri)) AS place
  FROM base b JOIN away n ON n.left_id = b.A JOIN entity x ON x.id = b.A JOIN entity y ON y.id = n.right_id
  WHERE x.cell = y.cell AND n.distance_km BETWEEN 2.02 * 2.8 * 1281.3 / power(7, b.p_resolution / 2.0) AND 8 * 2.8 * 1281.3 / power(7, b.p_resolution / 2.0)
)
SELECT base_id, A, right_id AS B, CAST(NULL AS STRING) AS discard FROM offered WHERE place <= 5
