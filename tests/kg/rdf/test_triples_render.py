"""Entities as N-Triples: the three vocabularies, escaping, WKT numbers; one entity and a whole snapshot
alike.
"""

from __future__ import annotations

import gzip
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyoxigraph as ox
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from multiglobeqa.errors import InputError
from multiglobeqa.kg import sparql, store, triples
from multiglobeqa.kg.schema import ENTITY_SCHEMA, LABEL_SCHEMA
from multiglobeqa.kg.triples_attributes import connect
from multiglobeqa.kg.triples_snapshot import entity_lines, render_snapshot

KWGR, KWG, WKG, WKGS, GEO = triples.KWGR, triples.KWG_ONT, triples.WKG, triples.WKGS, triples.GEO
ALL = [*triples.ASPECTS]
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)


def entity(**fields: Any) -> dict[str, Any]:
    row: dict[str, Any] = {
        "iri": "https://www.openstreetmap.org/node/1",
        "kg": "osmh3kg",
        "layer": "p",
        "name": "A",
        "class": "cafe",
        "kind": "point",
        "geometry": shapely.Point(7.4246158, 43.7384176),
        "admin": [],
        "attributes": {},
        "h3": 0x893969A4C6FFFFF,
        "time_start": None,
        "time_end": None,
    }
    row.update(fields)
    row["geometry"] = shapely.to_wkb(row["geometry"])
    row["attributes"] = json.dumps(row["attributes"], sort_keys=True, ensure_ascii=False)
    return row


def parsed(lines: list[str]) -> set[tuple[str, str, str]]:
    found = set()
    for line in lines:
        (quad,) = list(ox.parse(line, format=ox.RdfFormat.N_TRIPLES))
        subject, predicate, value = (str(term.value) for term in (quad.subject, quad.predicate, quad.object))
        found.add((subject, predicate, value))
    assert len(found) == len(lines)
    return found


def test_osm_entity() -> None:
    iri = "https://www.openstreetmap.org/node/1"
    parent = "https://www.openstreetmap.org/relation/9"
    lines = triples.render(entity(admin=[parent, "https://www.openstreetmap.org/relation/8"]), ALL)
    assert lines == [
        f"<{iri}> <{triples.RDF_TYPE}> <{WKGS}Cafe> .",
        f'<{iri}> <{triples.RDFS_LABEL}> "A" .',
        f"<{iri}> <{GEO}hasGeometry> <{iri}#geometry> .",
        f'<{iri}#geometry> <{GEO}asWKT> "POINT (7.4246158 43.7384176)"^^<{GEO}wktLiteral> .',
        f"<{iri}> <{GEO}sfWithin> <{parent}> .",
        f'<{iri}> <{GEO}asDGGS> "<https://h3geo.org/res/9> CELL (893969a4c6fffff)"^^<{GEO}dggsLiteral> .',
    ]
    parsed(lines)


def test_merged_feature_has_one_hash_in_each_iri() -> None:
    lines = triples.render(entity(iri="https://www.openstreetmap.org/way/5#road", kind="line"), ["geometry"])
    assert all("way/5#road.geometry>" in line for line in lines)
    parsed(lines)


def test_worldkg_entity_and_supplement() -> None:
    lines = triples.render(
        entity(iri=WKG + "100", kg="worldkg", admin=[WKG + "2"]), ["geometry", "parent", "cell"]
    )
    assert lines == [
        f"<{WKG}100> <{WKGS}spatialObject> <{WKG}geo100> .",
        f"<{WKG}geo100> <{triples.RDF_TYPE}> <{triples.SF}Point> .",
        f'<{WKG}geo100> <{GEO}asWKT> "Point(7.4246158 43.7384176)"^^<{GEO}wktLiteral> .',
    ]
    lake = entity(
        iri="https://www.naturalearthdata.com/lake/7", kg="worldkg", geometry=shapely.box(0, 0, 1, 1)
    )
    shape = triples.render(lake, ["geometry"])
    assert f"<{triples.SF}Polygon>" in shape[1] and "POLYGON ((" in shape[2]
    place = triples.render(entity(iri="https://sws.geonames.org/100/", kg="worldkg"), ["geometry"])
    assert f"{WKG}geo100" not in "".join(place)  # GeoNames 100 is not OSM node 100


def test_parents_in_knowwheregraph() -> None:
    country = KWGR + "administrativeRegion.USA"
    region = entity(iri=country + ".17", kg="knowwheregraph", admin=[country], **{"class": "admin1"})
    quake = entity(iri=KWGR + "earthquake.us1", kg="knowwheregraph", admin=[country + ".17", country])
    assert triples.render(region, ["parent"]) == [f"<{country}.17> <{KWG}administrativePartOf> <{country}> ."]
    assert triples.render(quake, ["parent"]) == [f"<{KWGR}earthquake.us1> <{KWG}sfWithin> <{country}.17> ."]
    assert triples.render(entity(kg="knowwheregraph", admin=None), ["parent"]) == []


def test_times() -> None:
    moment = datetime(2018, 2, 1, 21, 5, 6, 123000, UTC)
    iri = KWGR + "earthquake.us1"
    instant = triples.render(entity(iri=iri, time_start=moment, time_end=moment), ["time"])
    assert instant == [
        f"<{iri}> <{KWG}hasTemporalScope> <{iri}#time> .",
        f"<{iri}#time> <{triples.RDF_TYPE}> <{triples.TIME}Instant> .",
        f'<{iri}#time> <{triples.TIME}inXSDDateTime> "2018-02-01T21:05:06.123Z"^^<{triples.XSD}dateTime> .',
    ]
    interval = triples.render(
        entity(iri=iri, time_start=moment, time_end=datetime(2018, 2, 2, tzinfo=UTC)), ["time"]
    )
    assert len(interval) == 8
    assert f"<{iri}#time> <{triples.TIME}hasEnd> <{iri}#end> ." in interval
    assert any('"2018-02-02T00:00:00Z"' in line and "#end>" in line for line in interval)
    assert triples.render(entity(), ["time"]) == []
    assert triples.date_time(np.datetime64("2018-02-01T21:05:06.120", "ms")) == "2018-02-01T21:05:06.120Z"
    assert triples.date_time("2018-02-01T22:05:06+01:00") == "2018-02-01T21:05:06Z"


def test_fixes_border_footprint() -> None:
    track = KWGR + "stormTrack.AL12"
    fixes = [
        ["2005-08-23T18:00:00Z", -75.1, 23.1, None],
        ["2005-08-24T00:00:00Z", -75.7, 23.4, 0],
        ["2005-08-24T06:00Z", -76.2, 23.8, 120.5],
    ]
    lines = triples.render(entity(iri=track, kg="knowwheregraph", attributes={"fixes": fixes}), ["fixes"])
    facts = parsed(lines)
    assert {(track, KWG + "hasStormTracklet", f"{track}#fix.{n}") for n in range(3)} <= facts
    assert (f"{track}#fix.2.geometry", GEO + "asWKT", "POINT (-76.2 23.8)") in facts
    assert (f"{track}#fix.2.time", triples.TIME + "inXSDDateTime", "2005-08-24T06:00:00Z") in facts
    winds = {(s, o) for s, p, o in facts if p == triples.SOSA + "hasSimpleResult"}
    assert winds == {(f"{track}#fix.1.wind", "0"), (f"{track}#fix.2.wind", "120.5")}
    regions = [KWGR + "administrativeRegion.FRA", KWGR + "administrativeRegion.ESP"]
    border = triples.render(
        entity(iri=KWGR + "border.ESP.FRA", kg="knowwheregraph", attributes={"of": regions}), ["border"]
    )
    assert {o for _, p, o in parsed(border) if p == KWG + "borderOf"} == set(regions)
    footprint = triples.render(entity(iri=KWGR + "stormFootprint.AL12", kg="knowwheregraph"), ["footprint"])
    assert footprint == [f"<{KWGR}stormFootprint.AL12> <{KWG}isFootprintOf> <{track}> ."]


def test_attributes() -> None:
    values = {
        "addr:city": 'A "b"\\',
        "mag": 4.7,
        "n": 12,
        "ok": True,
        "none": None,
        "list": ["x", 1],
        "whole": 38.0,
    }
    aspects = [f"attribute:{name}" for name in values] + ["attribute:absent"]
    lines = triples.render(entity(kg="worldkg", attributes=values), aspects)
    end = {
        line.split("> <")[1].split(">")[0].removeprefix(WKGS): line.split("> ", 2)[2][:-2] for line in lines
    }
    assert end["addrCity"] == '"A \\"b\\"\\\\"'
    assert end["mag"] == f'"4.7"^^<{triples.XSD}double>'
    assert end["whole"] == f'"38"^^<{triples.XSD}double>'
    assert end["n"] == f'"12"^^<{triples.XSD}integer>'
    assert end["ok"] == f'"true"^^<{triples.XSD}boolean>'
    assert len(lines) == 7  # two of the list, none of null
    in_kwg = triples.render(
        entity(kg="knowwheregraph", attributes={"hasFIPS": "06083"}), ["attribute:hasFIPS"]
    )
    assert in_kwg == [f'<https://www.openstreetmap.org/node/1> <{KWG}hasFIPS> "06083" .']


def test_errors() -> None:
    with pytest.raises(InputError, match="unknown aspects"):
        triples.render(entity(), ["geometri"])
    with pytest.raises(InputError, match="not a class"):
        triples.render(entity(**{"class": "volcanoo"}), ["type"])
    with pytest.raises(InputError, match="not an IRI"):
        triples.render(entity(iri="https://x/a b"), ["label"])
    with pytest.raises(InputError, match="not JSON"):
        triples.render({**entity(), "attributes": "{"}, ["attribute:a"])
    with pytest.raises(InputError, match="finite"):
        triples.literal(float("nan"))


def test_property_names_are_those_of_the_ontology(shared: Path) -> None:
    path = shared / "data" / "public" / "rdf_github" / "WorldKG_Ontolgy.ttl"
    kinds: dict[str, str] = {}
    keys: dict[str, set[str]] = {}
    for quad in ox.parse(path=str(path), format=ox.RdfFormat.TURTLE):
        name, value = str(quad.subject.value), str(quad.object.value)
        if value == WKGS + "WKGProperty":
            kinds[name] = value
        if "wiki/Key:" in value:
            keys.setdefault(name, set()).add(value.rpartition("wiki/Key:")[2])
    wrong = [
        n for n in kinds if n in keys and n.removeprefix(WKGS) not in {triples.camel_case(k) for k in keys[n]}
    ]
    assert len(kinds) > 1800
    assert wrong == []


@settings(max_examples=200, deadline=None)
@given(texts)
def test_any_label_survives(text: str) -> None:
    (line,) = triples.render({**entity(), "name": text}, ["label"])
    (quad,) = list(ox.parse(line, format=ox.RdfFormat.N_TRIPLES))
    assert quad.object.value == text
    assert "\n" not in line and "\r" not in line


@settings(max_examples=300, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.integers(-1_800_000_000, 1_800_000_000) | st.integers(-2000, 2000),
            st.integers(-900_000_000, 900_000_000) | st.integers(-2000, 2000),
        ),
        min_size=1,
        max_size=6,
    )
)
def test_wkt_numbers_parse_back_to_the_same_floats(units: list[tuple[int, int]]) -> None:
    coordinates = np.array(units) / 1e7
    shapes = shapely.points(coordinates)
    written = triples.wkt_array(shapes)
    assert (shapely.get_coordinates(shapely.from_wkt(written)) == coordinates).all()
    for text in written:
        body = text[text.index("(") + 1 : -1]
        assert [float(number) for number in body.split()] in coordinates.tolist()
        assert "e" not in body and all(len(n.partition(".")[2]) <= 7 and n != "-0" for n in body.split())


def snapshot(
    folder: Path, kg: str, rows: list[dict[str, Any]], labels: list[tuple[str, str, str, str]]
) -> store.Snapshot:
    filled = [
        {
            "main_share": 1.0,
            "ref_lon": 0.0,
            "ref_lat": 0.0,
            "bbox": dict.fromkeys(("xmin", "ymin", "xmax", "ymax"), 0.0),
            **r,
        }
        for r in rows
    ]
    batch = pa.RecordBatch.from_pylist(
        [{f.name: r.get(f.name) for f in ENTITY_SCHEMA} for r in filled], ENTITY_SCHEMA
    )
    store.write_table(folder / "p.entities.parquet", ENTITY_SCHEMA, [batch])
    columns = [pa.array(column) for column in zip(*labels, strict=True)]
    store.write_labels(
        folder / "p.labels.parquet", [pa.RecordBatch.from_arrays(columns, schema=LABEL_SCHEMA)]
    )
    part = store.Part("p", len(rows), len(labels), "x", "x", None, False, {"p": "0"})
    return store.write_manifest(folder, kg, [part])


def nasty(kg: str, base: str) -> list[dict[str, Any]]:
    day = datetime(2005, 8, 23, 18, tzinfo=UTC)
    common: dict[str, Any] = {"kg": kg, "admin": [base + "parent"]}
    return [
        entity(
            iri=base + "1",
            name='quote " back \\ line\nfeed\r tab\t',
            attributes={"a:b": 'x\\"\n', "n": 3, "u": "ü"},
            **common,
        ),
        entity(iri=base + "2", geometry=shapely.Point(1e-7, -0.0000012), **common),
        entity(
            iri=base + "3",
            geometry=shapely.box(179, -1, 180, 1),
            kind="surface",
            time_start=day,
            time_end=day,
            **common,
        ),
        entity(
            iri=base + "4",
            geometry=shapely.MultiLineString([[(0, 0), (1, 1)]]),
            kind="line",
            attributes={
                "fixes": [["2005-08-23T18:00:00Z", 1.5, 2.5, 120]],
                "z": 1.5,
                "l": ["b", "a"],
                "d": {"y": 1},
                "b": False,
                "no": None,
            },
            **common,
        ),
        entity(iri=KWGR + "stormFootprint.X", attributes={"track": KWGR + "stormTrack.X"}, kg=kg, admin=[]),
        entity(
            iri=KWGR + "border.A.B",
            attributes={"of": [KWGR + "administrativeRegion.A", KWGR + "administrativeRegion.B"]},
            kg=kg,
            admin=[],
        ),
        entity(iri=KWGR + "administrativeRegion.A.1", kg=kg, admin=[KWGR + "administrativeRegion.A"]),
    ]


@pytest.mark.parametrize(
    ("kg", "base"),
    [
        ("osmh3kg", "https://www.openstreetmap.org/way/"),
        ("worldkg", WKG),
        ("knowwheregraph", KWGR + "airport."),
    ],
)
def test_snapshot_and_single_rendering_agree(tmp_path: Path, kg: str, base: str) -> None:
    rows = [*nasty(kg, base), entity(iri="https://www.openstreetmap.org/way/9#river", kg=kg, admin=[])]
    opened = snapshot(
        tmp_path / "kg",
        kg,
        rows,
        [
            (base + "1", "und", "plain", "name"),
            (base + "1", "deu", 'Ü "x"', "name"),
            (base + "1", "gsw", "y", "alias"),
        ],
    )
    with connect() as con:
        batch = pa.RecordBatch.from_pylist([{f.name: r.get(f.name) for f in ENTITY_SCHEMA} for r in rows])
        blocks = entity_lines(con, kg, batch).to_pylist()
    for row, block in zip(rows, blocks, strict=True):
        names = [n for n in json.loads(row["attributes"]) if n not in ("fixes", "of", "track")]
        single = triples.render(row, [*triples.ASPECTS, *(f"attribute:{n}" for n in names)])
        assert sorted(block.split("\n")) == sorted(single), row["iri"]
        parsed(single)
    counts = render_snapshot(opened, tmp_path / "out")
    text = gzip.decompress((tmp_path / "out" / "p.triples.nt.gz").read_bytes())
    quads = list(ox.parse(text, format=ox.RdfFormat.N_TRIPLES))
    assert counts == {"p": len(quads)} and len(quads) == sum(len(b.split("\n")) for b in blocks) + 2
    first = (tmp_path / "out" / "p.triples.nt.gz").read_bytes()
    render_snapshot(opened, tmp_path / "again")
    assert (tmp_path / "again" / "p.triples.nt.gz").read_bytes() == first
    expected = '"Ü \\"x\\""' if kg == "worldkg" else '"Ü \\"x\\""@de'
    assert expected in text.decode()


def test_sparql_store(tmp_path: Path) -> None:
    base = "https://www.openstreetmap.org/node/"
    opened = snapshot(tmp_path, "osmh3kg", nasty("osmh3kg", base), [(base + "1", "deu", "Eins", "name")])
    with pytest.raises(InputError, match="is missing"):
        sparql.load(opened)
    render_snapshot(opened)
    for where in (None, tmp_path / "disk"):
        graph = sparql.load(opened, store=where)
        rows = sparql.query(graph, f'SELECT ?l WHERE {{ <{base}1> rdfs:label ?l FILTER(lang(?l) = "de") }}')
        assert rows == [{"l": "Eins"}]
        assert sparql.query(graph, f"ASK {{ <{base}1> a wkgs:Cafe ; geo:sfWithin <{base}parent> }}") is True
        assert sparql.query(graph, "ASK { ?x a wkgs:Volcano }") is False
        del graph
    with pytest.raises(InputError, match="not empty"):
        sparql.load(opened, store=tmp_path / "disk")
    graph = sparql.load(opened)
    with pytest.raises(InputError, match="query:1"):
        sparql.query(graph, "SELECT ?x WHERE { ?x")
    file = tmp_path / "p.triples.nt.gz"
    file.write_bytes(file.read_bytes()[:200])
    with pytest.raises(InputError, match="cannot be read as triples"):
        sparql.load(opened)
