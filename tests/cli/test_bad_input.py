"""Bad input through the command: one line that names file and place, or a counted drop that does; and
nothing half-written.
"""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import osmium
import pyoxigraph
import pytest
import rasterio
from rasterio.transform import from_origin

from multiglobeqa.kg.store import open_snapshot

Mgqa = Callable[..., Any]

PREFIXES = """@prefix geo: <http://www.opengis.net/ont/geosparql#> .
@prefix kwg-ont: <http://stko-kwg.geog.ucsb.edu/lod/ontology/> .
@prefix kwgr: <http://stko-kwg.geog.ucsb.edu/lod/resource/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix sf: <http://www.opengis.net/ont/sf#> .
@prefix wkg: <http://www.worldkg.org/resource/> .
@prefix wkgs: <http://www.worldkg.org/schema/> .
"""
HEAD = PREFIXES.count("\n")
LATLON = "<http://www.opengis.net/def/crs/EPSG/0/4326> "
OSM = '<?xml version="1.0"?>\n<osm version="0.6" generator="hand">\n{}</osm>\n'
ONLY = ("--subtemplate", "A01", "--threads", "1")


def cafe(n: int, wkt: str) -> str:
    """Two lines of Turtle in WorldKG's schema."""
    return (
        f'wkg:{n} a wkgs:Cafe ; rdfs:label "Cafe {n}" ; wkgs:spatialObject wkg:geo{n} .\n'
        f'wkg:geo{n} a sf:Point ; geo:asWKT "{wkt}"^^geo:wktLiteral .\n'
    )


def region(code: str, level: int, wkt: str) -> str:
    """Two lines of Turtle in KnowWhereGraph's schema."""
    return (
        f"kwgr:administrativeRegion.{code} a kwg-ont:AdministrativeRegion_{level} ;"
        f' rdfs:label "Region {code}" ; geo:hasGeometry kwgr:geometry.{code} .\n'
        f'kwgr:geometry.{code} geo:asWKT "{wkt}"^^geo:wktLiteral .\n'
    )


def square(x: float, y: float) -> str:
    return f"POLYGON(({x} {y},{x + 1} {y},{x + 1} {y + 1},{x} {y + 1},{x} {y}))"


def airport(n: int, wkt: str, within: str) -> str:
    return (
        f'kwgr:airport.{n} a kwg-ont:Airport ; rdfs:label "Airport {n}" ;'
        f" kwg-ont:sfWithin kwgr:administrativeRegion.{within} ; geo:hasGeometry kwgr:geometry.{n} .\n"
        f'kwgr:geometry.{n} geo:asWKT "{wkt}"^^geo:wktLiteral .\n'
    )


@pytest.fixture
def refused(mgqa: Mgqa, tmp_path: Path) -> Callable[..., str]:
    """Run a command that must fail; returns the message. Nothing in the folder may change or appear."""

    def run(*arguments: Any) -> str:
        before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
        folders = {path for path in tmp_path.rglob("*") if path.is_dir()}
        ended = mgqa(*arguments)
        message = str(ended.err)
        assert ended.code == 1
        assert message.startswith("mgqa: ")
        assert message.count("\n") == 1
        assert "Traceback" not in message
        assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before
        assert {path for path in tmp_path.rglob("*") if path.is_dir()} == folders
        return message

    return run


@pytest.fixture
def imported(mgqa: Mgqa, tmp_path: Path) -> Callable[..., dict[str, Any]]:
    """Import a file that must pass; returns its report. The folder holds the snapshot and nothing else."""

    def run(source: str, file: Path, *options: Any) -> dict[str, Any]:
        out = tmp_path / "kg"
        ended = mgqa("kg", "import", source, file, "--out", out, *options, "--json")
        assert ended.code == 0, ended.err
        (part,) = open_snapshot(out).parts
        names = {f"{part.name}.entities.parquet", f"{part.name}.labels.parquet", "manifest.json"}
        assert {path.name for path in out.iterdir()} == names
        report: dict[str, Any] = json.loads(ended.out)["parts"][part.name]
        assert report == part.report
        return report

    return run


def town_pbf(folder: Path, osm_file: Path) -> Path:
    """The hand-made town as PBF."""
    file = folder / "town.osm.pbf"
    with osmium.SimpleWriter(str(file)) as writer:
        for item in osmium.FileProcessor(str(osm_file)):
            writer.add(item)
    return file


# --- OSM ---


@pytest.mark.parametrize("share", [0.1, 0.6, 0.99])
def test_truncated_pbf(refused: Callable[..., str], osm_file: Path, tmp_path: Path, share: float) -> None:
    whole = town_pbf(tmp_path, osm_file).read_bytes()
    cut = tmp_path / "cut.osm.pbf"
    cut.write_bytes(whole[: int(len(whole) * share)])
    for arguments in (
        ("kg", "import", "osm", cut, "--out", tmp_path / "new" / "kg"),
        ("build", "--source", cut, "--out", tmp_path / "new"),
        ("kg", "write-worldkg", cut, "--out", tmp_path / "cut.nt"),
    ):
        message = refused(*arguments)
        assert f"{cut}:" in message
        assert "before the first object" in message or "after node" in message
    assert f"after {cut.stat().st_size:,} bytes" in refused(
        "kg", "import", "osm", cut, "--out", tmp_path / "kg"
    )


def test_a_second_broken_file_leaves_the_snapshot_as_it_was(
    mgqa: Mgqa, refused: Callable[..., str], osm_file: Path, tmp_path: Path
) -> None:
    out, built = tmp_path / "kg", tmp_path / "built"
    cut = tmp_path / "cut.osm"
    cut.write_text(osm_file.read_text("utf-8")[:900], "utf-8")
    good = tmp_path / "good.osm"
    shutil.copy(osm_file, good)
    assert "cut.osm:line " in refused("kg", "import", "osm", good, cut, "--out", out)
    assert mgqa("kg", "import", "osm", good, "--out", out).code == 0
    assert mgqa("build", "--source", good, "--out", built, *ONLY).code == 0
    good.write_text(osm_file.read_text("utf-8").replace("Cafe 3", "Cafe three"), "utf-8")
    assert "cut.osm:line " in refused("kg", "import", "osm", good, cut, "--out", out)
    assert "cut.osm:line " in refused("build", "--source", good, "--source", cut, "--out", built, *ONLY)
    assert mgqa("kg", "info", out).code == 0
    assert mgqa("verify", built, "--threads", "1").code == 0


@pytest.mark.parametrize(
    ("content", "read"),
    [
        ("", "0 tagged objects"),
        ('<node id="7" lat="1" lon="2"><tag k="amenity" v="cafe"/></node>\n', "1 tagged"),
    ],
)
def test_empty_extract(refused: Callable[..., str], tmp_path: Path, content: str, read: str) -> None:
    file = tmp_path / "empty.osm"
    file.write_text(OSM.format(content), "utf-8")
    for arguments in (
        ("kg", "import", "osm", file, "--out", tmp_path / "kg"),
        ("build", "--source", file, "--out", tmp_path / "new"),
    ):
        message = refused(*arguments)
        assert "empty.osm:" in message
        assert read in message
        assert "is an empty extract" in message


def test_an_extract_of_ways_alone_is_built_without_worldkg(mgqa: Mgqa, tmp_path: Path) -> None:
    file, out = tmp_path / "ways.osm", tmp_path / "built"
    nodes = "".join(f'<node id="{n}" lat="47.0{n}" lon="9.4{n}"/>\n' for n in (1, 2))
    way = (
        '<way id="5"><nd ref="1"/><nd ref="2"/><tag k="highway" v="primary"/><tag k="name" v="Way"/></way>\n'
    )
    file.write_text(OSM.format(nodes + way), "utf-8")
    shown = mgqa("build", "--source", file, "--out", out, *ONLY)
    assert shown.code == 0, shown.err
    assert "No WorldKG snapshot" in shown.out
    assert [path.name for path in (out / "kg").iterdir()] == ["osmh3kg"]


# --- RDF and WKT ---


def test_broken_turtle_statement(imported: Callable[..., dict[str, Any]], tmp_path: Path) -> None:
    file = tmp_path / "broken.ttl"
    broken = 'wkg:2 a wkgs:Cafe ; rdfs:label "no end .\n'
    file.write_text(PREFIXES + cafe(1, "Point(9.5 47.1)") + broken + cafe(3, "Point(9.6 47.1)"), "utf-8")
    report = imported("worldkg", file)
    assert report["kept"] == {"point": 2}
    assert report["dropped"] == {"syntax_error": 1}
    assert report["examples"] == {"syntax_error": [f"broken.ttl:{HEAD + 3}"]}


def test_broken_prefix(refused: Callable[..., str], tmp_path: Path) -> None:
    file = tmp_path / "broken.ttl"
    file.write_text("@prefix ex: no-iri .\n" + PREFIXES + cafe(1, "Point(9.5 47.1)"), "utf-8")
    message = refused("kg", "import", "worldkg", file, "--out", tmp_path / "kg")
    assert "broken.ttl:1: has a broken prefix" in message


def n_triples(text: str) -> str:
    parsed = pyoxigraph.parse(input=text.encode(), format=pyoxigraph.RdfFormat.TURTLE)
    written = pyoxigraph.serialize((quad.triple for quad in parsed), format=pyoxigraph.RdfFormat.N_TRIPLES)
    assert written is not None
    return written.decode()


def test_broken_n_triples_line(imported: Callable[..., dict[str, Any]], tmp_path: Path) -> None:
    file = tmp_path / "broken.nt"
    good = n_triples(PREFIXES + cafe(1, "Point(9.5 47.1)"))
    lines = good.count("\n")
    file.write_text(good + '<http://x.example/2> <http://x.example/p> "no end\n' + good, "utf-8")
    report = imported("worldkg", file)
    assert report["kept"] == {"point": 1}
    assert report["examples"] == {"syntax_error": [f"broken.nt:{lines + 1}"]}


def test_truncated_gzip_and_a_file_without_triples(refused: Callable[..., str], tmp_path: Path) -> None:
    cut, none = tmp_path / "cut.nt.gz", tmp_path / "none.nt"
    cut.write_bytes(gzip.compress(n_triples(PREFIXES + cafe(1, "Point(9.5 47.1)")).encode())[:-12])
    none.write_text("not a triple\n", "utf-8")
    assert "cut.nt.gz:byte 0: is broken or cut off" in refused(
        "kg", "import", "worldkg", cut, "--out", tmp_path / "kg"
    )
    assert "none.nt: holds no triple (1 broken" in refused(
        "kg", "import", "worldkg", none, "--out", tmp_path / "kg"
    )


def test_latitude_out_of_range(imported: Callable[..., dict[str, Any]], tmp_path: Path) -> None:
    file = tmp_path / "axes.ttl"
    points = ("Point(9.5 47.1)", "Point(9.5 97.1)", "Point(200 100)", "Point(9.5", "<urn:x:crs> Point(1 2)")
    file.write_text(PREFIXES + "".join(cafe(n, text) for n, text in enumerate(points, 1)), "utf-8")
    report = imported("worldkg", file)
    assert report["kept"] == {"point": 1}
    causes = ("axes_swapped", "out_of_range", "wkt_unreadable", "unknown_crs")
    assert report["examples"] == {
        cause: [f"axes.ttl: http://www.worldkg.org/resource/{n}"] for n, cause in enumerate(causes, 2)
    }


def test_swapped_axes_by_prefix_and_by_country(
    imported: Callable[..., dict[str, Any]], mgqa: Mgqa, tmp_path: Path
) -> None:
    """EPSG:4326 is latitude first: airport 1 is right, 2 has 118 for a latitude. 3 and 4 are in range either
    way; in Qatar, as 4 says of itself, it lies only with the axes exchanged.
    """
    file = tmp_path / "axes.ttl"
    file.write_text(
        PREFIXES
        + region("QAT", 0, square(51, 25))
        + region("USA", 0, square(-118, 34))
        + airport(1, LATLON + "POINT(33.9 -118.4)", "USA")
        + airport(2, LATLON + "POINT(-118.4 33.9)", "USA")
        + airport(3, "POINT(51.6 25.3)", "QAT")
        + airport(4, "POINT(25.3 51.6)", "QAT"),
        "utf-8",
    )
    report = imported("knowwheregraph", file)
    assert report["kept"] == {"point": 2, "surface": 2}
    iri = "axes.ttl: http://stko-kwg.geog.ucsb.edu/lod/resource/airport."
    assert report["examples"] == {"axes_swapped": [f"{iri}2"], "axes_swapped_by_country": [f"{iri}4"]}
    asked = "SELECT ?w WHERE { kwgr:airport.1 geo:hasGeometry ?g . ?g geo:asWKT ?w }"
    (row,) = json.loads(mgqa("kg", "sparql", tmp_path / "kg", asked, "--json").out)
    assert row["w"] == "POINT (-118.4 33.9)"


def test_bad_rows_of_a_table(
    imported: Callable[..., dict[str, Any]], refused: Callable[..., str], tmp_path: Path
) -> None:
    file = tmp_path / "table.csv"
    rows = "hospital,name,wkt\nhttp://x.example/1,One,POINT(9.5 47.1)\nhttp://x.example/2,Two,POINT(9 147)\n"
    file.write_text(rows, "utf-8")
    report = imported("knowwheregraph", file)
    assert report["examples"] == {"axes_swapped": ["table.csv: row 2"]}
    file.write_text(rows + "http://x.example/3,Three\n", "utf-8")
    message = refused("kg", "import", "knowwheregraph", file, "--out", tmp_path / "kg")
    assert "table.csv: " in message
    assert "Row #4" in message


# --- strata ---


def test_raster_in_another_crs(refused: Callable[..., str], osm_file: Path, tmp_path: Path) -> None:
    raster = tmp_path / "utm.tif"
    place = {"crs": "EPSG:32632", "transform": from_origin(500_000, 5_200_000, 1000, 1000)}
    with rasterio.open(
        raster, "w", driver="GTiff", width=4, height=4, count=1, dtype="float32", **place
    ) as file:
        file.write(np.ones((1, 4, 4), "float32"))
    arguments = ("kg", "import", "osm", osm_file, "--out", tmp_path / "kg", "--raster")
    message = refused(*arguments, raster)
    assert "utm.tif: has coordinate system EPSG:32632" in message
    assert "gdalwarp" in message
    (tmp_path / "no.tif").write_text("no raster", "utf-8")
    assert "no.tif: cannot be read as a raster" in refused(*arguments, tmp_path / "no.tif")


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("FRA,HIC\nQQQ,LIC\n", "incomes.csv:line 3: has the unknown country code 'QQQ'"),
        ("FRA,RICH\n", "incomes.csv:line 2: has the income tier 'RICH'"),
        ("FRA,HIC\nFRA,LIC\n", "incomes.csv:line 3: has FRA twice"),
    ],
)
def test_income_table(
    refused: Callable[..., str], osm_file: Path, tmp_path: Path, rows: str, message: str
) -> None:
    table = tmp_path / "incomes.csv"
    table.write_text("iso3,income_tier\n" + rows, "utf-8")
    assert message in refused("kg", "import", "osm", osm_file, "--out", tmp_path / "kg", "--incomes", table)


def test_an_income_table_decides_the_tier(mgqa: Mgqa, osm_file: Path, tmp_path: Path) -> None:
    table = tmp_path / "incomes.csv"
    table.write_text("iso3,income_tier\nLIE,LIC\nCHE,LIC\nAUT,LIC\n", "utf-8")
    assert mgqa("kg", "import", "osm", osm_file, "--out", tmp_path / "kg", "--incomes", table).code == 0
    strata = json.loads(mgqa("kg", "info", tmp_path / "kg", "--json").out)["strata"]
    assert {row["income"] for row in strata if row["point"]} == {"LIC"}


def test_unknown_country_code_in_a_source(imported: Callable[..., dict[str, Any]], tmp_path: Path) -> None:
    file = tmp_path / "codes.ttl"
    file.write_text(
        PREFIXES
        + region("QQQ", 0, square(9, 47))
        + region("QQQ.1", 1, square(9, 47))
        + region("FRA", 0, square(2, 47)),
        "utf-8",
    )
    report = imported("knowwheregraph", file)
    assert report["kept"] == {"surface": 3}
    assert report["dropped"] == {"country_code_unknown": 2}
    (place,) = report["examples"]["country_code_unknown"]
    assert place.startswith("codes.ttl: ")
    assert place.endswith("administrativeRegion.QQQ (QQQ)")


# --- what is not there, or not what it should be ---


@pytest.mark.parametrize(
    "arguments",
    [
        ("kg", "import", "osm", "{none}.osm.pbf", "--out", "{out}"),
        ("kg", "import", "worldkg", "{none}.ttl", "--out", "{out}"),
        ("kg", "import", "knowwheregraph", "{none}.csv", "--out", "{out}"),
        ("kg", "import", "knowwheregraph", "{none}.nt.gz", "--out", "{out}"),
        ("kg", "import", "osm", "{osm}", "--out", "{out}", "--raster", "{none}.tif"),
        ("kg", "import", "osm", "{osm}", "--out", "{out}", "--incomes", "{none}.csv"),
        ("kg", "write-worldkg", "{none}.osm", "--out", "{out}.nt"),
        ("kg", "info", "{none}"),
        ("kg", "triples", "{none}", "--out", "{out}.nt"),
        ("kg", "sparql", "{none}", "ASK {{}}"),
        ("build", "--source", "{none}.osm.pbf", "--out", "{out}"),
        ("build", "--kg", "{none}", "--out", "{out}"),
        ("verify", "{none}"),
        ("baseline", "majority", "{none}", "--out", "{out}.jsonl"),
        ("baseline", "oracle-solver", "{none}", "--out", "{out}.jsonl"),
        ("score", "{none}.jsonl", "--benchmark", "{none}", "--out", "{out}.parquet"),
        ("report", "--benchmark", "{none}", "--html", "{out}.html"),
    ],
    ids=lambda arguments: " ".join(arguments[:4]),
)
def test_a_file_that_is_not_there(
    refused: Callable[..., str], osm_file: Path, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    names = {"none": tmp_path / "absent", "out": tmp_path / "new", "osm": osm_file}
    assert str(tmp_path / "absent") in refused(*(part.format(**names) for part in arguments))


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("kg", "info", "{folder}"), "no manifest.json"),
        (("kg", "triples", "{folder}", "--out", "{out}.nt"), "no manifest.json"),
        (("kg", "sparql", "{folder}", "ASK {{}}"), "no manifest.json"),
        (("build", "--kg", "{folder}", "--out", "{out}"), "no manifest.json"),
        (("verify", "{folder}"), "questions.parquet"),
        (("baseline", "majority", "{folder}", "--out", "{out}.jsonl"), "questions.parquet"),
        (("score", "r.jsonl", "--benchmark", "{folder}", "--out", "{out}.parquet"), "is no benchmark"),
        (("report", "--benchmark", "{folder}", "--html", "{out}.html"), "build.json"),
    ],
    ids=lambda value: " ".join(value[:2]) if isinstance(value, tuple) else value,
)
def test_a_folder_that_is_no_snapshot_or_benchmark(
    refused: Callable[..., str], tmp_path: Path, arguments: tuple[str, ...], word: str
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "note.txt").write_text("something else", "utf-8")
    message = refused(*(part.format(folder=folder, out=tmp_path / "new") for part in arguments))
    assert str(folder) in message
    assert word in message


@pytest.mark.parametrize("content", [b"", b"no Parquet", b"PAR1 cut off in the middle of the file"])
def test_a_damaged_part_of_a_snapshot(
    refused: Callable[..., str], snapshot: Path, tmp_path: Path, content: bytes
) -> None:
    for name in ("places.labels.parquet", "places.entities.parquet"):
        (snapshot / name).write_bytes(content)
        for arguments in (
            ("kg", "info", snapshot),
            ("build", "--kg", snapshot, "--out", tmp_path / "new"),
            ("kg", "triples", snapshot, "--out", tmp_path / "all.nt"),
        ):
            message = refused(*arguments)
            assert f"{name}:{len(content)} bytes: is no whole Parquet file" in message
    (snapshot / "manifest.json").write_text('{"kg": ', "utf-8")
    assert "manifest.json: cannot be read as a manifest" in refused("kg", "info", snapshot)


def test_bad_replies_and_a_damaged_benchmark(
    mgqa: Mgqa, refused: Callable[..., str], osm_file: Path, tmp_path: Path
) -> None:
    bench, replies, scores = tmp_path / "bench", tmp_path / "replies.jsonl", tmp_path / "scores.parquet"
    assert mgqa("build", "--source", osm_file, "--out", bench, *ONLY).code == 0
    question = json.loads((bench / "questions.jsonl").read_text("utf-8").splitlines()[0])["id"]
    for line, message in (
        ('{"id": ', "2: is not JSON"),
        ('{"id": "x"}', "2: is no reply: it has neither"),
        ('{"id": "feedfeedfeedfeed", "answer": 1}', "2: feedfeedfeedfeed"),
    ):
        replies.write_text(f'{{"id": "{question}", "answer": 1}}\n{line}\n', "utf-8")
        assert message in refused("score", replies, "--benchmark", bench, "--out", scores, "--strict")
        told = mgqa("score", replies, "--benchmark", bench)
        assert (told.code, message in told.out) == (0, True)
    scores.write_text("no Parquet", "utf-8")
    message = refused("report", scores, "--benchmark", bench, "--html", tmp_path / "r.html")
    assert "scores.parquet: cannot be read as Parquet" in message
    for name in ("facts.parquet", "questions.parquet"):
        (bench / name).write_bytes((bench / name).read_bytes()[:-50])
        assert f"{name}:" in refused("verify", bench, "--threads", "1")
        assert f"{name}: " in refused("baseline", "oracle-solver", bench, "--out", tmp_path / "o.jsonl")
    (bench / "build.json").write_text("{", "utf-8")
    assert "build.json: is not JSON" in refused("report", "--benchmark", bench, "--html", tmp_path / "r.html")
