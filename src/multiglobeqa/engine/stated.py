"""How many first-level units a country has by a second source: GeoNames, or what the snapshot itself states."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Any, Final

import pyarrow as pa

ATTRIBUTE: Final = "first_level_units"
"""A country's attribute of this name comes before the table's count."""


def counts() -> dict[str, int]:
    """ISO alpha-3 code -> number of first-level units in GeoNames."""
    file = resources.files("multiglobeqa") / "data" / "strata" / "first_level_units.csv"
    with file.open(encoding="utf-8") as stream:
        return {row["alpha3"]: int(row["units"]) for row in csv.DictReader(stream)}


def stated_units(countries: Sequence[Mapping[str, Any]]) -> pa.Table:
    """Rows (id, units) of the countries for which a second source states a number.

    ``countries``: rows with ``id``, ``country`` (alpha-3 or None) and ``attributes`` (JSON text).
    """
    known = counts()
    found: dict[int, int] = {}
    for row in countries:
        units = json.loads(row["attributes"] or "{}").get(ATTRIBUTE, known.get(row["country"]))
        if isinstance(units, int) and units > 0:
            found[row["id"]] = units
    return pa.table(
        {"id": pa.array(list(found), pa.int64()), "units": pa.array(list(found.values()), pa.int64())}
    )
