"""``mgqa kg``."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyoxigraph
import pytest

from multiglobeqa.kg.store import open_snapshot

Mgqa = Callable[..., Any]


def test_info_counts_parts_kinds_strata_languages_and_lines(mgqa: Mgqa, snapshot: Path) -> None:
    found = json.loads(mgqa("kg", "info", snapshot, "--json").out)
    assert found["entities"] == 6
    assert found["kinds"] == {"point": 3, "line": 2, "surface": 1}
    assert found["classes"] == {"city": {"point": 3}, "border": {"line": 2}, "lake": {"surface": 1}}
    strata = {(r["income"], r["density"]): (r["point"], r["line"], r["surface"]) for r in found["strata"]}
    assert len(strata) == 13
    assert strata["LIC", "low"] == (1, 1, 0)
    assert strata["LIC", "medium"] == (0, 1, 0)
    assert strata["HIC", "high"] == (0, 0, 1)
    assert strata[None, None] == (2, 0, 0)
    assert found["unclassified"] == 1
    assert found["countries"] == {"TCD": 3, "ETH": 1, "NER": 1}
    assert found["languages"] == {"eng": 1, "fra": 1}
    assert found["lines"] == [
        {"cls": "border", "country": "NER", "count": 1, "length_km": 110.5},
        {"cls": "border", "country": "TCD", "count": 1, "length_km": 110.5},
    ]
    (part,) = found["parts"]
    assert (part["supplement"], part["complete_in"], part["licence"]) == (True, "the world", "CC-BY-4.0")


def test_info_prints_the_same_for_people(mgqa: Mgqa, snapshot: Path) -> None:
    shown = mgqa("kg", "info", snapshot).out
    for words in ("6 entities", "places *", "supplement", "CC-BY-4.0: Hand-made", "TCD 3", "fra 1", "110.5"):
        assert words in shown
    assert open_snapshot(snapshot).snapshot_id in shown


def test_import_prints_a_loss_report_and_writes_a_snapshot(
    mgqa: Mgqa, osm_file: Path, tmp_path: Path
) -> None:
    out = tmp_path / "kg"
    shown = mgqa("kg", "import", "osm", osm_file, "--out", out)
    assert shown.code == 0, shown.err
    snapshot = open_snapshot(out)
    assert snapshot.kg == "osmh3kg"
    assert [part.name for part in snapshot.parts] == ["Little_Town"]
    assert snapshot.parts[0].licence == "ODbL-1.0"
    assert snapshot.parts[0].coverage is not None
    assert "kept 1 line, 12 point" in shown.out
    assert "Little Town.osm" in shown.out
    assert "unnamed" in shown.out
    assert "50" in shown.out  # the cafe without a name, by id
    assert snapshot.snapshot_id in shown.out


def test_a_second_import_adds_a_part_and_keeps_the_first(mgqa: Mgqa, osm_file: Path, tmp_path: Path) -> None:
    out = tmp_path / "kg"
    first = json.loads(mgqa("kg", "import", "osm", osm_file, "--out", out, "--json").out)
    second = json.loads(
        mgqa(
            "kg", "import", "osm", osm_file, "--out", out, "--name", "again", "--licence", "CC0-1.0", "--json"
        ).out
    )
    assert first["parts"]["Little_Town"]["kept"] == second["parts"]["again"]["kept"]
    assert list(second["parts"]) == ["again"]
    assert first["snapshot_id"] != second["snapshot_id"]
    parts = open_snapshot(out).parts
    assert [(part.name, part.licence) for part in parts] == [
        ("Little_Town", "ODbL-1.0"),
        ("again", "CC0-1.0"),
    ]


def test_import_is_the_same_twice(mgqa: Mgqa, osm_file: Path, tmp_path: Path) -> None:
    ids = {
        json.loads(mgqa("kg", "import", "osm", osm_file, "--out", tmp_path / name, "--json").out)[
            "snapshot_id"
        ]
        for name in ("one", "two")
    }
    assert len(ids) == 1


def test_a_folder_of_another_kg_is_refused(mgqa: Mgqa, osm_file: Path, snapshot: Path) -> None:
    before = open_snapshot(snapshot).snapshot_id
    ended = mgqa("kg", "import", "osm", osm_file, "--out", snapshot)
    assert ended.code == 1
    assert "worldkg" in ended.err
    assert open_snapshot(snapshot).snapshot_id == before


@pytest.mark.parametrize(
    ("names", "options", "message"),
    [
        (("a.osm", "b.osm"), ("--name", "x"), "one name for several files"),
        (("a.osm", "sub/a.osm"), (), "two files give the part name"),
        (("a.osm",), ("--name", "//"), "no part name"),
    ],
)
def test_part_names_that_do_not_work_are_refused(
    mgqa: Mgqa, osm_file: Path, tmp_path: Path, names: tuple[str, ...], options: tuple[str, ...], message: str
) -> None:
    files = [tmp_path / name for name in names]
    for file in files:
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(osm_file.read_bytes())
    ended = mgqa("kg", "import", "osm", *files, "--out", tmp_path / "kg", *options)
    assert ended.code == 1
    assert message in ended.err


def test_a_truncated_file_names_the_file_and_leaves_no_snapshot(
    mgqa: Mgqa, shared: Path, tmp_path: Path
) -> None:
    whole = shared / "data" / "registry" / "osm_registry" / "monaco_quackosm-0.19.0.osm.pbf"
    cut = tmp_path / "cut.osm.pbf"
    cut.write_bytes(whole.read_bytes()[:100_000])
    ended = mgqa("kg", "import", "osm", cut, "--out", tmp_path / "kg")
    assert ended.code == 1
    assert "cut.osm.pbf" in ended.err
    assert not (tmp_path / "kg" / "manifest.json").exists()


def test_triples_go_to_one_file_packed_or_not(mgqa: Mgqa, osm_file: Path, tmp_path: Path) -> None:
    out = tmp_path / "kg"
    for name in ("one", "two"):
        mgqa("kg", "import", "osm", osm_file, "--out", out, "--name", name)
    shown = mgqa("kg", "triples", out, "--out", tmp_path / "all.nt")
    assert shown.code == 0, shown.err
    mgqa("kg", "triples", out, "--out", tmp_path / "all.nt.gz")
    lines = (tmp_path / "all.nt").read_text("utf-8").splitlines()
    assert f"{len(lines):,} triples" in shown.out
    assert gzip.decompress((tmp_path / "all.nt.gz").read_bytes()).decode().splitlines() == lines
    assert len(list(pyoxigraph.parse(path=str(tmp_path / "all.nt")))) == len(lines)
    label = '<https://www.openstreetmap.org/node/3> <http://www.w3.org/2000/01/rdf-schema#label> "Cafe 3"'
    assert sum(line.startswith(label) for line in lines) == 2  # one a part
    refused = mgqa("kg", "triples", out, "--out", tmp_path / "all.ttl")
    assert refused.code == 1
    assert "all.ttl" in refused.err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["all.nt", "all.nt.gz", "kg"]


def test_sparql_answers_select_and_ask(mgqa: Mgqa, osm_file: Path, tmp_path: Path) -> None:
    out = tmp_path / "kg"
    mgqa("kg", "import", "osm", osm_file, "--out", out)
    query = (
        'SELECT ?s ?l WHERE { ?s a wkgs:Cafe ; rdfs:label ?l . FILTER(STRSTARTS(?l, "Cafe 1")) } ORDER BY ?l'
    )
    rows = json.loads(mgqa("kg", "sparql", out, query, "--json").out)
    assert [row["l"] for row in rows] == ["Cafe 1", "Cafe 10", "Cafe 11", "Cafe 12"]
    assert "Cafe 11" in mgqa("kg", "sparql", out, query).out
    assert mgqa("kg", "sparql", out, "ASK { ?s a wkgs:Cafe }").out.strip() == "yes"
    assert mgqa("kg", "sparql", out, "ASK { ?s a wkgs:Castle }").out.strip() == "no"
    broken = mgqa("kg", "sparql", out, "SELECT WHERE")
    assert (broken.code, broken.out) == (1, "")
    assert "query" in broken.err


def test_worldkg_is_written_and_read_back(mgqa: Mgqa, osm_file: Path, tmp_path: Path) -> None:
    dump, out = tmp_path / "nodes.nt", tmp_path / "kg"
    written = json.loads(mgqa("kg", "write-worldkg", osm_file, "--out", dump, "--json").out)
    assert written["resources"] == 13
    report = json.loads(mgqa("kg", "import", "worldkg", dump, "--out", out, "--json").out)["parts"]["nodes"]
    assert report["kept"] == {"point": 12}
    assert report["dropped"] == {"unnamed": 1}
