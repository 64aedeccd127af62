"""What a report is about: the runs joined to their benchmark, and the parts of it that tables and figures show."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from multiglobeqa.build import variants
from multiglobeqa.errors import InputError
from multiglobeqa.report.metrics import MISSING, Interval, Options, grouped, intervals, joined, majority_table
from multiglobeqa.report.metrics.entities import classes_of, clusters_of
from multiglobeqa.report.metrics.languages import ENGLISH
from multiglobeqa.report.tables.cell import NotDrawn
from multiglobeqa.report.tables.conditions import Condition, in_order

CONDITION: Final = ("model", "tier")
_EXTRA: Final = ("question", "gold", "unit")
_T = TypeVar("_T")


@dataclass(frozen=True)
class Dropped:
    """A part of the benchmark that a model was not asked at a tier: no question of it has a reply."""

    model: str
    tier: str
    language: str
    modality: str
    questions: int


@dataclass(frozen=True)
class Study:
    """``table``: the joined rows of all runs (``report.metrics.joined``), where ``model`` names each model apart,
    and the
    columns question, gold, unit of the questions. ``questions``: those of the benchmark; ``dropped``: what was not
    asked; ``small``: whether only the small variant counts. ``draws``: of every bootstrap, seeded by ``seed``.
    """

    name: str
    questions: pa.Table = field(repr=False)
    table: pa.Table = field(repr=False)
    snapshots: dict[str, str] = field(default_factory=dict)
    dropped: tuple[Dropped, ...] = ()
    small: bool = False
    intake: tuple[dict[str, Any], ...] = ()
    draws: int = 2000
    seed: int = 0
    _made: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    def once(self, name: str, make: Callable[[], _T]) -> _T:
        """What ``make`` gives, made at the first call of this name only."""
        if name not in self._made:
            self._made[name] = make()
        made: _T = self._made[name]
        return made

    @property
    def options(self) -> Options:
        """How comparisons are made."""
        return Options(draws=self.draws, seed=self.seed)

    @cached_property
    def language(self) -> str:
        """The language of tables that show one: English where any reply is in it, else the one of most rows."""
        counts = {
            row["values"]: row["counts"] for row in pc.value_counts(_text(self.table["language"])).to_pylist()
        }
        return ENGLISH if ENGLISH in counts else min(counts, key=lambda code: (-counts[code], code or ""))

    @cached_property
    def _image(self) -> NDArray[np.bool_]:
        return np.asarray(
            pc.fill_null(pc.equal(_text(self.table["modality"]), "image"), False), dtype=np.bool_
        )

    @cached_property
    def main(self) -> pa.Table:
        """Text questions in the main language: what most tables are about."""
        own = np.asarray(
            pc.fill_null(pc.equal(_text(self.table["language"]), self.language), False), dtype=np.bool_
        )
        return self.table.filter(pa.array(own & ~self._image))

    @cached_property
    def images(self) -> pa.Table:
        """Image questions in the main language."""
        own = np.asarray(
            pc.fill_null(pc.equal(_text(self.table["language"]), self.language), False), dtype=np.bool_
        )
        return self.table.filter(pa.array(own & self._image))

    @cached_property
    def texts(self) -> pa.Table:
        """Text questions in all languages."""
        return self.table.filter(pa.array(~self._image))

    @cached_property
    def asked_once(self) -> pa.Table:
        """The benchmark's questions in one language: the main one where it stands there."""
        codes = self.questions["language"].unique().to_pylist()
        code = self.language if self.language in codes else min(codes, key=lambda one: (one != ENGLISH, one))
        return self.questions.filter(pc.equal(self.questions["language"], code))

    @cached_property
    def majority(self) -> pa.Table:
        """The majority baseline's joined rows over text questions."""
        return _majority(self.asked_once, image=False)

    @cached_property
    def majority_of_images(self) -> pa.Table:
        """The majority baseline's joined rows over image questions."""
        return _majority(self.asked_once, image=True)

    @cached_property
    def conditions(self) -> list[Condition]:
        """(model, tier) of the main questions, in the order of tables."""
        return conditions_of(self.main)

    @property
    def models(self) -> list[str]:
        """The models of the main questions, sorted."""
        return sorted({model for model, _ in self.conditions})

    @property
    def tiers(self) -> list[str]:
        """The tiers of the main questions, in order."""
        return in_order(tier for _, tier in self.conditions)

    def intervals(
        self, table: pa.Table, by: Sequence[str], metric: str = "em"
    ) -> dict[tuple[Any, ...], Interval]:
        """Group -> metric with its interval."""
        return {one.group: one for one in intervals(table, by, metric, draws=self.draws, seed=self.seed)}

    @cached_property
    def whole_at_t1(self) -> pa.Table:
        """Rows at T1 over the large variant, of the models and seeds that were asked it.

        Raises NotDrawn where there are none, or the benchmark is no larger than its small variant.
        """
        if self.small:
            raise NotDrawn("the large variant; leave out --variant small")
        kept = variants.chosen(self.asked_once)
        if kept.all():
            raise NotDrawn("a benchmark that is larger than its small variant")
        table = at_tier(self.main, "T1")
        passes = grouped(table, ("model", "seed"))
        beyond = _beyond(table, self.in_small(table))
        whole = np.bincount(passes.codes[beyond], minlength=len(passes)) > 0
        if not whole.any():
            raise NotDrawn("a run at tier T1 over the large variant")
        return table.filter(pa.array(whole[passes.codes]))

    @cached_property
    def only_small(self) -> list[Condition]:
        """Models and tiers with replies to questions of the small variant alone, in a report on the large one."""
        if self.small or variants.chosen(self.asked_once).all():
            return []
        groups = grouped(self.main, CONDITION)
        replies = np.bincount(
            groups.codes[_beyond(self.main, self.in_small(self.main))], minlength=len(groups)
        )
        kept = {key for key, count in zip(groups.keys, replies.tolist(), strict=True) if not count}
        return [condition for condition in self.conditions if condition in kept]

    def in_small(self, table: pa.Table) -> NDArray[np.bool_]:
        """(n,) which rows are of the small variant's questions."""
        ids = self.asked_once["id"].filter(pa.array(variants.chosen(self.asked_once))).combine_chunks()
        return np.asarray(pc.is_in(table["id"], value_set=ids), dtype=np.bool_)


def _beyond(table: pa.Table, inner: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """(n,) which rows are replies to questions outside the small variant."""
    missing = np.asarray(pc.equal(_text(table["status"]), MISSING), dtype=np.bool_)
    outside: NDArray[np.bool_] = ~inner & ~missing
    return outside


def _majority(questions: pa.Table, *, image: bool) -> pa.Table:
    modality = pc.fill_null(pc.equal(questions["modality"], "image"), False)
    chosen = questions.filter(modality if image else pc.invert(modality))
    if not chosen.num_rows:
        raise NotDrawn("image questions" if image else "text questions")
    return majority_table(chosen)


def conditions_of(table: pa.Table) -> list[Condition]:
    """(model, tier) that the table has, by tier in order, then model."""
    found = [(model, tier) for model, tier in grouped(table, CONDITION).keys]
    order = in_order(tier for _, tier in found)
    return sorted(found, key=lambda one: (order.index(one[1]), one[0]))


def at_tier(table: pa.Table, tier: str) -> pa.Table:
    """The rows of one tier."""
    return table.filter(pc.equal(_text(table["tier"]), tier))


def of_condition(table: pa.Table, condition: Condition) -> pa.Table:
    """The rows of one model and tier."""
    model, tier = condition
    return table.filter(pc.and_(pc.equal(_text(table["model"]), model), pc.equal(_text(table["tier"]), tier)))


def true_questions(table: pa.Table, by: Sequence[str] = ()) -> dict[tuple[Any, ...], int]:
    """Group -> how many different questions with a true premise it has; seeds, models and tiers count none twice."""
    kept = table.filter(table["premise"])
    once = pa.table({name: _text(kept[name]) for name in dict.fromkeys(("id", *by))})
    once = once.group_by(once.column_names).aggregate([])
    groups = grouped(once, by)
    return dict(zip(groups.keys, np.bincount(groups.codes, minlength=len(groups)).tolist(), strict=True))


def study(
    name: str,
    questions: pa.Table,
    scores: pa.Table,
    *,
    snapshots: dict[str, str] | None = None,
    facts: pa.Table | None = None,
    small: bool = False,
    intake: Sequence[dict[str, Any]] = (),
    draws: int = 2000,
    seed: int = 0,
) -> Study:
    """The study of scores over a benchmark.

    ``questions``: rows of ``build.schema.QUESTION_SCHEMA``, the whole benchmark. ``scores``: complete, see ``inputs``.
    ``facts``: the benchmark's, which tell the classes of entities.

    Raises InputError where nothing was asked of what counts.
    """
    if small:
        keep = variants.chosen(questions)
        ids = questions["id"].filter(pa.array(keep)).combine_chunks()
        scores = scores.filter(pc.is_in(scores["id"], value_set=ids))
    if "class" not in questions.column_names and facts is not None:
        questions = questions.append_column("class", classes_of(questions, clusters_of(questions), facts))
    extra = tuple(column for column in _EXTRA if column in questions.column_names)
    table = _named(joined(questions, scores, extra=extra))
    if small:
        questions = questions.filter(pa.array(keep))
    table, dropped = _asked(table)
    if not table.num_rows:
        raise InputError("no question has a reply.", source="scores", mend="Score a run of this benchmark.")
    return Study(
        name,
        questions,
        table,
        dict(snapshots or {}),
        tuple(dropped),
        small,
        tuple(intake),
        draws=draws,
        seed=seed,
    )


def _named(table: pa.Table) -> pa.Table:
    """``model`` tells models apart: a run without a model is called by its run, and where two runs of one model hold
    the
    same seed of the same questions each is called by both."""
    keys = ("model", "run", "tier", "language", "seed")
    groups = grouped(table, keys)
    seen: dict[tuple[Any, ...], set[str]] = {}
    for model, run, *rest in groups.keys:
        seen.setdefault((model, *rest), set()).add(run)
    several = {key[0] for key, runs in seen.items() if key[0] and len(runs) > 1}
    names = [
        f"{model} ({run})" if model in several else model or run or "run" for model, run, *_ in groups.keys
    ]
    column = pa.DictionaryArray.from_arrays(pa.array(groups.codes, pa.int32()), pa.array(names, pa.string()))
    plain = column.cast(pa.string()).dictionary_encode()
    return table.set_column(table.column_names.index("model"), "model", pa.chunked_array([plain]))


def _asked(table: pa.Table) -> tuple[pa.Table, list[Dropped]]:
    """Without the parts (language, modality) of which a model has no reply at a tier."""
    groups = grouped(table, ("model", "tier", "language", "modality"))
    replied = np.asarray(pc.not_equal(_text(table["status"]), MISSING), dtype=np.bool_)
    rows = np.bincount(groups.codes, minlength=len(groups))
    replies = np.bincount(groups.codes[replied], minlength=len(groups))
    empty = replies == 0
    dropped = [
        Dropped(key[0], key[1], key[2] or "", key[3] or "text", int(rows[place]))
        for place, key in enumerate(groups.keys)
        if empty[place]
    ]
    return table.filter(pa.array(~empty[groups.codes])), dropped


def _text(column: pa.ChunkedArray) -> pa.ChunkedArray:
    return column.cast(pa.string())
