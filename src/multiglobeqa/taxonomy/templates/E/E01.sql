-- the false ones name the nearest or second nearest unit like the true parent
WITH ranked AS (
  SELECT left_id, right_id, row_number() OVER (PARTITION BY left_id ORDER BY centre_km, right_id) AS place FROM near
), answers AS (
  SELECT child_id, parent_id, true AS answer FROM chosen WHERE substr(md5('{salt}' || CAST(child_id AS STRING)), 1,
         1) < '8'
  UNION ALL
  SELECT left_id, right_id, false FROM ranked WHERE place <= 2 AND NOT substr(md5('{salt}' || CAST(left_id AS STRING)),
         1, 1) < '8'
)
SELECT a.child_id AS A, a.parent_id AS B, a.answer,
       CASE WHEN NOT a.answer AND w.parent_id IS NOT NULL THEN 'sibling_is_an_ancestor' END AS discard
FROM answers a LEFT JOIN above w ON w.child_id = a.child_id AND w.parent_id = a.parent_id
