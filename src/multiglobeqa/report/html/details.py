"""What the question browser shows of one item, in blocks that the page opens when they are needed.

==============  ====================================================================================
``text.N``      ``TEXT_BLOCK`` items: ids, questions, and English questions where they differ
``detail.N``    ``DETAIL_BLOCK`` items: an object an item (``_question``, and ``passes``)
``shape.N``     ``SHAPE_BLOCK`` geometries of entities, which items name by number
``fact.N``      ``FACT_BLOCK`` triples, which items name by number
==============  ====================================================================================
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from multiglobeqa import answers
from multiglobeqa.errors import MultiGlobeQAError
from multiglobeqa.report.benchmark import Benchmark
from multiglobeqa.report.html.diagnoses import sentence
from multiglobeqa.report.html.geometry import Places, answer, cells_of, outlines, places
from multiglobeqa.report.html.items import Items
from multiglobeqa.report.html.pack import Pack
from multiglobeqa.report.values import answer_text, words

TEXT_BLOCK: Final = 2000
DETAIL_BLOCK: Final = 200
SHAPE_BLOCK: Final = 2000
FACT_BLOCK: Final = 4000
FACTS_SHOWN: Final = 60
SHAPES_SHOWN: Final = 120
MEMBERS_SHOWN: Final = 100
CHARACTERS_SHOWN: Final = 6000
TRIPLE_SHOWN: Final = 240
_COLUMNS: Final = [
    "id", "subtemplate", "template", "format", "unit", "gold", "accepted", "accepted_iris", "roles", "params",
    "entities", "premise", "premise_failure", "derived_from", "image", "scale_hint", "fact_ids",
]  # fmt: skip
_MEASURED: Final = {"distance": "km", "area": "km\N{SUPERSCRIPT TWO}", "count": "", "ratio": "", "point": "km",
                    "date": "days"}  # fmt: skip
_SHARED: Final = {"set": "1 \N{MINUS SIGN} Jaccard", "polygon": "1 \N{MINUS SIGN} IoU"}
_LABEL: Final = r'^<(?P<of>[^>]+)> <http://www\.w3\.org/2000/01/rdf-schema#label> "(?P<name>(?:[^"\\]|\\.)*)"'
Outlines = Mapping[tuple[str, str], list[Any]]
_AMOUNTS: Final = ("tokens_in", "tokens_out", "tokens_reasoning", "steps", "tool_calls", "seconds", "cost")


def put_texts(pack: Pack, chosen: Items) -> None:
    """Blocks ``text.N``."""
    at = pa.array(chosen.question)
    ids, texts = chosen.questions["id"].take(at), chosen.questions["question"].take(at)
    english = chosen.questions["question_en"].take(at)
    for number, start in enumerate(range(0, len(chosen), TEXT_BLOCK)):
        shown = texts.slice(start, TEXT_BLOCK).to_pylist()
        originals = english.slice(start, TEXT_BLOCK).to_pylist()
        pack.json(
            f"text.{number}",
            {
                "id": ids.slice(start, TEXT_BLOCK).to_pylist(),
                "question": shown,
                "english": [one if one != text else 0 for one, text in zip(originals, shown, strict=True)],
            },
        )


def put_details(pack: Pack, chosen: Items, benchmark: Benchmark, facts: bool) -> None:
    """Blocks ``detail.N``, ``shape.N`` and, where asked, ``fact.N``."""
    writer = _Details(pack, chosen, _facts(benchmark, chosen), facts)
    for number, start in enumerate(range(0, len(chosen), DETAIL_BLOCK)):
        pack.json(f"detail.{number}", writer.block(start))
    writer.shapes()
    writer.triples()


def _facts(benchmark: Benchmark, chosen: Items) -> pa.Table:
    """The facts of the chosen items' questions; none where the benchmark has no facts."""
    file = benchmark.path / "facts.parquet"
    if not file.is_file():
        return pa.table({"fact_id": pa.array([], pa.int32()), "triple": pa.array([], pa.string())})
    table = pq.read_table(file, columns=["fact_id", "triple"])
    used = chosen.questions["fact_ids"].take(pa.array(np.unique(chosen.question)))
    wanted = pc.unique(pc.list_flatten(used))
    return table.filter(pc.is_in(table["fact_id"], value_set=wanted)).combine_chunks()


class _Details:
    def __init__(self, pack: Pack, chosen: Items, facts: pa.Table, with_facts: bool) -> None:
        self.pack, self.chosen, self.with_facts = pack, chosen, with_facts
        self.facts = facts
        self.questions = chosen.questions.select(_COLUMNS)
        self.places: Places = places(facts)
        ids = np.asarray(facts["fact_id"])
        self.row_of = dict(zip(ids.tolist(), range(len(ids)), strict=True))
        found = pc.drop_null(pc.extract_regex(facts["triple"].combine_chunks(), _LABEL))
        self.names: dict[str, str] = dict(
            zip(found.field("of").to_pylist(), found.field("name").to_pylist(), strict=True)
        )
        self.used: dict[int, int] = {}
        """fact row -> number in the fact blocks"""

    def block(self, start: int) -> list[dict[str, Any]]:
        """The details of the items from ``start`` on."""
        at = slice(start, start + DETAIL_BLOCK)
        rows = self.questions.take(pa.array(self.chosen.question[at])).to_pylist()
        languages = self.chosen.language[at]
        per_pass = []
        for place in range(len(self.chosen.passes)):
            assert self.chosen.scores is not None
            chosen = self.chosen.rows[place, at]
            wanted = pa.array(np.where(chosen >= 0, chosen, 0))
            scored = self.chosen.scores.take(wanted).to_pylist()
            per_pass.append(
                [row if at >= 0 else None for row, at in zip(scored, chosen.tolist(), strict=True)]
            )
        known = outlines(self._cells(rows, per_pass))
        result = []
        for number, (row, language) in enumerate(zip(rows, languages, strict=True)):
            question = {**row, "language": language}
            roles = json.loads(row["roles"])
            names = {role["iri"]: role["name"] for role in roles.values()}
            entry, origin = self._question(question, roles, known)
            entry["passes"] = [
                None if row is None else self._pass(row, question, names, origin, known)
                for row in (scored[number] for scored in per_pass)
            ]
            result.append(entry)
        return result

    @staticmethod
    def _cells(
        rows: list[dict[str, Any]], per_pass: list[list[dict[str, Any] | None]]
    ) -> Iterator[tuple[str, str]]:
        """The grid cells among gold answers and replies."""
        for number, row in enumerate(rows):
            if row["format"] not in ("cell", "geohash", "composite"):
                continue
            given = [scored[number] for scored in per_pass]
            for value in (row["gold"], *(one["parsed"] for one in given if one)):
                if value is not None:
                    yield from cells_of(json.loads(value), row)

    def _question(
        self, question: Mapping[str, Any], roles: Mapping[str, Any], known: Outlines
    ) -> tuple[dict[str, Any], tuple[float, float] | None]:
        """What all passes share; and where a polar answer starts."""
        rows = [self.row_of[fact] for fact in question["fact_ids"] if fact in self.row_of]
        role_of = {role["iri"]: name for name, role in roles.items()}
        gold = set(question["accepted_iris"])
        drawn: list[list[Any]] = []
        origin: tuple[float, float] | None = None
        for fact in question["fact_ids"]:
            if (place := self.places.at.get(fact)) is None:
                continue
            owner = self.places.owner[place]
            if role_of.get(owner) == "B" and origin is None:
                origin = self.places.point[place]
            if len(drawn) < SHAPES_SHOWN:
                name = roles[role_of[owner]]["name"] if owner in role_of else self.names.get(owner, "")
                drawn.append(
                    [place, role_of.get(owner, ""), name, int(owner in gold), int(self.places.fix[place])]
                )
        shown = rows[:FACTS_SHOWN] if self.with_facts else []
        value = json.loads(question["gold"]) if question["gold"] is not None else None
        entry: dict[str, Any] = {
            "hint": question["scale_hint"],
            "gold": self._text(question["gold"], question, {}) if question["premise"] else None,
            "accepted": [self._text(one, question, {}) for one in question["accepted"]],
            "failure": words(question["premise_failure"]) if question["premise_failure"] else None,
            "derived": question["derived_from"],
            "image": _image(question["image"]),
            "roles": [[name, role["name"], role["iri"]] for name, role in roles.items()],
            "shapes": drawn,
            "gold_shape": answer(value, question, origin, known) if value is not None else None,
            "facts": [self.used.setdefault(row, len(self.used)) for row in shown],
            "n_facts": len(question["fact_ids"]),
        }
        return {key: value for key, value in entry.items() if value not in (None, [], "")}, origin

    def _pass(
        self,
        row: Mapping[str, Any],
        question: Mapping[str, Any],
        names: Mapping[str, str],
        origin: tuple[float, float] | None,
        known: Outlines,
    ) -> dict[str, Any]:
        """One pass's reply to one item."""
        parsed = json.loads(row["parsed"]) if row["parsed"] is not None else None
        entry: dict[str, Any] = {
            "reply": _cut(row["text"]),
            "prompt": _cut(row["prompt"]),
            "parsed": self._text(row["parsed"], question, names) if parsed is not None else None,
            "reason": row["reason"],
            "rule": row["rule"],
            "why": sentence(row["diagnosis"]) if row["diagnosis"] else None,
            "amounts": [[words(name), row[name]] for name in _AMOUNTS if row[name] is not None],
        }
        if parsed is not None and question["premise"]:
            entry["error"] = error(parsed, question, float(row["ne"]))
            entry["shape"] = answer(parsed, question, origin, known)
        return {key: value for key, value in entry.items() if value not in (None, [], "")}

    def _text(self, value: str, question: Mapping[str, Any], names: Mapping[str, str]) -> str:
        """A canonical answer in full, entities by name."""
        try:
            parsed = json.loads(value)
        except ValueError:
            return value
        if isinstance(parsed, str):
            return names.get(parsed) or self.names.get(parsed) or parsed
        if isinstance(parsed, list):
            members = [names.get(str(one)) or self.names.get(str(one)) or str(one) for one in parsed]
            more = len(members) - MEMBERS_SHOWN
            return "; ".join(members[:MEMBERS_SHOWN]) + (f"; and {more} more" if more > 0 else "")
        if isinstance(parsed, dict) and set(parsed) == {"h3", "s2"}:
            return f"H3 {parsed['h3']}, S2 {parsed['s2']}"
        return answer_text(value, _unit(question["unit"]))

    def shapes(self) -> None:
        """Write the blocks of the entities' geometries."""
        drawn = self.places.drawn
        for number, start in enumerate(range(0, len(drawn), SHAPE_BLOCK)):
            self.pack.json(f"shape.{number}", drawn[start : start + SHAPE_BLOCK])

    def triples(self) -> None:
        """Write the blocks of the facts that an item shows."""
        rows = self.facts["triple"].take(pa.array(list(self.used), pa.int64())).to_pylist()
        for number, start in enumerate(range(0, len(rows), FACT_BLOCK)):
            self.pack.json(f"fact.{number}", [_triple(one) for one in rows[start : start + FACT_BLOCK]])


def error(parsed: Any, question: Mapping[str, Any], ne: float) -> str | None:
    """The distance d of an answer and its tolerance in words; the least d over gold and accepted answers.

    None for formats that are right or wrong and nothing between.
    """
    name = question["format"]
    if name in _SHARED:
        return f"{_SHARED[name]} = {ne:.3g}" + ("; right up to 0.5" if name == "polygon" else "; right at 0")
    try:
        fmt = answers.get(name)
        gold = answers.gold_of(question)
        golds = [gold, *(json.loads(one) if isinstance(one, str) else one for one in question["accepted"])]
        if name == "polar":
            least = min(float(fmt.distance(parsed, one, question) or 0.0) for one in golds)
            return f"{_number(least)} times the tolerance; right below 1"
        if name not in _MEASURED:
            return None
        found = [(d, one) for one in golds if (d := fmt.distance(parsed, one, question)) is not None]
        if not found:
            return "coarser than asked"
        d, nearest = min(found, key=lambda pair: pair[0])
        tau = fmt.tolerance(nearest, question)
        return f"d = {_amount(d, name)}; \N{GREEK SMALL LETTER TAU} = {_amount(tau, name)}"
    except (MultiGlobeQAError, TypeError, KeyError, ValueError):
        return None


def _amount(value: float, name: str) -> str:
    unit = "day" if name == "date" and value == 1 else _MEASURED[name]
    return f"{_number(value)} {unit}".rstrip()


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 10_000 else f"{value:.4g}"


def _unit(unit: str | None) -> str | None:
    return "km\N{SUPERSCRIPT TWO}" if unit == "km2" else unit


def _image(value: str | None) -> str | None:
    if value is None:
        return None
    try:
        named = json.loads(value)
    except ValueError:
        return value
    return f"{named.get('name')} ({named.get('source')})" if isinstance(named, dict) else value


def _cut(text: str | None) -> str | None:
    if text is None or len(text) <= CHARACTERS_SHOWN:
        return text
    half = CHARACTERS_SHOWN // 2
    return f"{text[:half]}\n[... {len(text) - 2 * half:,} characters left out ...]\n{text[-half:]}"


def _triple(text: str) -> str:
    if len(text) <= TRIPLE_SHOWN:
        return text
    return f"{text[: TRIPLE_SHOWN - 60]} [... {len(text) - TRIPLE_SHOWN:,} characters ...] {text[-60:]}"
