-- Each section: the sub-templates it answers in brackets, then a SELECT of id and answer (jsonb) over the rows of q.

-- [C01.a C01.b C01.c C02] any point in common
SELECT id, to_jsonb(ST_Intersects((a).geom, (b).geom)) AS answer FROM q;

-- [C03] distinct common points, those nearer than 1 m counted once
SELECT id, to_jsonb(cardinality(ST_ClusterWithin(point, 0.00001))) AS answer FROM (
  SELECT id, (ST_DumpPoints(ST_Intersection((a).geom, (b).geom))).geom AS point FROM q
) AS points GROUP BY id;

-- [C04.a C04.b C05.a C05.b] members of a class that intersect B, found by index
SELECT q.id, CASE WHEN q.sub LIKE 'C04%' THEN to_jsonb(count(e.n)) ELSE coalesce(jsonb_agg(e.iri ORDER BY e.iri)
             FILTER (WHERE e.n IS NOT NULL), '[]') END AS answer
FROM q LEFT JOIN entity e ON e.kg = q.kg AND e.class = q.p ->> 'class' AND e.n <> (q.b).n
  AND ST_Intersects(e.geom, (q.b).geom) GROUP BY q.id, q.sub;

-- [C06.a C06.b] members that intersect B but not C
SELECT q.id, coalesce(jsonb_agg(e.iri ORDER BY e.iri) FILTER (WHERE e.n IS NOT NULL), '[]') AS answer
FROM q LEFT JOIN entity e ON e.kg = q.kg AND e.class = q.p ->> 'class' AND e.n NOT IN ((q.b).n, (q.c).n)
  AND ST_Intersects(e.geom, (q.b).geom) AND NOT ST_Intersects(e.geom, (q.c).geom) GROUP BY q.id;

-- [C07] interiors meet, neither covers the other
SELECT id, to_jsonb(ST_Overlaps((a).geom, (b).geom)) AS answer FROM q;

-- [C08] only touch
SELECT id, to_jsonb(ST_Touches((a).geom, (b).geom)) AS answer FROM q;

-- [C09] a stretch of boundary in common: interiors apart, boundaries meet in a line
SELECT id, to_jsonb(ST_Relate((a).geom, (b).geom, 'F***1****')) AS answer FROM q;

-- [C10] disjoint
SELECT id, to_jsonb(ST_Disjoint((a).geom, (b).geom)) AS answer FROM q;

-- [C11.a] B in the interior of A
SELECT id, to_jsonb(ST_ContainsProperly((a).geom, (b).geom)) AS answer FROM q;

-- [C11.b] B fills a hole of A: apart from A, and covered once A's holes are filled
SELECT id, to_jsonb(ST_Touches((a).geom, (b).geom) AND ST_Covers((
    SELECT ST_Union(ST_MakePolygon(ST_ExteriorRing(part.geom))) FROM ST_Dump((a).geom) AS part), (b).geom)) AS answer FROM q;

-- [D01.a D01.b D02.a D02.b] areas of a level in X in which B runs for the stated length
SELECT q.id, CASE WHEN q.sub LIKE 'D02%' THEN to_jsonb(count(e.n)) ELSE coalesce(jsonb_agg(e.iri ORDER BY e.iri)
             FILTER (WHERE e.n IS NOT NULL), '[]') END AS answer
FROM q LEFT JOIN entity e ON e.kg = q.kg AND e.class = q.p ->> 'class' AND e.level = (q.p ->> 'level')::int
  AND e.kind = 'surface' AND e.admin @> ARRAY[(q.x).iri] AND ST_Intersects(e.geom, (q.b).geom)
  AND ST_Length(dense(ST_Intersection((q.b).geom, e.geom)), true) >= 1000 * (q.p ->> 'min_km')::float
GROUP BY q.id, q.sub;

-- [D03.a D03.b D03.c D04.a D04.b D04.c] members within the threshold of B, found by index
SELECT q.id, CASE WHEN q.sub LIKE 'D04%' THEN to_jsonb(count(e.n)) ELSE coalesce(jsonb_agg(e.iri ORDER BY e.iri)
             FILTER (WHERE e.n IS NOT NULL), '[]') END AS answer
FROM q LEFT JOIN entity e ON e.kg = q.kg AND e.class = q.p ->> 'class' AND e.n <> (q.b).n
  AND ST_DWithin((q.b).geog, e.geog, 1000 * (q.p ->> 'threshold_km')::float, true)
GROUP BY q.id, q.sub;

-- [E04] at most 0.1 % of B lies outside A
SELECT id, to_jsonb(1 - km2(ST_Intersection((a).geom, (b).geom)) / km2((b).geom) <= 0.001) AS answer FROM q;

-- [E05.a E05.b E05.c E05.d] whether A holds the largest, smallest, longest or shortest member wholly within C: at most 0.1 % of a member may lie outside
WITH held AS (
  SELECT q.id, q.a, q.p, e.kind, e.geom FROM q JOIN entity e ON e.kg = q.kg AND e.class = q.p ->> 'class'
    AND e.kind = CASE WHEN q.p ->> 'rank' IN ('largest', 'smallest') THEN 'surface' ELSE 'line' END
    AND coalesce(e.level = (q.p ->> 'level')::int, q.p ->> 'level' IS NULL) AND ST_Intersects(e.geom, (q.c).geom)
  WHERE ST_Covers((q.c).geom, e.geom) OR outside(e.geom, (q.c).geom) <= 0.001
), ranked AS (
  SELECT id, a, geom, row_number() OVER (PARTITION BY id ORDER BY
           CASE WHEN p ->> 'rank' IN ('largest', 'longest') THEN -1 ELSE 1 END
           * CASE WHEN kind = 'surface' THEN km2(geom) ELSE ST_Length(dense(geom), true) END) AS place
  FROM held
)
SELECT id, to_jsonb(outside(geom, (a).geom) <= 0.001) AS answer FROM ranked WHERE place = 1;
