"""E01 never denies what states dispute: Kosovo and Serbia, Guernsey and the United Kingdom, Hong Kong and China."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from multiglobeqa.build.pipeline import BuildConfig, build, embedded_snapshots


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, str]]:
    out: Path = tmp_path_factory.mktemp("hierarchy")
    kgs = [path for path in embedded_snapshots() if path.name == "knowwheregraph"]
    build(BuildConfig(out, kgs=kgs, per_cell=30, subtemplates=["E01.a", "E01.b"], threads=1))
    columns = ["gold", "roles", "country"]
    return [dict(row) for row in pq.read_table(out / "questions.parquet", columns=columns).to_pylist()]


def test_no_dependency_or_contested_country_is_denied(rows: list[dict[str, str]]) -> None:
    kgs = next(path for path in embedded_snapshots() if path.name == "knowwheregraph")
    table = pq.read_table(kgs / "admin.entities.parquet", columns=["iri", "class", "country", "attributes"])
    delicate = {
        row["country"]
        for row in table.to_pylist()
        if row["class"] == "country"
        and (
            (known := json.loads(row["attributes"])).get("contested")
            or known.get("status") in ("Dependency", "Indeterminate", "Disputed")
        )
    } | {"HKG", "MAC", "TWN", "ALA", "GGY", "JEY", "IMN", "GRL", "SXM", "CUW", "ABW"}
    denied = [
        (row["country"], json.loads(row["roles"])["B"]["iri"].rpartition(".")[2])
        for row in rows
        if row["gold"] == "false"
    ]
    abroad = [(mine, other) for mine, other in denied if other.isalpha() and mine != other]
    assert len(abroad) >= 30, "countries next door are still denied"
    assert not [pair for pair in abroad if delicate & set(pair)]
