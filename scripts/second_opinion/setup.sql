-- Tables and functions of the second opinion. Topology is planar on longitude and latitude; edges are straight there,
-- so they are cut to 0.05 degrees before they become geography, whose edges are geodesics (they stray less than 1 m then).
CREATE EXTENSION IF NOT EXISTS postgis;
DROP TABLE IF EXISTS stored, entity, asked, opinion CASCADE;
CREATE UNLOGGED TABLE stored (
  kg text, layer text, world boolean, iri text, class text, kind text, level int, admin text, event boolean,
  attributes text, wkb bytea
);
CREATE UNLOGGED TABLE asked (
  id text, sub text, kg text, p jsonb, a_iri text, b_iri text, c_iri text, d_iri text, x_iri text
);
CREATE UNLOGGED TABLE opinion (id text, answer jsonb);

-- the boundary line without the edges that data cut at longitude 180 or at a pole
CREATE OR REPLACE FUNCTION edge(g geometry) RETURNS geometry LANGUAGE sql IMMUTABLE AS $$
  SELECT ST_Difference(ST_Boundary(g), ST_GeomFromText(
    'MULTILINESTRING((180 -90, 180 90), (-180 -90, -180 90), (-180 -90, 180 -90), (-180 90, 180 90))', 4326)) $$;

CREATE OR REPLACE FUNCTION dense(g geometry) RETURNS geography LANGUAGE sql IMMUTABLE AS $$
  SELECT ST_Segmentize(g, 0.05)::geography $$;

-- on the Lambert azimuthal equal-area plane centred at a point, in metres, and back
CREATE OR REPLACE FUNCTION plane(g geometry, at geometry) RETURNS geometry LANGUAGE sql IMMUTABLE AS $$
  SELECT ST_Transform(g, format('+proj=laea +lat_0=%s +lon_0=%s +datum=WGS84 +units=m', ST_Y(at), ST_X(at))) $$;
CREATE OR REPLACE FUNCTION back(g geometry, at geometry) RETURNS geometry LANGUAGE sql IMMUTABLE AS $$
  SELECT ST_Transform(g, format('+proj=laea +lat_0=%s +lon_0=%s +datum=WGS84 +units=m', ST_Y(at), ST_X(at)), 4326) $$;

-- the point that is the centroid on the plane centred at itself: three steps are enough
CREATE OR REPLACE FUNCTION centre(g geometry) RETURNS geometry LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  fine geometry := ST_Segmentize(g, 0.05);
  at geometry;
BEGIN
  IF ST_Dimension(g) = 0 THEN RETURN g; END IF;
  at := ST_Centroid(g::geography)::geometry;
  FOR step IN 1..3 LOOP
    at := back(ST_Centroid(plane(fine, at)), at);
  END LOOP;
  RETURN at;
END $$;

-- one piece across longitude 180
CREATE OR REPLACE FUNCTION whole(g geometry) RETURNS geometry LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN ST_XMin(g) < -179.9999999 AND ST_XMax(g) > 179.9999999 THEN ST_UnaryUnion(ST_ShiftLongitude(g))
    ELSE g END $$;

-- a ring cut at its farthest vertices, both lines simplified and joined again; null where fewer than three corners stay
CREATE OR REPLACE FUNCTION simple_ring(ring geometry, metres double precision) RETURNS geometry LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  vertices geometry[] := ARRAY(SELECT geom FROM ST_DumpPoints(ring) ORDER BY path);
  n int := cardinality(vertices) - 1;
  far geometry := ST_LongestLine(ST_ConvexHull(ring), ST_ConvexHull(ring));
  ends int[] := ARRAY(SELECT k FROM generate_series(1, n) AS k WHERE ST_X(vertices[k]) IN (ST_X(ST_StartPoint(far)), ST_X(ST_EndPoint(far)))
                      AND vertices[k] IN (ST_StartPoint(far), ST_EndPoint(far)) ORDER BY k);
  there geometry := ST_Simplify(ST_MakeLine(vertices[ends[1]:ends[2]]), metres);
  back geometry := ST_Simplify(ST_MakeLine(vertices[ends[2]:n] || vertices[1:ends[1]]), metres);
BEGIN
  IF cardinality(ends) <> 2 THEN RAISE EXCEPTION 'a ring with % farthest vertices', cardinality(ends); END IF;
  IF ST_NPoints(there) + ST_NPoints(back) < 5 THEN RETURN NULL; END IF;
  RETURN ST_MakeLine(there, back);
END $$;

-- a surface on a plane simplified ring by ring; null where the result is empty or not valid
CREATE OR REPLACE FUNCTION simple_outline(flat geometry, metres double precision) RETURNS geometry LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN ST_IsValid(g) THEN g END FROM (
    SELECT ST_Collect(ST_MakePolygon(shell, holes)) AS g FROM (
      SELECT part, (array_agg(line) FILTER (WHERE ring = 0))[1] AS shell,
             coalesce(array_agg(line) FILTER (WHERE ring > 0 AND line IS NOT NULL), '{}') AS holes
      FROM (SELECT p.path AS part, r.path[1] AS ring, simple_ring(ST_ExteriorRing(r.geom), metres) AS line
            FROM ST_Dump(flat) AS p, ST_DumpRings(p.geom) AS r) AS rings
      GROUP BY part
    ) AS parts WHERE shell IS NOT NULL
  ) AS surface $$;

CREATE OR REPLACE FUNCTION km(g geography, h geography) RETURNS double precision LANGUAGE sql IMMUTABLE AS $$
  SELECT ST_Distance(g, h, true) / 1000 $$;
CREATE OR REPLACE FUNCTION km2(g geometry) RETURNS double precision LANGUAGE sql IMMUTABLE AS $$
  SELECT ST_Area(dense(g), true) / 1e6 $$;
-- from -180 to 180
CREATE OR REPLACE FUNCTION turn(degrees double precision) RETURNS double precision LANGUAGE sql IMMUTABLE AS $$
  SELECT degrees - 360 * floor((degrees + 180) / 360) $$;
CREATE OR REPLACE FUNCTION azimuth(g geometry, h geometry) RETURNS double precision LANGUAGE sql IMMUTABLE AS $$
  SELECT degrees(ST_Azimuth(g::geography, h::geography)) $$;
CREATE OR REPLACE FUNCTION bearing(direction text) RETURNS double precision LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE direction WHEN 'north' THEN 0 WHEN 'east' THEN 90 WHEN 'south' THEN 180 WHEN 'west' THEN 270 END $$;
-- 1 minus width over length of the least rotated rectangle
CREATE OR REPLACE FUNCTION elongation(g geometry) RETURNS double precision LANGUAGE sql IMMUTABLE AS $$
  SELECT 1 - least(s1, s2) / greatest(s1, s2) FROM (
    SELECT ST_Distance(ST_PointN(r, 1), ST_PointN(r, 2)) AS s1, ST_Distance(ST_PointN(r, 2), ST_PointN(r, 3)) AS s2
    FROM (SELECT ST_ExteriorRing(ST_OrientedEnvelope(plane(ST_Segmentize(g, 0.05), centre(g)))) AS r) AS ring
  ) AS sides $$;

-- share of the area or length of a geometry that lies outside a surface
CREATE OR REPLACE FUNCTION outside(g geometry, surface geometry) RETURNS double precision LANGUAGE sql IMMUTABLE AS $$
  SELECT 1 - CASE WHEN ST_Dimension(g) = 2 THEN km2(ST_Intersection(g, surface)) / km2(g)
    ELSE ST_Length(dense(ST_Intersection(g, surface)), true) / ST_Length(dense(g), true) END $$;
