"""Country, income tier and density tier of known places, and the errors of the user's tables."""

from __future__ import annotations

import csv
import warnings
from pathlib import Path

import h3
import numpy as np
import pytest
import rasterio
import shapely
from rasterio.transform import from_origin

from multiglobeqa.errors import InputError
from multiglobeqa.kg import density
from multiglobeqa.kg.atlas import codes
from multiglobeqa.kg.schema import UNCLASSIFIED
from multiglobeqa.kg.strata import CountryIndex, Strata, read_incomes

PLACES = [
    ("Oslo", 10.75, 59.91, "NOR", "HIC"),
    ("Paris", 2.35, 48.86, "FRA", "HIC"),
    ("Pristina", 21.16, 42.66, "XKX", "UMC"),
    ("Hargeisa", 44.07, 9.56, "SOM", "LIC"),
    ("Saint Helier", -2.11, 49.19, "JEY", "HIC"),
    ("Saint Peter Port", -2.54, 49.455, "GGY", "HIC"),
    ("Taipei", 121.56, 25.03, "TWN", "HIC"),
    ("Addis Ababa", 38.75, 9.02, "ETH", UNCLASSIFIED),
    ("Caracas", -66.9, 10.48, "VEN", UNCLASSIFIED),
    ("Simferopol", 34.1, 44.95, "UKR", "UMC"),
    ("Famagusta", 33.95, 35.12, "CYP", "HIC"),
    ("Mariehamn", 19.94, 60.1, "ALA", None),
    ("Ramallah", 35.2, 31.9, "PSE", "LMC"),
    ("Juba", 31.58, 4.85, "SSD", "LIC"),
    ("Tifariti", -10.57, 26.16, "ESH", None),
    ("Nuuk", -51.72, 64.18, "GRL", "HIC"),
    ("Stanley", -57.85, -51.69, "FLK", None),
    ("San Jose", -84.08, 9.93, "CRI", "HIC"),
    ("Windhoek", 17.08, -22.57, "NAM", "LMC"),
    ("Suva", 178.44, -18.14, "FJI", "UMC"),
    ("Uelen", -169.8, 66.16, "RUS", "HIC"),
    ("South Pole", 0.0, -90.0, "ATA", None),
    ("Rotterdam, off the coast", 3.98, 51.99, "NLD", "HIC"),
    ("Buenos Aires, harbour", -58.33, -34.6, "ARG", "UMC"),
    ("Atlantic", -30.0, 30.0, None, None),
    ("Akrotiri base", 32.95, 34.6, None, None),
]


@pytest.mark.parametrize(("name", "lon", "lat", "country", "income"), PLACES, ids=[p[0] for p in PLACES])
def test_known_places(
    strata: Strata, name: str, lon: float, lat: float, country: str | None, income: str | None
) -> None:
    found = strata.country(np.array([lon]), np.array([lat]))
    assert found[0] == country
    assert strata.income(found)[0] == income


def test_many_points_agree_with_single_ones(strata: Strata) -> None:
    lon, lat = np.array([p[1] for p in PLACES]), np.array([p[2] for p in PLACES])
    assert strata.country(lon, lat).tolist() == [p[3] for p in PLACES]
    assert strata.country(np.zeros(0), np.zeros(0)).tolist() == []


def test_coast_distance_is_geodesic_and_bounded() -> None:
    """A box at 60 N: 14.9 km west of it is its country, 15.1 km is nobody's. One degree there is 55.80 km."""
    index = CountryIndex(["AAA"], np.array([shapely.box(10, 59, 12, 61)]))
    degree = 55.800
    lon = np.array([10 - 14.9 / degree, 10 - 15.1 / degree])
    assert index.find(lon, np.array([60.0, 60.0])).tolist() == ["AAA", None]


def test_borders_and_ties() -> None:
    surfaces = np.array([shapely.box(1, 0, 2, 1), shapely.box(0, 0, 1, 1), shapely.box(3, 0, 4, 1)])
    index = CountryIndex(["BBB", "CCC", None], surfaces)
    lon, lat = np.array([1.0, 3.5, 2.05, 2.95, -0.05]), np.full(5, 0.5)
    assert index.find(lon, lat).tolist() == ["BBB", None, "BBB", None, "CCC"]


def test_nearest_country_over_the_antimeridian() -> None:
    index = CountryIndex(["FJI"], np.array([shapely.box(-180, -18, -179, -16)]))
    found = index.find(np.array([179.95, 180.0, 179.7]), np.full(3, -17.0))
    assert found.tolist() == ["FJI", "FJI", None]


def test_code_rules() -> None:
    assert codes.reconcile("-99", "FRA", "FRA") == "FRA"
    assert codes.reconcile("-99", "-99", "KOS") == "XKX"
    assert codes.reconcile("-99", "-99", "SDS") == "SSD"
    assert codes.reconcile("-99", "-99", "PSX") == "PSE"
    assert codes.reconcile("ALA", "ALA", "ALD") == "ALA"
    assert codes.reconcile("-99", "-99", "SOL") == "SOM"
    assert codes.reconcile("-99", "-99", "PGA") is None
    assert codes.expand("CHI") == ("JEY", "GGY")


def test_embedded_income_table(strata: Strata) -> None:
    """FY2026: 218 economies; CHI counts once and stands for two codes."""
    tiers = [tier for code, tier in strata.incomes.items() if code != "GGY"]
    counts = {tier: tiers.count(tier) for tier in sorted(set(tiers))}
    assert counts == {"HIC": 87, "LIC": 25, "LMC": 50, "UMC": 54, UNCLASSIFIED: 2}
    assert "-99" not in strata.attributes
    without = {code for code in strata.attributes if code not in strata.incomes}
    assert {"ATA", "ESH", "VAT", "COK", "NIU", "FLK", "ALA"} <= without


@pytest.mark.parametrize(
    ("text", "needle"),
    [
        ("iso3,income_tier\nFRA,HIC\nQQQ,LIC\n", "QQQ"),
        ("iso3,income_tier\nFRA,HIC\nFRA,LIC\n", "twice"),
        ("iso3,income_tier\nFRA,HIC\nDEU,RICH\n", "RICH"),
    ],
)
def test_user_income_table_errors_name_file_and_line(tmp_path: Path, text: str, needle: str) -> None:
    file = tmp_path / "incomes.csv"
    file.write_text(text, "utf-8")
    with pytest.raises(InputError, match=needle) as error:
        Strata.load(incomes=file)
    assert error.value.source == str(file)
    assert error.value.place == "line 3"


def test_user_income_table_needs_its_columns(tmp_path: Path) -> None:
    file = tmp_path / "incomes.csv"
    file.write_text("code,tier\nFRA,HIC\n", "utf-8")
    with pytest.raises(InputError, match="no column"):
        read_incomes(file, frozenset({"FRA"}))
    with pytest.raises(InputError, match="does not exist"):
        read_incomes(tmp_path / "none.csv", frozenset())


def _raster(
    path: Path, values: np.ndarray, crs: str | None, north: float = 10.0, nodata: float = -1.0
) -> Path:
    with (
        warnings.catch_warnings(),
        rasterio.open(
            path,
            "w",
            driver="GTiff",
            height=values.shape[0],
            width=values.shape[1],
            count=1,
            dtype="float32",
            crs=crs,
            transform=from_origin(20.0, north, 0.05, 0.05),
            nodata=nodata,
        ) as out,
    ):
        warnings.simplefilter("ignore")
        out.write(values.astype("float32"), 1)
    return path


def test_raster_of_one_person_a_cell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """100 x 100 cells of 0.05 degrees with 3 people: every cell counted once, whatever the window."""
    values = np.full((100, 100), 3.0)
    values[0, :10] = -1.0  # nodata
    values[1, :10] = np.nan
    file = _raster(tmp_path / "people.tif", values, "EPSG:4326")
    whole = density.from_raster(file)
    people = whole.density * density.cell_area_km2(whole.cells)
    assert people.sum() == pytest.approx(3.0 * (10_000 - 20))
    monkeypatch.setattr(density, "WINDOW_CELLS", 1_000)
    again = density.from_raster(file)
    assert np.array_equal(whole.cells, again.cells)
    assert np.allclose(whole.density, again.density)
    # by hand: the cell that holds (22.475, 7.475), counted point by point
    cell = h3.latlng_to_cell(7.475, 22.475, 3)
    count = 0
    for row in range(100):
        for column in range(100):
            lat, lon = 10 - 0.05 * (row + 0.5), 20 + 0.05 * (column + 0.5)
            if h3.latlng_to_cell(lat, lon, 3) == cell and not (row < 2 and column < 10):
                count += 3
    at = np.flatnonzero(whole.cells == h3.str_to_int(cell))[0]
    assert people[at] == pytest.approx(count)


def test_raster_errors(tmp_path: Path) -> None:
    ones = np.ones((4, 4))
    with pytest.raises(InputError, match="EPSG:4326") as error:
        density.from_raster(_raster(tmp_path / "mercator.tif", ones, "EPSG:3857"))
    assert "gdalwarp" in error.value.mend
    assert "mercator.tif" in str(error.value)
    with pytest.raises(InputError, match="no coordinate system"):
        density.from_raster(_raster(tmp_path / "bare.tif", ones, None))
    with pytest.raises(InputError, match="holds no people"):
        density.from_raster(_raster(tmp_path / "empty.tif", ones * -1, "EPSG:4326"))
    with pytest.raises(InputError, match="latitude"):
        density.from_raster(_raster(tmp_path / "north.tif", ones, "EPSG:4326", north=95.0))
    with pytest.raises(InputError, match="row 2, column 1"):
        values = ones.copy()
        values[2, 1] = -5.0
        density.from_raster(_raster(tmp_path / "negative.tif", values, "EPSG:4326"))
    text = tmp_path / "text.tif"
    text.write_text("no raster", "utf-8")
    with pytest.raises(InputError, match="cannot be read"):
        density.from_raster(text)


def test_gpw_raster_against_its_own_aggregation(shared: Path) -> None:
    """GPW 2020, 30 arc-minutes: people are kept, and cells agree with another program's aggregation."""
    folder = shared / "data" / "public" / "gpw_github"
    table = density.from_raster(folder / "gpw_v4_population_count_rev11_2020_30_min.tif")
    people = table.density * density.cell_area_km2(table.cells)
    assert people.sum() == pytest.approx(7_969_444_315, rel=1e-6)
    with (folder / "gpw_h3r3_density.csv").open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    other = {h3.str_to_int(row["h3_r3"]): float(row["density_km2"]) for row in rows}
    shared_cells = [i for i, cell in enumerate(table.cells.tolist()) if cell in other]
    mine = table.density[shared_cells]
    theirs = np.array([other[table.cells[i]] for i in shared_cells])
    assert len(shared_cells) > 13_700
    assert np.corrcoef(np.log1p(mine), np.log1p(theirs))[0, 1] > 0.998
    assert np.median(np.abs(mine - theirs) / np.maximum(theirs, 0.01)) < 0.03
    # a third of the populated cells each, and the embedded thresholds' stated agreement
    tiers = density.tiers_of(table.density, table.thresholds).tolist()
    share = [tiers.count(tier) / len(tiers) for tier in ("low", "medium", "high")]
    assert share == pytest.approx([0.33, 0.34, 0.33], abs=0.005)
    embedded = density.embedded()
    both = np.intersect1d(table.cells, embedded.cells)
    real = density.tiers_of(table.of_cells(both), table.thresholds)
    same = density.tiers_of(embedded.of_cells(both), embedded.thresholds) == real
    assert same.mean() == pytest.approx(0.8271, abs=0.0001)


def test_user_raster_replaces_the_embedded_table(shared: Path) -> None:
    file = shared / "data" / "public" / "gpw_github" / "gpw_v4_population_count_rev11_2020_30_min.tif"
    places = Strata.load(raster=file)
    lon, lat = np.array([2.35, 103.0, -40.0]), np.array([48.86, 66.5, 75.0])
    assert places.densities.source == file.name
    assert places.density(lon, lat).tolist() == ["high", "low", "low"]
    assert Strata.load().density(lon, lat).tolist() == ["high", "low", "low"]


def test_density_table_errors(tmp_path: Path) -> None:
    file = tmp_path / "density.csv"
    for row in (
        "nonsense,1",
        "830096fffffffff,-1",
        "830096fffffffff,many",
        "830096fffffffff,1\n830096fffffffff,1",
    ):
        file.write_text(f"h3_r3,density\n{row}\n", "utf-8")
        with pytest.raises(InputError) as error:
            density.read_table(file)
        assert error.value.place in (2, 3)
    with pytest.raises(ValueError, match="latitudes"):
        density.cells_of(np.array([0.0]), np.array([91.0]))
