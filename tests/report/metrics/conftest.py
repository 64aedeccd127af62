"""Small scored tables written down row by row."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pyarrow as pa
import pytest

DEFAULTS: dict[str, Any] = {
    "language": "eng", "run": "r", "model": "m", "tier": "T1", "seed": 0, "status": "answered", "premise": True, "em": 0,
    "family": "A", "income": "HIC", "carrier": False,
}  # fmt: skip

Scored = Callable[[Iterable[dict[str, Any]]], pa.Table]


@pytest.fixture
def scored() -> Scored:
    """Rows to a table as ``joined`` makes it; what a row leaves out is in DEFAULTS, ``ne`` is 1 - em, ids count up."""

    def make(rows: Iterable[dict[str, Any]]) -> pa.Table:
        listed = [
            {"id": f"q{place}", "cluster": f"e{place}", **DEFAULTS, **row} for place, row in enumerate(rows)
        ]
        full = [{"ne": 1.0 - (row["em"] or 0), **row} for row in listed]
        return pa.table({name: [row.get(name) for row in full] for row in full for name in row})

    return make
