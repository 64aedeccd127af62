"""The items of the question browser: one a question and language, with what each pass did on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from multiglobeqa.report.benchmark import Benchmark
from multiglobeqa.report.html.conditions import Together
from multiglobeqa.report.html.pack import Pack, fitting
from multiglobeqa.report.metrics import STATUSES
from multiglobeqa.report.worldmap import Plane

FILTERS: Final = (
    "family", "subtemplate", "format", "language", "kg", "country", "continent", "subregion", "income", "density",
    "question_type", "depth", "modality", "source",
)  # fmt: skip
"""The columns of the questions by which the browser filters."""
NOT_ASKED: Final = 255
"""The status of an item that a pass was not asked."""
NO_SITE: Final = 65535
"""The map place of a question without a reference point."""
SUB_UNITS: Final = 16
"""Places on the map are stored in sixteenths of its units."""
_JOIN: Final = "\0"


@dataclass(frozen=True)
class Items:
    """``question``: (n,) the row of each item's question in ``questions``; ``language``: (n,) its language;
    ``rows``: (passes, n) the row of each pass in ``scores``, -1 where it was not asked. ``total`` counts the items
    before the limit.
    """

    questions: pa.Table
    scores: pa.Table | None
    passes: tuple[str, ...]
    question: NDArray[np.int64]
    language: NDArray[np.object_]
    rows: NDArray[np.int64]
    total: int

    def __len__(self) -> int:
        return len(self.question)


def questions_of(benchmark: Benchmark) -> pa.Table:
    """All columns of the benchmark's questions."""
    return pq.read_table(benchmark.path / "questions.parquet")


def items(questions: pa.Table, scored: Together | None, limit: int) -> Items:
    """The items of a benchmark: those that the passes were asked, or all questions without passes.

    ``limit``: at most so many items; questions are then taken in the order of their ids, which are hashes, all
    languages of one together.
    """
    stored = np.array(questions["language"].to_pylist(), object)
    if scored is None:
        place = np.arange(questions.num_rows)
        kept, total = _limited(questions, place, limit), questions.num_rows
        return Items(questions, None, (), kept, stored[kept], np.empty((0, len(kept)), np.int64), total)
    table = scored.table
    ids, language = table["id"], pc.cast(table["language"], pa.string())
    known = pc.binary_join_element_wise(questions["id"], questions["language"], _JOIN)
    exact = _index(pc.binary_join_element_wise(ids, language, _JOIN), known)
    place = np.where(exact >= 0, exact, _index(ids, questions["id"]))
    names, codes = np.unique(np.array(language.to_pylist(), object).astype(str), return_inverse=True)
    keys, item = np.unique(place * len(names) + codes, return_inverse=True)
    rows = np.full((len(scored.passes), len(keys)), -1, np.int64)
    number = {one.label: at for at, one in enumerate(scored.passes)}
    labels = table["pass"].unify_dictionaries().combine_chunks()
    which = np.array([number[one] for one in labels.dictionary.to_pylist()], np.int64)
    rows[which[np.asarray(labels.indices)], item] = np.arange(table.num_rows)
    kept = _limited(questions, keys // len(names), limit)
    question = (keys // len(names))[kept]
    spoken = names.astype(object)[(keys % len(names))[kept]]
    return Items(
        questions,
        table,
        tuple(one.label for one in scored.passes),
        question,
        spoken,
        rows[:, kept],
        len(keys),
    )


def put_core(pack: Pack, chosen: Items, scored: Together | None) -> None:
    """Block ``core``: the columns that filters read."""
    size = len(chosen)
    columns: dict[str, NDArray[Any]] = {}
    values: dict[str, list[str]] = {}
    for name in FILTERS:
        given = chosen.language if name == "language" else _taken(chosen.questions[name], chosen.question)
        columns[name], values[name] = _codes(given)
    columns["premise"] = np.array(_taken(chosen.questions["premise"], chosen.question)).astype(np.uint8)
    columns["x"], columns["y"] = _sites(chosen)
    told: list[dict[str, Any]] = []
    diagnoses = ["", *_different(chosen.scores, "diagnosis")]
    for at, one in enumerate(scored.passes if scored else ()):
        assert chosen.scores is not None
        rows = chosen.rows[at]
        asked = rows >= 0
        mine = chosen.scores.take(pa.array(np.where(asked, rows, 0)))
        status = np.array([STATUSES.index(name) for name in mine["status"].to_pylist()], np.uint8)
        columns[f"status{at}"] = np.where(asked, status, NOT_ASKED).astype(np.uint8)
        columns[f"em{at}"] = np.where(asked, np.asarray(mine["em"]), 0).astype(np.uint8)
        columns[f"ne{at}"] = np.where(asked, np.asarray(mine["ne"]), 1).astype(np.float32)
        slips = {name: code for code, name in enumerate(diagnoses)}
        slip = np.array([slips[name or ""] for name in mine["diagnosis"].to_pylist()], np.int64)
        columns[f"diagnosis{at}"] = fitting(np.where(asked, slip, 0))
        sure = np.array(mine["confidence"].to_pylist(), float)
        confident = bool(np.isfinite(sure[asked]).any())
        if confident:
            columns[f"confidence{at}"] = np.where(asked, sure, np.nan).astype(np.float32)
        told.append(
            {"label": one.label, "condition": one.condition, "seed": one.seed, "confidence": confident}
        )
    head = {
        "size": size, "total": chosen.total, "values": values, "passes": told, "statuses": list(STATUSES),
        "diagnoses": diagnoses,
    }  # fmt: skip
    pack.frame("core", columns, head)


def _sites(chosen: Items) -> tuple[NDArray[np.uint16], NDArray[np.uint16]]:
    """(n,) places of the questions on the world map."""
    lon, lat = (np.array(_taken(chosen.questions[name], chosen.question), float) for name in ("lon", "lat"))
    known = np.isfinite(lon) & np.isfinite(lat)
    points = np.full((len(lon), 2), NO_SITE, np.int64)
    points[known] = np.rint(Plane().project(np.column_stack((lon, lat))[known]) * SUB_UNITS).astype(np.int64)
    points = np.clip(points, 0, NO_SITE)
    return points[:, 0].astype(np.uint16), points[:, 1].astype(np.uint16)


def _limited(questions: pa.Table, place: NDArray[np.int64], limit: int) -> NDArray[np.int64]:
    """The items to keep, in their order."""
    if len(place) <= limit:
        return np.arange(len(place))
    ids = np.array(questions["id"].to_pylist(), object)[place]
    ranked, inverse, counts = np.unique(ids.astype(str), return_inverse=True, return_counts=True)
    fits = int(np.searchsorted(np.cumsum(counts), limit, side="right"))
    return np.flatnonzero(inverse < min(fits, len(ranked)))


def _index(values: pa.ChunkedArray, among: pa.ChunkedArray) -> NDArray[np.int64]:
    found = pc.index_in(values, value_set=among.combine_chunks())
    return np.asarray(pc.fill_null(found, -1), dtype=np.int64)


def _taken(column: pa.ChunkedArray, rows: NDArray[np.int64]) -> list[Any]:
    taken: list[Any] = column.take(pa.array(rows)).to_pylist()
    return taken


def _codes(values: Any) -> tuple[NDArray[Any], list[str]]:
    """Codes from 0 and their values, sorted; null is the empty text."""
    names, codes = np.unique(np.array([value or "" for value in values], dtype=str), return_inverse=True)
    return fitting(codes.astype(np.int64)), names.tolist()


def _different(scores: pa.Table | None, column: str) -> list[str]:
    if scores is None:
        return []
    return sorted(name for name in pc.unique(pc.cast(scores[column], pa.string())).to_pylist() if name)
