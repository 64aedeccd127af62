SELECT parent_id AS A, array_agg(DISTINCT class) AS p_classes, array_agg(id) AS members, count(*) AS answer,
       CASE WHEN count(DISTINCT class) < {several} THEN 'fewer_classes_than_asked' END AS discard
FROM (
  SELECT *, dense_rank() OVER (PARTITION BY parent_id ORDER BY md5('{salt}' || class)) AS place
  FROM held WHERE size <= {most} AND extended = 0
) AS offered WHERE place <= {several} GROUP BY parent_id
