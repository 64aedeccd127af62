-- edges on longitude 180 are no boundary: right for what crosses it, not for what ends there
SELECT m.id AS A, m.{column} AS answer,
       CASE WHEN e.kind = 'surface' AND (e.west <= -180) <> (e.east >= 180) THEN 'ends_at_the_antimeridian' END AS discard
FROM m JOIN entity e ON e.id = m.id
