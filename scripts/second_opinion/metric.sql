-- Each section: the sub-templates it answers in brackets, then a SELECT of id and answer (jsonb) over the rows of q:
-- id, sub, kg, p (the question's parameters), and the roles a, b, c, d, x as rows of entity.

-- [A01.a A01.b A03.a I01.a I01.b] distance between two entities along their edges
SELECT id, to_jsonb(km((a).geog, (b).geog)) AS answer FROM q;

-- [A02.a A02.b A02.c A02.d] along the meridian of B, or along the latitude of B
SELECT id, to_jsonb(CASE p ->> 'direction'
    WHEN 'north' THEN sign(ST_Y((a).geom) - ST_Y((b).geom)) * up
    WHEN 'south' THEN sign(ST_Y((b).geom) - ST_Y((a).geom)) * up
    WHEN 'east' THEN sign(turn(ST_X((a).geom) - ST_X((b).geom))) * along
    WHEN 'west' THEN sign(turn(ST_X((b).geom) - ST_X((a).geom))) * along END) AS answer
FROM (
  SELECT *, km((b).geog, ST_Point(ST_X((b).geom), ST_Y((a).geom), 4326)::geography) AS up,
         km((b).geog, ST_Point(ST_X((a).geom), ST_Y((b).geom), 4326)::geography) AS along
  FROM q
) AS components;

-- [A04.a A04.b] the closer or the farther of two
SELECT id, to_jsonb(CASE WHEN (sub = 'A04.a') = (km((a).geog, (c).geog) < km((b).geog, (c).geog))
                         THEN (a).iri ELSE (b).iri END) AS answer FROM q;

-- [A06.a A06.b A06.c A06.d] over all pairs of members in B
WITH member AS (
  SELECT q.id, q.p ->> 'aggregate' AS how, e.n, e.geog FROM q
  JOIN entity e ON e.kg = q.kg AND e.class = q.p ->> 'class' AND e.admin @> ARRAY[(q.b).iri] AND e.n <> (q.b).n
), pair AS (
  SELECT m.id, m.how, km(m.geog, o.geog) AS d FROM member m JOIN member o ON o.id = m.id AND o.n > m.n
)
SELECT id, to_jsonb(CASE how WHEN 'average' THEN avg(d) WHEN 'minimum' THEN min(d) WHEN 'maximum' THEN max(d)
                             WHEN 'median' THEN percentile_cont(0.5) WITHIN GROUP (ORDER BY d) END) AS answer
FROM pair GROUP BY id, how;

-- [A08.a A08.b A08.c] from C to the member in D that is the n-th nearest to B
SELECT id, to_jsonb(from_c) AS answer FROM (
  SELECT q.id, (q.p ->> 'rank')::int AS wanted, km((q.c).geog, e.geog) AS from_c,
         row_number() OVER (PARTITION BY q.id ORDER BY km((q.b).geog, e.geog), e.n) AS rank
  FROM q JOIN entity e ON e.kg = q.kg AND e.class = q.p ->> 'class' AND e.admin @> ARRAY[(q.d).iri]
    AND e.n NOT IN ((q.b).n, (q.c).n, (q.d).n)
) AS ranked WHERE rank = wanted;

-- [A09.a A09.b] from A to the boundary line of B
SELECT id, to_jsonb(km((a).geog, dense(edge((b).geom)))) AS answer FROM q;

-- [B01.a B01.b B02.a B02.b] members of the class within the radius, found by index
SELECT q.id, CASE WHEN q.sub LIKE 'B01%' THEN to_jsonb(count(e.n)) ELSE coalesce(jsonb_agg(e.iri ORDER BY e.iri)
             FILTER (WHERE e.n IS NOT NULL), '[]') END AS answer
FROM q LEFT JOIN entity e ON e.kg = q.kg AND e.class = q.p ->> 'class' AND e.n <> (q.b).n
  AND ST_DWithin((q.b).geog, e.geog, 1000 * (q.p ->> 'radius_km')::float, true)
GROUP BY q.id, q.sub;

-- [G01.a G02] equal-area centroid
SELECT id, jsonb_build_object('lat', ST_Y(at), 'lon', ST_X(at)) AS answer
FROM (SELECT id, centre((a).geom) AS at FROM q) AS found;

-- [G03.a G03.b] how far the centroid moves between two simplifications; straight edges on the plane, cut to 5 km
SELECT id, to_jsonb(km(centre(back(ST_Segmentize(fine, 5000), at))::geography,
                       centre(back(ST_Segmentize(coarse, 5000), at))::geography)) AS answer FROM (
  SELECT id, at, simple_outline(flat, 1000 * (p ->> 'v1_km')::float) AS fine,
         simple_outline(flat, 1000 * (p ->> 'v2_km')::float) AS coarse
  FROM (SELECT id, p, at, plane(whole((a).geom), at) AS flat FROM (SELECT *, centre((a).geom) AS at FROM q) AS c) AS planes
) AS outlines;

-- [I02.b] first-level region that holds the epicentre
SELECT q.id, coalesce(jsonb_agg(e.iri ORDER BY e.iri) FILTER (WHERE e.n IS NOT NULL), '[]') AS answer
FROM q LEFT JOIN entity e ON e.kg = q.kg AND e.class = q.p ->> 'class' AND e.kind = 'surface'
  AND ST_Intersects(e.geom, (q.a).geom) GROUP BY q.id;

-- [I04] area swept by the winds: union of discs along the track (see swept.sql)
SELECT q.id, to_jsonb(km2(s.geom)) AS answer FROM q JOIN swept s ON s.n = (q.a).n;

-- [I05] the part of it inside B
SELECT q.id, to_jsonb(km2(ST_Intersection(s.geom, (q.b).geom))) AS answer FROM q JOIN swept s ON s.n = (q.a).n;

-- [K01.a K01.b] larger, smaller
SELECT id, to_jsonb((sub = 'K01.a') = (km2((a).geom) > km2((b).geom))) AS answer FROM q;

-- [K02.a K02.b] more, less compact: area over squared perimeter
SELECT id, to_jsonb((sub = 'K02.a') = (compact_a > compact_b)) AS answer FROM (
  SELECT id, sub, km2((a).geom) / ST_Length(dense(edge((a).geom))) ^ 2 AS compact_a,
         km2((b).geom) / ST_Length(dense(edge((b).geom))) ^ 2 AS compact_b FROM q
) AS scores;

-- [K03.a K03.b] more, less elongated
SELECT id, to_jsonb((sub = 'K03.a') = (elongation((a).geom) > elongation((b).geom))) AS answer FROM q;

-- [K04.a K04.b] perimeter of a surface, length of a line
SELECT id, to_jsonb(ST_Length(CASE WHEN (a).kind = 'surface' THEN dense(edge((a).geom)) ELSE (a).geog END, true) / 1000)
       AS answer FROM q;

-- [K05.a K05.b K05.c K05.d] irregularity after simplification
SELECT id, to_jsonb(CASE p ->> 'metric'
    WHEN 'shape_index' THEN ST_Perimeter(flat) / (2 * sqrt(pi() * ST_Area(flat)))
    WHEN 'circularity' THEN 4 * pi() * ST_Area(flat) / ST_Perimeter(flat) ^ 2
    WHEN 'convexity' THEN ST_Area(flat) / ST_Area(ST_ConvexHull(flat))
    WHEN 'boundary_excess' THEN ST_Perimeter(flat) / ST_Perimeter(ST_ConvexHull(flat)) - 1 END) AS answer
FROM (
  SELECT id, p, ST_SimplifyPreserveTopology(plane(whole((a).geom), centre((a).geom)), 1000 * (p ->> 'scale_km')::float) AS flat
  FROM q
) AS outlines;

-- [A03.b] to the part of the track within whole days: its stretches between fixes, cut where the period begins and ends
WITH leg AS (
  SELECT q.id, (q.b).geog AS place, (f.value ->> 0)::timestamptz AS t, lead((f.value ->> 0)::timestamptz) OVER w AS next_t,
         (f.value ->> 1)::float AS lon, (f.value ->> 2)::float AS lat, lead((f.value ->> 1)::float) OVER w AS next_lon,
         lead((f.value ->> 2)::float) OVER w AS next_lat, (q.p ->> 'period_start')::date::timestamp AT TIME ZONE 'UTC' AS begins,
         ((q.p ->> 'period_end')::date + 1)::timestamp AT TIME ZONE 'UTC' AS ends
  FROM q, jsonb_array_elements((q.a).attributes -> 'fixes') WITH ORDINALITY AS f(value, place)
  WINDOW w AS (PARTITION BY q.id ORDER BY f.place)
), cut AS (
  SELECT *, extract(epoch FROM greatest(begins, t) - t) / extract(epoch FROM next_t - t) AS from_share,
         extract(epoch FROM least(ends, next_t) - t) / extract(epoch FROM next_t - t) AS to_share
  FROM leg WHERE next_t > t AND next_t > begins AND t < ends
)
SELECT id, to_jsonb(min(km(place, dense(ST_LineSubstring(ST_MakeLine(ST_Point(lon, lat, 4326),
       ST_Point(lon + turn(next_lon - lon), next_lat, 4326)), from_share, to_share))))) AS answer
FROM cut GROUP BY id;

-- [A05.a A05.b] closer to, farther from the nearest country that shares a stated border with A's country
WITH neighbour AS (
  SELECT q.id, o.geog FROM q
  JOIN entity home ON home.kg = q.kg AND home.class = 'country' AND (q.a).admin @> ARRAY[home.iri]
  JOIN entity line ON line.kg = q.kg AND line.class = 'border' AND line.attributes -> 'of' ? home.iri
  JOIN entity o ON o.kg = q.kg AND o.class = 'country' AND line.attributes -> 'of' ? o.iri AND o.n <> home.n
)
SELECT q.id, to_jsonb(CASE WHEN (q.sub = 'A05.a') = (min(km((q.b).geog, n.geog)) < min(km((q.c).geog, n.geog)))
                           THEN (q.b).iri ELSE (q.c).iri END) AS answer
FROM q JOIN neighbour n ON n.id = q.id GROUP BY q.id, q.sub, q.b, q.c;

-- [A07.a A07.b] the member in B with the least total, the least maximum distance to all targets there
SELECT DISTINCT ON (id) id, to_jsonb(iri) AS answer FROM (
  SELECT q.id, e.iri, CASE q.p ->> 'aggregate' WHEN 'total' THEN sum(km(e.geog, o.geog)) ELSE max(km(e.geog, o.geog)) END AS d
  FROM q JOIN entity e ON e.kg = q.kg AND e.class = q.p ->> 'class' AND e.admin @> ARRAY[(q.b).iri]
  JOIN entity o ON o.kg = q.kg AND o.class = q.p ->> 'target_class' AND o.admin @> ARRAY[(q.b).iri]
  GROUP BY q.id, e.iri, q.p ->> 'aggregate'
) AS summed ORDER BY id, d;

-- [G01.b] the member in A with the least total distance to the others
SELECT DISTINCT ON (id) id, jsonb_build_object('lat', ST_Y(centre(geom)), 'lon', ST_X(centre(geom))) AS answer FROM (
  SELECT q.id, e.geom, sum(km(e.geog, o.geog)) AS d
  FROM q JOIN entity e ON e.kg = q.kg AND e.class = q.p ->> 'class' AND e.admin @> ARRAY[(q.a).iri]
  JOIN entity o ON o.kg = q.kg AND o.class = q.p ->> 'class' AND o.admin @> ARRAY[(q.a).iri]
  GROUP BY q.id, e.n, e.geom
) AS summed ORDER BY id, d;

-- [I02.a] regions that the winds reached
SELECT q.id, coalesce(jsonb_agg(e.iri ORDER BY e.iri) FILTER (WHERE e.n IS NOT NULL), '[]') AS answer
FROM q JOIN swept s ON s.n = (q.a).n LEFT JOIN entity e ON e.kg = q.kg AND e.class = q.p ->> 'class'
  AND e.kind = 'surface' AND ST_Intersects(e.geom, s.geom) GROUP BY q.id;
