-- edges on longitude 180 are no boundary: right for what crosses it, not for what ends there
-- on a world map a length that simplification at 5 km shortens by 2 % would grow as much on a finer one: it has no
-- single value within the scorer's tolerance
-- even so a river border is shorter there than in the tables of states: the hint names the map
SELECT m.id AS A, m.{column} AS answer, {hints},
       CASE WHEN e.extent = 'world' THEN 'a world map at 1:10 million' ELSE 'a detailed map' END AS p_map,
       CASE WHEN e.kind = 'surface' AND (e.west <= -180) <> (e.east >= 180) THEN 'ends_at_the_antimeridian'
            WHEN e.extent = 'world' AND NOT (d.detail_ratio >= 0.98) THEN 'length_hangs_on_the_scale_of_the_map' END AS discard
FROM m JOIN entity e ON e.id = m.id JOIN detail d ON d.id = m.id
