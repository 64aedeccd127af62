"""WorldKG: import of a small dump, classes through the ontology, round trip from a real extract."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import osmium
import pyarrow as pa
import pyoxigraph as ox
import pytest
import shapely

from multiglobeqa.errors import InputError
from multiglobeqa.kg import rdf_spool, worldkg, write_worldkg
from multiglobeqa.kg.classes import load
from multiglobeqa.kg.osm.tags import display_name
from multiglobeqa.kg.report import ImportReport
from multiglobeqa.kg.schema import LABEL_SCHEMA, RAW_SCHEMA
from multiglobeqa.kg.triples import WKG

DATA = Path(__file__).parent / "data"
Rows = dict[str, dict[str, Any]]
MONACO = Path("data") / "registry" / "osm_registry" / "monaco_quackosm-0.19.0.osm.pbf"


@pytest.fixture
def ontology(shared: Path) -> Path:
    return shared / "data" / "public" / "rdf_github" / "WorldKG_Ontolgy.ttl"


def run(path: Path, **options: Any) -> tuple[Rows, list[dict[str, str]], ImportReport]:
    report = ImportReport(path.name)
    raw, labels = worldkg.read(path, report, **options)
    entities = pa.Table.from_batches(raw, RAW_SCHEMA)
    names = pa.Table.from_batches(labels, LABEL_SCHEMA)
    rows = {row["iri"].removeprefix(WKG): row for row in entities.to_pylist()}
    assert len(rows) == entities.num_rows == sum(report.kept.values())
    return rows, names.to_pylist(), report


def test_small_dump(ontology: Path) -> None:
    rows, labels, report = run(DATA / "worldkg_small.ttl", ontology=ontology)
    assert {key: (row["name"], row["class"], row["kind"]) for key, row in rows.items()} == {
        "100": ("Café de Paris", "cafe", "point"),
        "101": ("Saint-Denis", "city", "point"),
        "102": ("Foto Quelle", "shop", "point"),  # wkgs:Camera: shop=camera
        "108": ("Two types", "restaurant", "point"),  # the other type, a road, has no points
    }
    assert shapely.from_wkb(rows["100"]["geometry"]).wkt == "POINT (7.4246158 43.7384176)"
    assert json.loads(rows["100"]["attributes"])["wikidata"] == "Q1023456"
    assert rows["100"]["image"] == "https://example.org/cafe.jpg"
    assert rows["100"]["admin"] is None
    assert [(n["lang"], n["label"], n["kind"]) for n in labels if n["iri"] == WKG + "100"] == [
        ("eng", "Café de Paris", "name"),
        ("rus", "Кафе де Пари", "name"),
        ("und", 'Café "de" Paris', "name"),
        ("und", "Le Café", "alias"),
        ("und", "Paris Café", "alias"),
    ]
    assert report.dropped == {
        "axes_swapped": 1, "class_unmapped": 1, "no_geometry": 1, "syntax_error": 1, "unnamed": 1,
    }  # fmt: skip
    assert report.unnamed == {"cafe": 1}
    assert report.examples["syntax_error"] == ["worldkg_small.ttl:54"]
    assert report.examples["axes_swapped"] == [f"worldkg_small.ttl: {WKG}103"]
    assert report.read["resource"] == sum(report.dropped.values()) - 1 + len(rows)


def test_order_of_the_lines_makes_no_difference(ontology: Path, tmp_path: Path) -> None:
    text = (DATA / "worldkg_small.ttl").read_text("utf-8").replace('"Broken ;', '"Broken" ;')
    quads = ox.parse(text, format=ox.RdfFormat.TURTLE)
    lines = [f"{q.subject} {q.predicate} {q.object} ." for q in quads]
    (tmp_path / "a.nt").write_text("\n".join(sorted(lines)) + "\n")
    (tmp_path / "b.nt").write_text("\n".join(sorted(lines, reverse=True)) + "\n" + lines[0] + "\n")
    first, second = run(tmp_path / "a.nt", ontology=ontology), run(tmp_path / "b.nt", ontology=ontology)
    assert first[:2] == second[:2]
    assert first[2].dropped == second[2].dropped
    assert first[2].dropped["no_geometry"] == 2


def test_ranges_of_subjects_make_no_difference(ontology: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = run(DATA / "worldkg_small.ttl", ontology=ontology)
    monkeypatch.setattr(rdf_spool, "RANGE_ROWS", 2)
    parts = run(DATA / "worldkg_small.ttl", ontology=ontology)
    assert parts[:2] == whole[:2]
    assert parts[2].as_dict() == whole[2].as_dict()


def test_axis_order_of_a_source(ontology: Path, tmp_path: Path) -> None:
    text = (
        (DATA / "worldkg_small.ttl")
        .read_text("utf-8")
        .replace("7.4246158 43.7384176", "43.7384176 7.4246158")
    )
    (tmp_path / "swapped.ttl").write_text(text, "utf-8")
    rows, _, _ = run(tmp_path / "swapped.ttl", ontology=ontology, axis_order="latlon")
    assert shapely.from_wkb(rows["100"]["geometry"]).wkt == "POINT (7.4246158 43.7384176)"
    assert "103" in rows  # Point(37.77 -122.41), latitude first


def test_classes_through_the_ontology(ontology: Path) -> None:
    known, classes = worldkg.Ontology.read(ontology), load()
    found = {name: worldkg.class_of_type(name, classes, known) for name in known.sources}
    assert len(found) > 1100
    assert found["Cafe"] == "cafe" and found["Camera"] == "shop" and found["Sea"] is None
    assert found["Photographer"] is None  # a craft; wkgs:Craft is shop=craft as well
    for name, key in found.items():  # what the tag says is never contradicted
        tag_key, _, value = known.sources[name].partition("=")
        by_tag = classes.of_wkgs(name) or classes.of_tags({tag_key: value})
        assert key == by_tag or (by_tag is None and classes[key].generic if key else by_tag is None), name
    assert worldkg.class_of_type("Camera", classes, None) is None
    with pytest.raises(InputError, match="names no OSM tag"):
        worldkg.Ontology.read(DATA / "kwg_generation1.ttl")


def test_quotes_escaped_twice_by_the_public_generator(tmp_path: Path) -> None:
    file = tmp_path / "twice.nt"
    head, schema = f"<{WKG}1>", "http://www.worldkg.org/schema/"
    file.write_text(
        f"{head} <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <{schema}Cafe> .\n"
        f'{head} <http://www.w3.org/2000/01/rdf-schema#label> "Bar \\\\\\"Ost\\\\\\"" .\n'
        f"{head} <{schema}wikidata> <http://www.wikidata.org/wiki/Q42> .\n"
        f"{head} <{schema}spatialObject> <{WKG}geo1> .\n"
        f'<{WKG}geo1> <http://www.opengis.net/ont/geosparql#asWKT> "Point(1 2)" .\n'
    )
    rows, _, _ = run(file)
    assert rows["1"]["name"] == 'Bar "Ost"'
    assert json.loads(rows["1"]["attributes"]) == {"wikidata": "Q42"}


@pytest.mark.parametrize(("name", "with_ontology"), [("monaco.ttl", True), ("monaco.nt.gz", False)])
def test_round_trip_of_a_real_extract(
    shared: Path, ontology: Path, tmp_path: Path, name: str, with_ontology: bool
) -> None:
    options = {"ontology": ontology} if with_ontology else {}
    written = ImportReport("write")
    count = write_worldkg.write(shared / MONACO, tmp_path / name, written, **options)
    rows, labels, report = run(tmp_path / name, **options)
    assert report.read["resource"] == count == written.kept["point"]
    classes = load()
    expected = {}
    for node in osmium.FileProcessor(str(shared / MONACO), osmium.osm.NODE):
        tags = {tag.k: tag.v for tag in node.tags}
        text, key = display_name(tags), classes.of_tags(tags, "point")
        if len(tags) > 1 and text and key:
            assert isinstance(node, osmium.osm.Node)
            place = shapely.Point(round(node.location.lon, 7), round(node.location.lat, 7))
            expected[str(node.id)] = (text, key, place.wkt)
    found = {k: (r["name"], r["class"], shapely.from_wkb(r["geometry"]).wkt) for k, r in rows.items()}
    assert len(expected) > 500
    assert {key: found.get(key) for key in expected} == expected
    extra = {key: row for key, row in found.items() if key not in expected}
    assert len(extra) == 0 if not with_ontology else len(extra) < 10
    assert {row["lang"] for row in labels} > {"und", "fra", "eng"}


def test_written_file_is_whole_and_the_same_each_time(shared: Path, ontology: Path, tmp_path: Path) -> None:
    for name in ("a.ttl.gz", "b.ttl.gz", "a.nt"):
        write_worldkg.write(shared / MONACO, tmp_path / name, ImportReport("x"), ontology=ontology)
    first = (tmp_path / "a.ttl.gz").read_bytes()
    assert first == (tmp_path / "b.ttl.gz").read_bytes()
    turtle = ox.parse(gzip.decompress(first), format=ox.RdfFormat.TURTLE)
    lines = ox.parse(path=str(tmp_path / "a.nt"), format=ox.RdfFormat.N_TRIPLES)
    assert {str(q) for q in turtle} == {str(q) for q in lines}


def test_bad_targets_and_sources(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not named as Turtle"):
        write_worldkg.write(tmp_path / "x.osm", tmp_path / "y.csv", ImportReport("x"))
    (tmp_path / "x.osm.pbf").write_bytes(b"not a pbf")
    with pytest.raises(InputError, match=r"x\.osm\.pbf.*cannot be read as OSM"):
        write_worldkg.write(tmp_path / "x.osm.pbf", tmp_path / "y.ttl", ImportReport("x"))
    assert not (tmp_path / "y.ttl").exists()
    with pytest.raises(InputError, match="holds no triple"):
        (tmp_path / "empty.ttl").write_text("")
        worldkg.read(tmp_path / "empty.ttl", ImportReport("x"))
