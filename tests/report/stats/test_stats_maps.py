"""The figures: their arrays against values worked out by hand, and that their files are images."""

from __future__ import annotations

import csv
import importlib.util
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
import shapely
from PIL import Image

from multiglobeqa.report.stats import Statistics, collect, draw, write
from multiglobeqa.report.stats.maps import CELL, cell_km, density, density_cells, outlines
from multiglobeqa.report.worldmap import Plane

EARTH_KM2 = 510_065_622  # WGS84 ellipsoid


@pytest.fixture(scope="module")
def stats(benchmark: Path) -> Statistics:
    return collect(benchmark)


def test_cells_have_the_size_that_the_projection_gives_and_cover_the_earth() -> None:
    # Equal Earth on WGS84 is 17,243.96 km wide each side of the meridian: 988 map units, so a unit is 17.45 km
    assert cell_km() == pytest.approx(174.53, abs=0.01)
    assert Plane().sphere().area / CELL**2 * cell_km() ** 2 == pytest.approx(EARTH_KM2, rel=0.001)


def test_density_counts_reference_points_by_cell() -> None:
    # Half a degree on the equator is 48 km: less than a cell from the map's centre (x 1000, y 493), and 0.5 north is
    # 3.7 units above it. The map's edge lies 988 units from its centre.
    lon = np.array([0.5, 0.6, -0.5, 0.5, 180.0, -180.0])
    lat = np.array([0.5, 0.6, 0.5, -0.5, 0.0, 0.0])
    found = density("worldkg", lon, lat)
    assert found.counts.shape == (99, 200)
    assert {
        (int(r), int(c)): int(found.counts[r, c]) for r, c in zip(*np.nonzero(found.counts), strict=True)
    } == {
        (48, 100): 2,
        (48, 99): 1,
        (49, 100): 1,
        (49, 198): 1,
        (49, 1): 1,
    }
    assert found.geometries == 6


def test_density_of_poles_and_of_nothing() -> None:
    poles = density("worldkg", np.array([0.0, 0.0]), np.array([90.0, -90.0]))
    rows = np.nonzero(poles.counts)[0].tolist()
    assert rows == [1, 97]
    nothing = density("worldkg", np.array([]), np.array([]))
    assert nothing.geometries == 0


def test_cells_are_written_with_the_degrees_of_their_centre() -> None:
    found = density("worldkg", np.array([25.0, -70.0]), np.array([60.2, -33.4]))
    table = density_cells([found])
    assert [row[5] for row in table.rows] == [1, 1]
    for (_, _, _, lon, lat, _), (x, y) in zip(table.rows, [(25.0, 60.2), (-70.0, -33.4)], strict=True):
        assert abs(lat - y) < 1.2  # half a cell is 87 km
        assert abs(lon - x) < 2.2


def test_figure4_counts_each_geometry_of_each_kg_once(stats: Statistics) -> None:
    assert [(each.kg, each.geometries) for each in stats.densities] == [("knowwheregraph", 14)]
    table = stats.table("figure4_density")
    # A cell is 1.82 degrees wide there. Column 100: P0, P1, P2, Westland, Cross Road; column 101: P3, P4, Realm, Eastland,
    # Pond, Long Road; column 103: Hole and Plug, which lies in its hole; on the map's edge: Dateline.
    assert table.rows == [("knowwheregraph", 14, 4, 6)]
    assert stats.densities[0].counts[48, 100:104].tolist() == [5, 6, 0, 2]
    assert "175 km" in table.notes[0]


def test_figure5_counts_distinct_sites_with_the_tier_of_the_entity(stats: Statistics) -> None:
    # LIC: P0, P1, P2, Westland, Realm, Hole; HIC: P3, P4, Eastland, the cafe by its question; UMC: Dateline.
    # The storm has no place.
    assert stats.table("figure5_summary").rows == [
        ("HIC", 4, 2),
        ("UMC", 1, 1),
        ("LMC", 0, 0),
        ("LIC", 6, 1),
        ("all", 11, 4),
    ]
    assert stats.sites.countries == 4
    places = {
        (round(x, 2), round(y, 2)): (tier, country)
        for x, y, tier, country in zip(
            stats.sites.lon.tolist(), stats.sites.lat.tolist(), stats.sites.income.tolist(),
            stats.sites.country.tolist(), strict=True,
        )
    }  # fmt: skip
    assert places[0.5, 0.5] == ("LIC", "AAA")  # P0, though three questions name it
    assert places[2.5, 0.5] == ("HIC", "BBB")  # P3, named by a question of LIC too
    assert places[7.42, 43.73] == ("HIC", "MCO")
    assert len(places) == 11


def test_outlines_are_cut_at_the_antimeridian() -> None:
    fiji = shapely.MultiPolygon([shapely.box(176, -19, 180, -15), shapely.box(-180, -19, -177, -15)])
    rings = outlines([shapely.to_wkb(fiji)])
    assert len(rings) == 2
    ends = sorted((float(ring[:, 0].min()), float(ring[:, 0].max())) for ring in rings)
    assert ends[0][1] < 100
    assert ends[1][0] > 1900
    assert all((ring[0] == ring[-1]).all() for ring in rings)


def test_files_are_tables_and_readable_images(stats: Statistics, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    written = write(stats, tmp_path / "new" / "out")
    assert all(path.is_file() for path in written)
    names = {path.name for path in written}
    assert {f"{table.name}.csv" for table in stats.tables} <= names
    stems = ("figure4_density_knowwheregraph", "figure5_sites", "figure6_formats")
    folder = tmp_path / "new" / "out"
    for stem in stems:
        with Image.open(folder / f"{stem}.png") as image:
            image.load()
            assert image.format == "PNG"
            assert image.width >= 1200
            assert len(image.convert("RGB").getcolors(1 << 20) or []) > 10
        root = ElementTree.parse(folder / f"{stem}.svg").getroot()
        assert root.tag.endswith("svg")
    with (folder / "figure5_sites.csv").open(encoding="utf-8") as stream:
        sites = list(csv.DictReader(stream))
    assert len(sites) == 11
    with (folder / "figure4_cells.csv").open(encoding="utf-8") as stream:
        assert sum(int(row["geometries"]) for row in csv.DictReader(stream)) == 14
    with (folder / "table2_strata.csv").open(encoding="utf-8") as stream:
        assert list(csv.reader(stream))[4] == ["LIC", "5", "0", "0", "5", "50.0", "1"]
    assert not list(folder.glob(".*"))


def test_equal_input_gives_equal_files(stats: Statistics, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    formats = stats.table("figure6_formats")
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        draw.write_figures(tmp_path / name, stats.densities, stats.sites, formats, [])
    files = sorted(path.name for path in (tmp_path / "one").iterdir())
    assert len(files) == 6
    for file in files:
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes(), file


def test_without_matplotlib_the_tables_are_written(
    stats: Statistics, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *rest: None if name == "matplotlib" else found(name, *rest)
    )
    written = write(stats, tmp_path)
    assert {path.suffix for path in written} == {".csv"}
    assert len(written) == len(stats.tables) + 2
