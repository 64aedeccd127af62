-- The area swept by each asked storm's winds, from the fixes of its track: geodesic discs of half the diameter (nautical
-- miles), each 10 km along every stretch between two fixes of known diameter, not both 0; lone fixes with winds are discs.
DROP TABLE IF EXISTS swept;
CREATE UNLOGGED TABLE swept AS
WITH fix AS (
  SELECT e.n, f.place, (f.value ->> 1)::float AS lon, (f.value ->> 2)::float AS lat, (f.value ->> 3)::float AS nm
  FROM (SELECT DISTINCT e.n, e.attributes FROM asked s JOIN entity e ON e.kg = s.kg AND e.iri = s.a_iri
        WHERE s.sub = 'I02.a' OR s.sub LIKE 'I04%' OR s.sub LIKE 'I05%') e,
       jsonb_array_elements(e.attributes -> 'fixes') WITH ORDINALITY AS f(value, place)
), leg AS (
  SELECT n, place, lon, lat, nm, lead(nm) OVER w AS next_nm, lag(nm) OVER w AS last_nm,
         ST_Point(lon, lat, 4326)::geography AS here, lead(ST_Point(lon, lat, 4326)::geography) OVER w AS there
  FROM fix WINDOW w AS (PARTITION BY n ORDER BY place)
), stretch AS (
  SELECT n, here, there, nm, next_nm, ST_Distance(here, there, true) AS metres FROM leg
  WHERE there IS NOT NULL AND greatest(nm, next_nm) > 0 AND nm IS NOT NULL AND next_nm IS NOT NULL
), disc AS (
  SELECT n, CASE WHEN metres = 0 THEN here ELSE ST_Project(here, m, ST_Azimuth(here, there)) END AS middle,
         (nm + (next_nm - nm) * CASE WHEN metres = 0 THEN 0 ELSE m / metres END) / 2 * 1852 AS radius
  FROM stretch, LATERAL (SELECT generate_series(0, floor(metres / 10000)::int) * 10000.0 AS m UNION SELECT metres) AS step
  UNION ALL
  SELECT n, here, nm / 2 * 1852 FROM leg
  WHERE nm > 0 AND (there IS NULL OR next_nm IS NULL) AND (last_nm IS NULL)
), ring AS (
  SELECT n, middle, row_number() OVER () AS d, radius, ST_X(middle::geometry) AS lon FROM disc WHERE radius > 0
), polygon AS ( -- longitudes go on beyond 180, near the storm's first fix
  SELECT r.n, r.d, ST_MakePolygon(ST_MakeLine(ST_Point(f.lon + turn(r.lon - f.lon) + turn(ST_X(p.at) - r.lon), ST_Y(p.at), 4326)
           ORDER BY p.k)) AS geom
  FROM ring r JOIN fix f ON f.n = r.n AND f.place = 1,
       LATERAL (SELECT k, ST_Project(r.middle, r.radius, radians(k % 180 * 2))::geometry AS at
                FROM generate_series(0, 180) AS k) AS p
  GROUP BY r.n, r.d
)
SELECT n, ST_WrapX(ST_WrapX(ST_Union(geom), 180, -360), -180, 360) AS geom FROM polygon GROUP BY n;
