-- Stored rows become entities with both geometries and their indexes; roles become entity numbers.
CREATE UNLOGGED TABLE entity AS
SELECT row_number() OVER (ORDER BY kg, layer, iri) AS n, kg, layer, world, iri, class, kind, level, event,
       ARRAY(SELECT jsonb_array_elements_text(admin::jsonb)) AS admin, attributes::jsonb AS attributes,
       ST_GeomFromWKB(wkb, 4326) AS geom, dense(ST_GeomFromWKB(wkb, 4326)) AS geog
FROM stored;
CREATE UNIQUE INDEX ON entity (n);
CREATE INDEX ON entity (kg, iri);
CREATE INDEX ON entity (kg, class);
CREATE INDEX ON entity USING gin (admin);
CREATE INDEX ON entity USING gist (geom);
CREATE INDEX ON entity USING gist (geog);
DROP TABLE stored;
ANALYZE entity;
