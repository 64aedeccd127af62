-- Each section: the sub-templates it answers in brackets, then a SELECT of id and answer (jsonb) over the rows of q.
-- An extended entity counts by its centre.

-- [J01.a J01.b J01.c J01.d] the azimuth at B towards A within 45 degrees of the direction
SELECT id, to_jsonb(abs(turn(azimuth(centre((b).geom), centre((a).geom)) - bearing(p ->> 'direction'))) < 45) AS answer FROM q;

-- [J02] side of the route from B to C
SELECT id, to_jsonb(CASE WHEN turn(azimuth(centre((b).geom), centre((a).geom)) - azimuth(centre((b).geom), centre((c).geom))) > 0
                         THEN 'right' ELSE 'left' END) AS answer FROM q;

-- [J04.a J04.b J04.c] the wind in whose sector the azimuth from A to B lies
WITH wind AS (
  SELECT name, 22.5 * (place - 1) AS centre, place FROM unnest(ARRAY['north', 'north-northeast', 'northeast',
    'east-northeast', 'east', 'east-southeast', 'southeast', 'south-southeast', 'south', 'south-southwest', 'southwest',
    'west-southwest', 'west', 'west-northwest', 'northwest', 'north-northwest']) WITH ORDINALITY AS w(name, place)
)
SELECT DISTINCT ON (q.id) q.id, to_jsonb(w.name) AS answer
FROM q JOIN wind w ON (w.place - 1) % (16 / (q.p ->> 'winds')::int) = 0
ORDER BY q.id, abs(turn(azimuth(centre((q.a).geom), centre((q.b).geom)) - w.centre));

-- [M01] azimuth at B towards A, and distance
SELECT id, jsonb_build_object('azimuth_deg', azimuth(centre((b).geom), centre((a).geom)),
                              'distance_km', km(centre((b).geom)::geography, centre((a).geom)::geography)) AS answer FROM q;

-- [F01.a F01.b F01.c F01.d] the member in B furthest in a direction; longitudes the short way round B's centre
SELECT DISTINCT ON (q.id) q.id, to_jsonb(e.iri) AS answer
FROM q JOIN entity e ON e.kg = q.kg AND e.class = q.p ->> 'class' AND e.admin @> ARRAY[(q.b).iri] AND e.n <> (q.b).n
ORDER BY q.id, CASE q.p ->> 'direction'
    WHEN 'north' THEN ST_Y(centre(e.geom)) WHEN 'south' THEN -ST_Y(centre(e.geom))
    WHEN 'east' THEN turn(ST_X(centre(e.geom)) - ST_X(centre((q.b).geom)))
    WHEN 'west' THEN -turn(ST_X(centre(e.geom)) - ST_X(centre((q.b).geom))) END DESC;

-- [F04.a F04.b F04.c F04.d] members within the radius of B in the quarter of the direction seen from C
SELECT q.id, coalesce(jsonb_agg(e.iri ORDER BY e.iri) FILTER (WHERE e.n IS NOT NULL), '[]') AS answer
FROM q LEFT JOIN entity e ON e.kg = q.kg AND e.class = q.p ->> 'class' AND e.n NOT IN ((q.b).n, (q.c).n)
  AND ST_DWithin((q.b).geog, e.geog, 1000 * (q.p ->> 'radius_km')::float, true)
  AND abs(turn(azimuth(centre((q.c).geom), centre(e.geom)) - bearing(q.p ->> 'direction'))) <= 45
GROUP BY q.id;

-- [J03] waterways are drawn downstream: the place whose foot comes first lies upstream
SELECT id, to_jsonb(CASE WHEN ST_LineLocatePoint(flow, spot_a) < ST_LineLocatePoint(flow, spot_b)
                         THEN 'upstream' ELSE 'downstream' END) AS answer
FROM (
  SELECT id, ST_LineMerge(plane((c).geom, centre((a).geom))) AS flow, plane((a).geom, centre((a).geom)) AS spot_a,
         plane((b).geom, centre((a).geom)) AS spot_b FROM q
) AS planes WHERE GeometryType(flow) = 'LINESTRING';
