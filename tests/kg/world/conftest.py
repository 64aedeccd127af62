"""Fixtures: the embedded strata, the embedded snapshots, raw rows by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import resources
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import shapely

from multiglobeqa.kg.schema import LABEL_SCHEMA, RAW_SCHEMA
from multiglobeqa.kg.strata import Strata

DATA = Path(str(resources.files("multiglobeqa"))) / "data"


@pytest.fixture(scope="session")
def strata() -> Strata:
    """The embedded strata."""
    return Strata.load()


@pytest.fixture(scope="session")
def world() -> Path:
    """The folder of the embedded snapshots."""
    return DATA / "world"


@pytest.fixture
def raw() -> Callable[..., Iterator[pa.RecordBatch]]:
    """Makes raw batches of (iri, kind, WKT or WKB[, more columns]) rows, one batch a row."""

    def make(*rows: tuple[Any, ...]) -> Iterator[pa.RecordBatch]:
        for iri, kind, shape, *more in rows:
            row = {
                "iri": iri,
                "name": iri,
                "class": "city",
                "kind": kind,
                "geometry": shape if isinstance(shape, bytes) else shapely.from_wkt(shape).wkb,
                "level": None,
                "admin": None,
                "country": None,
                "time_start": None,
                "time_end": None,
                "attributes": "{}",
                "image": None,
            }
            row |= more[0] if more else {}
            yield pa.RecordBatch.from_pylist([row], schema=RAW_SCHEMA)

    return make


@pytest.fixture
def texts() -> Callable[..., Iterator[pa.RecordBatch]]:
    """Makes label batches of (iri, lang, label, kind) rows."""

    def make(*rows: tuple[str, str, str, str]) -> Iterator[pa.RecordBatch]:
        items = [dict(zip(LABEL_SCHEMA.names, row, strict=True)) for row in rows]
        yield pa.RecordBatch.from_pylist(items, schema=LABEL_SCHEMA)

    return make
