"""An id is one question: a tuple that is asked twice, or both as true and as false, stops the build and the release."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from multiglobeqa.build import BuildConfig, build, pipeline, verify
from multiglobeqa.build.gold import Instance
from multiglobeqa.errors import VerificationError
from multiglobeqa.kg.store import Snapshot
from multiglobeqa.release import ReleaseConfig, release

MESSAGE = "another question has this id"


@pytest.fixture(scope="module")
def snapshot(
    tmp_path_factory: pytest.TempPathFactory,
    make_snapshot: Callable[..., Snapshot],
    small_rows: list[dict[str, Any]],
) -> Path:
    return make_snapshot(tmp_path_factory.mktemp("kg"), small_rows).path


def test_a_build_that_asks_a_tuple_twice_stops(
    tmp_path: Path, snapshot: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    released = pipeline._released

    def twice(state: Any) -> list[Instance]:
        found = released(state)
        again = copy.copy(found[0])
        assert again.question is not None
        again.question = {**again.question, "premise": False, "gold": None, "premise_failure": "no_member"}
        return [*found, again]

    monkeypatch.setattr(pipeline, "_released", twice)
    with pytest.raises(VerificationError, match=MESSAGE) as caught:
        build(BuildConfig(tmp_path / "out", [snapshot], threads=1, subtemplates=["A01.a"]))
    assert len(caught.value.rows) == 1 and not (tmp_path / "out").exists()


def test_verify_and_release_refuse_it(tmp_path: Path, snapshot: Path) -> None:
    """Two distances of one id, each proved by its triples: only the id gives them away."""
    folder = tmp_path / "bench"
    build(BuildConfig(folder, [snapshot], threads=1, subtemplates=["A01.a"]))
    table = pq.read_table(folder / "questions.parquet")
    rows = table.to_pylist()
    assert verify(folder, threads=1).differences == []
    first = rows[0]["id"]
    other = next(row for row in rows if row["gold"] != rows[0]["gold"])
    other["id"] = first
    pq.write_table(pa.Table.from_pylist(rows, table.schema), folder / "questions.parquet")
    result = verify(folder, threads=1)
    assert result.total == len(rows) and len(result.differences) == 1
    assert MESSAGE in result.differences[0] and first in result.differences[0]
    with pytest.raises(VerificationError, match=MESSAGE):
        release(ReleaseConfig(folder, tmp_path / "hub", threads=1))
    assert not (tmp_path / "hub").exists()


def test_a_translation_has_the_id_of_its_original(tmp_path: Path, snapshot: Path) -> None:
    folder = tmp_path / "bench"
    build(BuildConfig(folder, [snapshot], threads=1, subtemplates=["A01.a"]))
    table = pq.read_table(folder / "questions.parquet")
    rows = table.to_pylist()
    rows.append({**rows[0], "language": "deu", "question": "Wie weit?"})
    pq.write_table(pa.Table.from_pylist(rows, table.schema), folder / "questions.parquet")
    assert verify(folder, threads=1).differences == []
