SELECT parent_id AS A, array_agg(DISTINCT class) AS p_classes, array_agg(id) AS members, count(*) AS answer,
       CASE WHEN count(DISTINCT class) < {several} THEN 'fewer_classes_than_asked' END AS discard
FROM held WHERE place <= {several} GROUP BY parent_id
