"""A benchmark as multiple-choice questions in the article's form."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from multiglobeqa.answers import AliasIndex
from multiglobeqa.answers.choice_text import key
from multiglobeqa.errors import InputError
from multiglobeqa.evaluate.choices.display import text_of
from multiglobeqa.evaluate.choices.distractors import RANKED, Maker, Wrong, bare
from multiglobeqa.evaluate.choices.items import UNKNOWN, Item
from multiglobeqa.evaluate.choices.ladders import Rungs, Traits, even
from multiglobeqa.evaluate.choices.languages import read_language
from multiglobeqa.evaluate.choices.pool import Pool, Question, decoded
from multiglobeqa.evaluate.choices.shuffle import balanced, generator

NONE: Final = "None: the question rests on a wrong assumption"
"""The option that ``premise`` adds to every question, last."""
UNIQUE: Final = ("area", "cell", "composite", "date", "geohash", "point", "polar", "polygon", "set")
"""Formats whose wrong options are seldom another question's answer: an answer that occurs twice would tell itself."""
_COLUMNS: Final = (
    "id", "kg", "snapshot_id", "family", "template", "subtemplate", "language", "question", "question_en", "scale_hint",
    "format", "unit", "gold", "accepted", "accepted_iris", "roles", "params", "entities", "country", "continent",
    "subregion", "source", "depth", "premise", "modality", "slips",
)  # fmt: skip
_TYPES: Final = {
    "A": "path_distance",
    "D": "path_distance",
    "H": "grid_reference",
    "I": "spatio_temporal",
    "K": "shape_measure",
    "M": "grid_reference",
}


@dataclass
class Made:
    """The items, and the questions left out by format and cause; ``origins`` counts where wrong options come from."""

    items: list[Item]
    left_out: Counter[tuple[str, str]] = field(default_factory=Counter)
    origins: Counter[str] = field(default_factory=Counter)


def make(
    benchmark: str | Path,
    *,
    options: int = 4,
    seed: int = 0,
    premise: bool = False,
    names: Mapping[str, AliasIndex] | None = None,
) -> Made:
    """Multiple-choice items of a benchmark folder's text questions, in the order of their ids.

    Parameters
    ----------
    options : options an item, the one of ``premise`` not counted; at least 2.
    seed : for the choice of wrong options and the order of all.
    premise : add NONE as last option to every item, and items of false premises whose answer it is. Without it they
        are left out.
    names : KG -> alias store: no option is then another name of the right one.

    Raises
    ------
    InputError : no benchmark, or too few options.
    """
    if options < 2:
        raise InputError(f"{options} options are too few.", source="--options", mend="Ask for 2 or more.")
    rows = [decoded(row) for row in _table(Path(benchmark)).to_pylist()]
    made = Made([])
    asked = []
    for row in sorted(rows, key=lambda row: (row["id"], row["language"])):
        if row["modality"] != "text":
            made.left_out[row["format"], "picture"] += 1
        elif not row["premise"] and not premise:
            made.left_out[row["format"], "false_premise"] += 1
        else:
            asked.append(row)
    pool = Pool(rows)
    wrong = _wrong(asked, Maker(pool, options - 1, names), Maker(pool, options, names), seed, made)
    items: dict[str, list[Item]] = defaultdict(list)
    golds: set[tuple[str, str, str]] = set()
    for row in asked:
        if (row["id"], row["language"]) not in wrong:
            continue
        item = _item(row, wrong[row["id"], row["language"]])
        told = (row["format"], item.language.code, item.answer)
        if row["premise"] and row["format"] in UNIQUE and told in golds:
            made.left_out[row["format"], "answer_of_another_question"] += 1
            continue
        golds.add(told)
        items[row["format"]].append(item)
    made.items = [item for name in sorted(items) for item in balanced(items[name], seed)]
    made.items = [replace(item, order=()) for item in made.items]
    if premise:
        made.items = [_with_none(item) for item in made.items]
    for item in made.items:
        made.origins.update(origin for origin in item.extra["origins"] if origin != "gold")
    return made


def question_type(row: Mapping[str, Any]) -> str:
    """The article's question type: fact_retrieval by depth; path_distance, grid_reference, shape_measure and
    spatio_temporal by family or format; else spatial_relation."""
    if row["depth"] == "fact":
        return "fact_retrieval"
    if row["format"] in ("distance", "polar"):
        return "path_distance"
    return _TYPES.get(row["family"], "spatial_relation")


def _wrong(
    asked: list[Question], maker: Maker, premises: Maker, seed: int, made: Made
) -> dict[tuple[str, str], Wrong]:
    """Wrong options by id and language; forms of one question in several languages are drawn alike."""
    found: dict[tuple[str, str], Wrong] = {}
    ranks: dict[str, dict[Traits, Rungs]] = {}
    for row in asked:
        name, random = (row["id"], row["language"]), generator(seed, "wrong", row["id"])
        if not row["premise"]:
            drawn = _of_false_premise(row, premises, random)
        elif row["format"] in RANKED:
            ranks["\x1f".join(name)] = maker.ranked(row, random)
            continue
        else:
            drawn = maker.unranked(row, random)
        if isinstance(drawn, str):
            made.left_out[row["format"], drawn] += 1
        else:
            found[name] = drawn
    groups = {"\x1f".join((row["id"], row["language"])): row["format"] for row in asked}
    settled = even(ranks, groups, maker.wanted + 1)
    for joined, options in ranks.items():
        if joined in settled:
            identity, language = joined.split("\x1f")
            found[identity, language] = [(each.value, each.origin) for each in settled[joined].chosen]
        else:
            cause = "would_make_ranks_uneven" if options else "no_fair_wrong_options"
            made.left_out[groups[joined], cause] += 1
    return found


def _of_false_premise(row: Question, maker: Maker, random: Any) -> Wrong | str:
    """Answers of the sub-template's true questions, as many as other items have options."""
    values = maker.pool.golds({**row, "gold": object()}, least=maker.wanted)
    random.shuffle(values)
    texts: dict[str, Any] = {}
    for value in values:
        text = text_of(value, row)
        if text is not None:
            texts.setdefault(text, value)
    listed = list(texts.values())[: maker.wanted]
    return [(value, "pool") for value in listed] if len(listed) == maker.wanted else "no_fair_wrong_options"


def _item(row: Question, wrong: Wrong) -> Item:
    texts = [str(text_of(value, row)) for value, _ in wrong]
    origins = [origin for _, origin in wrong]
    if row["premise"]:
        texts, origins = [str(text_of(row["gold"], row)), *texts], ["gold", *origins]
    if row["format"] == "entity":
        texts = _without_contexts(texts, row["language"])
    hint = f" ({row['scale_hint'].rstrip('.')}.)" if row["scale_hint"] and row["format"] != "label" else ""
    language = read_language(row["language"])
    return Item(
        id=row["id"],
        language=read_language(language.short),
        question=row["question"] + hint,
        options=tuple(texts),
        answer_index=0,
        question_type=question_type(row),
        region=row["subregion"] or UNKNOWN,
        source=f"multiglobeqa:{row['snapshot_id']}",
        question_en=row["question_en"] + hint if language.code != "eng" else "",
        extra={
            "origins": origins,
            "format": row["format"],
            "family": row["family"],
            "subtemplate": row["subtemplate"],
            "kg": row["kg"],
            "country": row["country"],
            "premise": row["premise"],
        },
    )


def _without_contexts(names: list[str], language: str) -> list[str]:
    """Names without what was added in brackets to tell namesakes apart, where they stay distinct without it.

    A context may share words with the question and would tell the right one.
    """
    short = [bare(name) for name in names]
    return short if len({key(name, language) for name in short}) == len(names) else names


def _with_none(item: Item) -> Item:
    """The item with NONE as last option; right where the premise fails."""
    true = item.extra["premise"]
    return replace(
        item,
        options=(*item.options, NONE),
        answer_index=item.answer_index if true else len(item.options),
        extra={**item.extra, "origins": [*item.extra["origins"], "none" if true else "gold"]},
    )


def _table(folder: Path) -> pa.Table:
    path = folder / "questions.parquet" if folder.is_dir() else folder
    if not path.is_file():
        raise InputError("is no benchmark.", source=folder, mend="Make one with `mgqa build`.")
    try:
        return pq.read_table(path, columns=list(_COLUMNS))
    except (pa.ArrowInvalid, OSError) as error:
        raise InputError(f"cannot be read: {error}.", source=path) from error
