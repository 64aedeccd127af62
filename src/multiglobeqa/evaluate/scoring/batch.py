"""Many replies at once: the same outcomes as ``single.score_one``, by format and as arrays."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from multiglobeqa import answers
from multiglobeqa.answers import AliasIndex, Format, Reply
from multiglobeqa.answers.base import language_of
from multiglobeqa.answers.diagnosis.many import majorities
from multiglobeqa.errors import InputError
from multiglobeqa.evaluate.predictions.record import BAD, MISSING
from multiglobeqa.evaluate.scoring.block import Block, Item, Names, Rows
from multiglobeqa.evaluate.scoring.boxes import score_boxes
from multiglobeqa.evaluate.scoring.columns import bare, table_of
from multiglobeqa.evaluate.scoring.exact import score_booleans, score_cells, score_dates, score_words
from multiglobeqa.evaluate.scoring.explain import diagnoses
from multiglobeqa.evaluate.scoring.named import score_entities, score_sets
from multiglobeqa.evaluate.scoring.numeric import score_numbers, score_points, score_polar
from multiglobeqa.evaluate.scoring.reading import Raw, read_many
from multiglobeqa.evaluate.scoring.schema import NEEDED, USED
from multiglobeqa.evaluate.scoring.single import BROKEN, OTHERWISE

_SCORERS: Final[dict[str, Callable[[Block, Rows], None]]] = {
    "boolean": score_booleans, "entity": score_entities, "label": score_words, "set": score_sets, "cell": score_cells,
    "geohash": score_words, "composite": score_cells, "distance": score_numbers, "area": score_numbers,
    "count": score_numbers, "ratio": score_numbers, "point": score_points, "polar": score_polar,
    "polygon": score_boxes, "date": score_dates,
}  # fmt: skip


class Scorer:
    """Scores predictions to the questions of one benchmark.

    Parameters
    ----------
    questions : columns ``schema.USED``, as far as the benchmark has them; ``schema.NEEDED`` at least.
    names : KG -> alias store; a KG without one is scored by the names as printed.
    h3_credit : see ``answers.get``.
    diagnosis : whether wrong answers are diagnosed (``answers.diagnosis``).
    """

    def __init__(
        self, questions: pa.Table, names: Mapping[str, AliasIndex] | None = None,
        h3_credit: str = "geometric", *, diagnosis: bool = True,
    ) -> None:  # fmt: skip
        if missing := [name for name in NEEDED if name not in questions.column_names]:
            raise InputError(f"has no column {missing[0]!r}.", source="questions")
        self._questions = questions.select([name for name in USED if name in questions.column_names])
        self._names = dict(names or {})
        self._credit = h3_credit
        self._formats: dict[tuple[str, str], Format] = {}
        self._stores: dict[str, Names] = {}
        self._items: dict[int, Item] = {}
        self._golds = majorities(self._questions) if diagnosis else None

    def score(self, predictions: pa.Table, run: str = "") -> pa.Table:
        """Scores of predictions: columns of ``predictions.record.SCHEMA`` and ``question``, the question's row.

        Returns
        -------
        A table of ``SCORE_SCHEMA`` in the order of the predictions.
        """
        there = pc.not_equal(predictions["kind"], MISSING)
        found = predictions.filter(there) if not pc.all(there).as_py() else predictions
        items = self._prepared(found["question"].to_pylist())
        languages = [
            language or language_of(item.row)
            for language, item in zip(found["language"].to_pylist(), items, strict=True)
        ]
        kinds, bodies, reasons = (found[name].to_pylist() for name in ("kind", "body", "reason"))
        prose = [row for row, item in enumerate(items) if item.answer_format.reads_prose]
        later = list(zip(prose, [kinds[row] for row in prose], strict=True))
        for row in prose:
            kinds[row] = BAD  # read with its question, below
        raw = read_many(kinds, bodies, reasons, languages)
        block = self._scored(Block(items, languages, raw, found["otherwise"].to_pylist(), self._stores))
        for row, kind in later:
            block.prose(row, kind, bodies[row], reasons[row])
        return table_of(predictions, block, there, run, self._diagnosed(block))

    def score_replies(self, questions: Sequence[int], replies: Sequence[Reply]) -> pa.Table:
        """Scores of raw replies to questions, by their rows, each in its question's language."""
        items = self._prepared(questions)
        languages = [language_of(item.row) for item in items]
        columns = ([getattr(reply, name) for reply in replies] for name in Raw._fields)
        block = self._scored(Block(items, languages, Raw(*columns), [0] * len(items), self._stores))
        ids = self._questions["id"].take(pa.array(questions, pa.int64()))
        return table_of(bare(ids, languages), block, None, "", self._diagnosed(block))

    def _scored(self, block: Block) -> Block:
        raw = block.raw
        answered: dict[str, Rows] = defaultdict(list)
        for row, status in enumerate(raw.status):
            if status == "answered":
                answered[block.items[row].answer_format.name].append(row)
        for name, rows in answered.items():
            before = [(raw.value[row], raw.reason[row], raw.rule[row]) for row in rows]
            try:
                _SCORERS.get(name, _singly)(block, rows)
            except BROKEN:  # a gold that is not canonical: say which
                for row, (value, reason, rule) in zip(rows, before, strict=True):
                    raw.status[row], raw.value[row], raw.reason[row] = "answered", value, reason
                    raw.rule[row] = rule
                    block.one(row)
        for row, status in enumerate(raw.status):
            if status == "unparseable" and block.otherwise[row]:
                raw.status[row] = OTHERWISE[block.otherwise[row]]
        return block

    def _diagnosed(self, block: Block) -> list[str | None]:
        return [None] * len(block.items) if self._golds is None else diagnoses(block, self._golds)

    def _prepared(self, questions: Sequence[int]) -> list[Item]:
        """The items of questions; those of others are forgotten, so that memory stays bounded."""
        wanted = sorted(set(questions))
        self._items = {number: self._items[number] for number in wanted if number in self._items}
        new = [number for number in wanted if number not in self._items]
        for number, row in zip(new, self._questions.take(pa.array(new, pa.int64())).to_pylist(), strict=True):
            self._items[number] = Item(row, self._format(row["format"], row.get("kg") or ""))
        for store in self._stores.values():
            store.forget()
        return [self._items[question] for question in questions]

    def _format(self, name: str, kg: str) -> Format:
        key = (name, kg if name in ("entity", "set") else "")
        if key not in self._formats:
            names: Any = None
            if key[1] in self._names:
                names = self._stores.setdefault(kg, Names(self._names[kg]))
            self._formats[key] = answers.get(name, names=names, h3_credit=self._credit)
        return self._formats[key]


def _singly(block: Block, rows: Rows) -> None:
    """A format without a scorer of its own."""
    for row in rows:
        block.one(row)
