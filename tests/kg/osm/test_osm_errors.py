"""Bad input: the error names file and place, and says what to do."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import osmium
import pytest

from multiglobeqa.errors import InputError
from multiglobeqa.kg.osm import coverage, read
from multiglobeqa.kg.osm import source as osm_source
from multiglobeqa.kg.report import ImportReport

if TYPE_CHECKING:
    from tests.kg.osm.conftest import Importer, Map

MONACO = "registry/osm_registry/monaco_quackosm-0.19.0.osm.pbf"


def failing(path: Path) -> InputError:
    """The error of an import; it must name the file."""
    with pytest.raises(InputError) as caught:
        read(path, ImportReport(path.name))
    assert caught.value.source == str(path) and caught.value.mend
    return caught.value


@pytest.mark.parametrize("share", [0.001, 0.3, 0.9, 0.999])
def test_truncated_pbf(shared: Path, tmp_path: Path, share: float) -> None:
    content = (shared / "data" / MONACO).read_bytes()
    path = tmp_path / "cut.osm.pbf"
    path.write_bytes(content[: int(len(content) * share)])
    error = failing(path)
    assert "cannot be read as OSM data" in error.what and str(error.place).startswith(("after ", "before "))


def test_truncated_xml_names_line_and_column(osm_map: Map, tmp_path: Path) -> None:
    osm_map.node(1, 0, 0, amenity="cafe", name="Café")
    path = tmp_path / "cut.osm"
    path.write_text(osm_map.xml()[:-20], "utf-8")
    error = failing(path)
    assert str(error.place).startswith("line ") and "XML parsing error" in error.what


@pytest.mark.parametrize(
    ("name", "content", "what"),
    [
        ("empty.osm.pbf", b"", "is empty"),
        ("empty.osm", b"", "is empty"),
        ("map.txt", b"<osm/>", "suffix"),
        ("change.osc", b"<osmChange/>", "suffix"),
        ("page.osm", b"<html><body/></html>", "top-level element: html"),
        ("junk.osm.pbf", b"no PBF at all, but long enough for a header", "cannot be read"),
        (
            "latin.osm",
            b'<?xml version="1.0" encoding="UTF-8"?><osm version="0.6"><node id="\xff"',
            "parsing error",
        ),
    ],
)
def test_not_osm_data(tmp_path: Path, name: str, content: bytes, what: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    error = failing(path)
    assert what in error.what
    assert error.place is not None or "suffix" in what
    with pytest.raises(InputError, match=path.name):
        coverage(path)


def test_absent_file(tmp_path: Path) -> None:
    assert "does not exist" in failing(tmp_path / "no.osm.pbf").what


def test_extract_without_named_objects(osm_map: Map, osm_import: Importer) -> None:
    osm_map.node(1, 0, 0, amenity="cafe")
    with pytest.raises(InputError, match=r"map\.osm.*empty extract") as caught:
        osm_import(osm_map)
    assert "1 tagged objects" in str(caught.value.place)


def test_large_unsorted_file_is_refused(
    osm_map: Map, osm_import: Importer, monkeypatch: pytest.MonkeyPatch
) -> None:
    osm_map.node(1, 0, 0, amenity="cafe", name="Café")
    osm_map.ring(2, 0, 0, 1, 1, natural="wood", name="Wood")
    monkeypatch.setattr(osm_source, "MEMORY_LIMIT", 10)
    with pytest.raises(InputError, match="not sorted"):
        osm_import(osm_map, order="wnr")


def test_location_store_follows_the_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.osm"
    path.write_text('<osm version="0.6"></osm>', "utf-8")
    source = osm_source.open_source(path)
    made: list[str] = []
    monkeypatch.setattr(osmium.index, "create_map", made.append)
    for memory, dense in ((10**9, 10**10), (10, 10**10), (5, 20)):
        monkeypatch.setattr(osm_source, "MEMORY_LIMIT", memory)
        monkeypatch.setattr(osm_source, "DENSE_LIMIT", dense)
        osm_source.node_store(source, tmp_path)
    assert made == [
        "flex_mem",
        f"sparse_file_array,{tmp_path / 'nodes.bin'}",
        f"dense_file_array,{tmp_path / 'nodes.bin'}",
    ]


def test_objects_that_are_not_uploaded_are_counted(osm_map: Map, osm_import: Importer) -> None:
    osm_map.node(-5, 0, 0, amenity="cafe", name="Draft")
    osm_map.node(5, 0, 0, amenity="cafe", name="Café")
    result = osm_import(osm_map)
    assert set(result.rows) == {"node/5"}
    assert result.report.dropped == {"id_not_of_openstreetmap": 1}


def test_nothing_is_left_in_the_temporary_folder(
    osm_map: Map, osm_import: Importer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    osm_map.node(5, 0, 0, amenity="cafe", name="Café")
    osm_import(osm_map)
    assert list(scratch.iterdir()) == []
