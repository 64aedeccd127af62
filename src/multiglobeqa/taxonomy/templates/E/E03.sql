SELECT o.parent_id AS A, array_agg(DISTINCT o.class) AS p_classes, array_agg(o.id) AS members, count(*) AS answer,
       CASE WHEN max(b.size) <> count(*) THEN max(b.size) END AS slip_in_the_box,
       CASE WHEN sum(o.direct) BETWEEN 1 AND count(*) - 1 THEN sum(o.direct) END AS slip_direct_parts_only,
       CASE WHEN {several} > 1 THEN count(CASE WHEN o.place = 1 THEN 1 END) END AS slip_one_class_only,
       CASE WHEN count(DISTINCT o.class) < {several} THEN 'fewer_classes_than_asked'
            WHEN count(u.class) > 0 THEN 'member_of_unknown_parent' END AS discard
FROM offered o LEFT JOIN boxed b ON b.parent_id = o.parent_id LEFT JOIN doubtful u ON u.parent_id = o.parent_id
       AND u.class = o.class
GROUP BY o.parent_id
