"""English short names of countries by ISO 3166-1 alpha-3 code, from the embedded table."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from pathlib import Path

import pyarrow.parquet as pq


@cache
def country_names() -> dict[str, str]:
    """Code -> name, for every country and territory of the embedded table."""
    path = Path(str(files("multiglobeqa"))) / "data" / "strata" / "countries.parquet"
    table = pq.read_table(path, columns=["iso3", "name"])
    pairs = zip(table["iso3"].to_pylist(), table["name"].to_pylist(), strict=True)
    return {code: name for code, name in pairs if code}
