"""Running ``mgqa`` in this process, a hand-made snapshot, and a small OSM file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import shapely

from multiglobeqa.cli.main import main
from multiglobeqa.kg.schema import ENTITY_SCHEMA, LABEL_SCHEMA
from multiglobeqa.kg.store import Part, sha256_of, write_labels, write_manifest, write_table

OSM = """<?xml version="1.0" encoding="UTF-8"?>
<osm version="0.6" generator="hand">
  <bounds minlat="47.00" minlon="9.40" maxlat="47.10" maxlon="9.60"/>
  {nodes}
  <node id="90" lat="47.05" lon="9.45"/>
  <node id="91" lat="47.06" lon="9.47"/>
  <node id="92" lat="47.07" lon="9.49"/>
  <way id="10"><nd ref="90"/><nd ref="91"/><nd ref="92"/>
    <tag k="highway" v="residential"/><tag k="name" v="Long Street"/></way>
</osm>
"""


@dataclass
class Outcome:
    code: int
    out: str
    err: str


Run = Callable[..., Outcome]


@pytest.fixture
def mgqa(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run ``mgqa`` with arguments; returns the exit code and what was printed."""
    monkeypatch.setenv("COLUMNS", "200")

    def run(*arguments: Any) -> Outcome:
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        code = ended.value.code
        printed = capsys.readouterr()
        return Outcome(code if isinstance(code, int) else 0, printed.out, printed.err)

    return run


@pytest.fixture(scope="session")
def osm_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twelve named cafes, one without a name, and a street."""
    nodes = [
        f'<node id="{n}" lat="{47.01 + n * 0.005:.4f}" lon="{9.42 + n * 0.01:.4f}">'
        f'<tag k="amenity" v="cafe"/><tag k="name" v="Cafe {n}"/><tag k="name:de" v="Kaffeehaus {n}"/></node>'
        for n in range(1, 13)
    ]
    nodes.append(
        '<node id="50" lat="47.02" lon="9.5"><tag k="amenity" v="cafe"/><tag k="wifi" v="yes"/></node>'
    )
    file = tmp_path_factory.mktemp("osm") / "Little Town.osm"
    file.write_text(OSM.format(nodes="\n  ".join(nodes)), "utf-8")
    return file


def entity(n: int, kind: str, **changes: Any) -> dict[str, Any]:
    shapes = {
        "point": shapely.Point(n, 1),
        "line": shapely.LineString([(n, 1), (n, 2)]),
        "surface": shapely.box(n, 1, n + 0.5, 2),
    }
    x0, y0, x1, y1 = shapes[kind].bounds
    row: dict[str, Any] = dict.fromkeys(ENTITY_SCHEMA.names)
    row |= {
        "iri": f"http://www.worldkg.org/resource/{n}",
        "kg": "worldkg",
        "layer": "places",
        "name": f"Place {n}",
        "class": {"point": "city", "line": "border", "surface": "lake"}[kind],
        "kind": kind,
        "geometry": shapely.to_wkb(shapes[kind]),
        "bbox": {"xmin": x0, "ymin": y0, "xmax": x1, "ymax": y1},
        "ref_lon": float(n),
        "ref_lat": 1.0,
        "main_share": 1.0,
        "length_km": 110.5 if kind == "line" else None,
        "country": "TCD",
        "income": "LIC",
        "density": "low",
        "admin": [],
        "h3": n,
        "attributes": "{}",
    }
    return row | changes


@pytest.fixture
def snapshot(tmp_path: Path) -> Path:
    """Three points, one of them unclassified and one without a tier; two lines; one lake."""
    folder = tmp_path / "snap"
    rows = [
        entity(1, "point"),
        entity(2, "point", country="ETH", income="unclassified", density="high"),
        entity(3, "point", country=None, income=None),
        entity(4, "line", country="NER", income="LIC", density="medium"),
        entity(5, "line"),
        entity(6, "surface", income="HIC", density="high"),
    ]
    labels = [
        {"iri": rows[0]["iri"], "lang": "eng", "label": "Place 1", "kind": "name"},
        {"iri": rows[0]["iri"], "lang": "fra", "label": "Lieu 1", "kind": "name"},
        {"iri": rows[0]["iri"], "lang": "fra", "label": "L1", "kind": "alias"},
    ]
    write_table(
        folder / "places.entities.parquet",
        ENTITY_SCHEMA,
        pa.Table.from_pylist(rows, ENTITY_SCHEMA).to_batches(),
    )
    write_labels(folder / "places.labels.parquet", pa.Table.from_pylist(labels, LABEL_SCHEMA).to_batches())
    files = [folder / "places.entities.parquet", folder / "places.labels.parquet"]
    part = Part(
        "places", 6, 3, "CC-BY-4.0", "Hand-made", None, True, {file.name: sha256_of(file) for file in files}
    )
    write_manifest(folder, "worldkg", [part])
    return folder
