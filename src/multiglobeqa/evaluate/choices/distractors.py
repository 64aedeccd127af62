"""Wrong options for one question of a benchmark, by answer format.

What holds for all: a wrong option is no accepted answer, differs from the gold by more than twice the tolerance where
there is one, and reads differently from every other option. Stored slips come first, then answers of other questions
of the sub-template in the same KG and country (``nudge``). Each format has a construction in which the gold's place
among the options says nothing (numbers: ``ladders``; cells: ``cellsets``; below: turns, swaps and crossings).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any, Final

from multiglobeqa import answers
from multiglobeqa.answers import AliasIndex
from multiglobeqa.answers.cell import system_of
from multiglobeqa.answers.choice_text import key
from multiglobeqa.answers.label import Label
from multiglobeqa.evaluate.choices.cellsets import cells, pairs
from multiglobeqa.evaluate.choices.display import text_of
from multiglobeqa.evaluate.choices.ladders import Candidate, Rungs, Traits, ladders
from multiglobeqa.evaluate.choices.nudge import nudged
from multiglobeqa.evaluate.choices.pool import Pool, Question

RANKED: Final = ("distance", "area", "ratio", "count")
"""Formats whose options are ranked on an axis."""
GAPS: Final = (math.log(1.25), math.log(2.2))
MOST_OVERLAP: Final = 0.25
"""Largest IoU of a wrong box with the right one: right is from 0.5 on."""
POOL: Final = 30
MOST: Final = 120

Wrong = list[tuple[Any, str]]
"""Wrong values with their origin: "slip:NAME" or "pool"."""


class Maker:
    """Makes wrong options.

    Parameters
    ----------
    pool : the benchmark's answers.
    wanted : number of wrong options.
    names : KG -> alias store, so that no option is another name of the gold; without one, names as printed count.
    """

    def __init__(self, pool: Pool, wanted: int, names: Mapping[str, AliasIndex] | None = None) -> None:
        self.pool, self.wanted, self.names = pool, wanted, names or {}

    def unranked(self, row: Question, random: Random) -> Wrong | str:
        """Wrong values for a format that has no axis, or why there are none."""
        if text_of(row["gold"], row) is None:
            return "too_long"
        made = _BY_FORMAT[row["format"]](self, row, random)
        if isinstance(made, str):
            return made
        kept = self.distinct(row, made)
        return kept if len(kept) == self.wanted == len(made) else "no_fair_wrong_options"

    def ranked(self, row: Question, random: Random) -> dict[Traits, Rungs]:
        """For a format of RANKED: sets of wrong values by the rank of the gold."""
        others = self.pool.golds(row, least=POOL)
        others = random.sample(others, MOST) if len(others) > MOST else others
        others = [nudged(value, row["format"], random) for value in others]
        found = [
            Candidate(value, at, origin)
            for value, origin in (*self._slips(row), *((value, "pool") for value in others))
            if (at := axis(value, row)) is not None
        ]
        gold = axis(row["gold"], row)
        if gold is None:
            return {}
        texts = {id(each): text_of(each.value, row) for each in found}
        own = text_of(row["gold"], row)
        fmt = self._format(row)

        def far(one: Candidate, other: Candidate | None) -> bool:
            if other is None:
                return texts[id(one)] not in (None, own) and self.is_wrong(row, one.value)
            apart = fmt.distance(one.value, other.value, _asked(row))
            return (
                texts[id(one)] != texts[id(other)]
                and apart is not None
                and apart > 2 * fmt.tolerance(other.value, _asked(row))
            )

        return ladders(gold, found, self.wanted, GAPS, far, random)

    def is_wrong(self, row: Question, value: Any) -> bool:
        """Whether a value is safely wrong: no accepted answer, and beyond twice the tolerance."""
        fmt, asked = self._format(row), _asked(row)
        if fmt.exact_match(value, row["gold"], asked):
            return False
        if row["format"] == "polygon":
            return (fmt.distance(value, row["gold"], asked) or 0.0) >= 1 - MOST_OVERLAP
        if row["format"] in ("distance", "area", "ratio", "count", "point", "polar", "date"):
            golds = [row["gold"], *answers.base.accepted_of(asked)]
            apart = [(fmt.distance(value, gold, asked), fmt.tolerance(gold, asked)) for gold in golds]
            return all(d is not None and d > 2 * tau for d, tau in apart)
        return True

    def distinct(self, row: Question, values: Wrong) -> Wrong:
        """The wrong values whose texts differ from the gold's and from each other's."""
        seen = {key(text_of(row["gold"], row) or "", row["language"])}
        kept = []
        for value, origin in values:
            text = text_of(value, row)
            own = key(text, row["language"]) if text else ""
            if own and own not in seen and self.is_wrong(row, value):
                seen.add(own)
                kept.append((value, origin))
        return kept

    def _format(self, row: Question) -> answers.Format:
        return answers.get(row["format"], names=self.names.get(row["kg"]))

    def _slips(self, row: Question) -> Wrong:
        found: Wrong = []
        for name, value in row["slips"].items():
            listed = value if isinstance(value, list) and row["format"] not in ("set",) else [value]
            found += [(each, f"slip:{name}") for each in listed]
        return found

    def _dates(self, row: Question, random: Random) -> Wrong | str:
        """A stored slip, then days of other questions in the gold's year, each as likely as it is an answer.

        A question often tells the year; a season's frequent days are frequent among the wrong ones too.
        """
        year = row["gold"][:4]
        others = [
            (year + value[4:], "pool") for value in self.pool.counted(row) if len(value) == len(row["gold"])
        ]
        random.shuffle(others)
        slips = [each for each in self._slips(row) if each[0][:4] == year]
        return self.distinct(row, [*slips[:1], *others])[: self.wanted]

    def _labels(self, row: Question, random: Random) -> Wrong | str:
        """Turns of the gold by equal angles, so that each option is as central as the others; else drawn."""
        options = list(Label().options(_asked(row)))
        if len(options) <= self.wanted or row["gold"] not in options:
            return "fewer_values_than_options"
        place, count = options.index(row["gold"]), len(options)
        if count % (self.wanted + 1) == 0:
            step = count // (self.wanted + 1)
            turned = [options[(place + step * k) % count] for k in range(1, self.wanted + 1)]
        else:
            turned = random.sample([each for each in options if each != row["gold"]], self.wanted)
        opposite = row["slips"].get("opposite")
        return [(each, "slip:opposite" if each == opposite else "pool") for each in turned]

    def _entities(self, row: Question, random: Random) -> Wrong | str:
        """Slips, then entities of the class in the country.

        An option repeats as many words of the question as the others, or it would tell itself. Where the question names
        its answer, it names the only other one too: roles A and B.
        """
        if _named(row["gold"], row):
            pair = [row["roles"][role]["name"] for role in ("A", "B") if role in row["roles"]]
            others = [(name, "pool") for name in pair if name != row["gold"]]
            return (
                others
                if len(others) == self.wanted and row["gold"] in pair
                else "the_question_names_the_answers"
            )
        pool = [(name, "pool") for name in self.pool.names(row)]
        random.shuffle(pool)
        level = repeated(bare(row["gold"]), row["question"])
        fits = [
            each
            for each in (*self._slips(row), *pool)
            if not _named(each[0], row) and repeated(bare(each[0]), row["question"]) == level
        ]
        found = self.distinct(row, fits)
        return found[: self.wanted] if len(found) >= self.wanted else "too_few_entities_of_the_class"

    def _sets(self, row: Question, random: Random) -> Wrong | str:
        """Sets as large as the gold, of other entities of the class in the country, none in two options.

        Slips hold much of the gold and would tell it.
        """
        size = len(row["gold"])
        if not size or any(_named(name, row) for name in row["gold"]):
            return "answer_in_the_question"
        levels = {repeated(name, row["question"]) for name in row["gold"]}
        known = {
            key(name, row["language"]): name
            for name in self.pool.names(row)
            if not _named(name, row) and {repeated(name, row["question"])} == levels
        }
        for name in row["gold"]:
            known.pop(key(name, row["language"]), None)
        names = list(known.values())
        if len(names) < size * self.wanted:
            return "too_few_entities_of_the_class"
        drawn = random.sample(names, size * self.wanted)
        return [(sorted(drawn[start : start + size]), "pool") for start in range(0, len(drawn), size)]

    def _cells(self, row: Question, random: Random) -> Wrong | str:
        system = "geohash" if row["format"] == "geohash" else system_of(_asked(row))
        beside = row["slips"].get("neighbour_cells") or ()
        found = cells(row["gold"], system, self.wanted, random)
        return [
            (each, "slip:neighbour_cells" if each in beside else "pool") for each in found or ()
        ] or "no_room"

    def _composites(self, row: Question, random: Random) -> Wrong | str:
        return [(each, "pool") for each in pairs(row["gold"], self.wanted, random) or ()] or "no_room"

    def _points(self, row: Question, random: Random) -> Wrong | str:
        """With an exchange of axes or sides as slip: gold, another gold, and both exchanged; else other golds."""
        others = [nudged(value, "point", random) for value in self.pool.golds(row, least=self.wanted)]
        others = [value for value in others if self.is_wrong(row, value)]
        random.shuffle(others)
        for name, turn in (("axes_swapped", _swap_point), ("other_side", _other_side)):
            crossed = self._crossed(row, others, name, turn)
            if crossed is not None:
                return crossed
        return [(value, "pool") for value in others[: self.wanted]]

    def _boxes(self, row: Question, random: Random) -> Wrong | str:
        if not isinstance(row["gold"], Mapping):
            return "no_box"
        others = [value for value in self.pool.golds(row, least=self.wanted) if isinstance(value, Mapping)]
        others = [nudged(value, "polygon", random) for value in others]
        others = [value for value in others if self.is_wrong(row, value)]
        random.shuffle(others)
        crossed = self._crossed(row, others, "axes_swapped", _swap_box)
        return crossed if crossed is not None else [(value, "pool") for value in others[: self.wanted]]

    def _crossed(
        self, row: Question, others: Sequence[Any], name: str, turn: Callable[[Any], Any]
    ) -> Wrong | None:
        """Gold g and another h, turned: {g, h, turn(g), turn(h)}. Each option has its turned twin."""
        if self.wanted != 3 or name not in row["slips"]:
            return None
        for other in others:
            turned = turn(other)
            made: Wrong = [(other, "pool"), (row["slips"][name], f"slip:{name}"), (turned, "pool")]
            if turned is not None and len(self.distinct(row, made)) == 3:
                return made
        return None

    def _polars(self, row: Question, random: Random) -> Wrong | str:
        """Two azimuths crossed with two distances: every option shares each of its parts with another."""
        if self.wanted != 3:
            others = self.pool.golds(row, least=POOL)
            random.shuffle(others)
            others = [nudged(value, "polar", random) for value in others[: self.wanted]]
            return [(value, "pool") for value in others]
        gold, slip = row["gold"], row["slips"].get("from_other_end")
        angle = slip["azimuth_deg"] if slip else (gold["azimuth_deg"] + 180) % 360
        near = [nudged(v["distance_km"], "distance", random) for v in self.pool.golds(row, least=POOL)]
        factor = math.exp(random.uniform(*GAPS) * random.choice((-1, 1)))
        for far in sorted(near, key=lambda km: abs(math.log(max(km, 1e-9) / (gold["distance_km"] * factor))))[
            :5
        ]:
            made: Wrong = [
                ({**gold, "azimuth_deg": angle}, "slip:from_other_end" if slip else "pool"),
                ({**gold, "distance_km": far}, "pool"),
                ({"azimuth_deg": angle, "distance_km": far}, "pool"),
            ]
            if len(self.distinct(row, made)) == 3:
                return made
        return "no_fair_wrong_options"

    def _truths(self, row: Question, random: Random) -> Wrong | str:
        values: list[Any] = [True, False] if isinstance(row["gold"], bool) else ["true", "plausibly", "false"]
        others = [each for each in values if each != row["gold"]]
        return (
            [(each, "pool") for each in others] if len(others) == self.wanted else "fewer_values_than_options"
        )


_BY_FORMAT: Final[dict[str, Callable[[Maker, Question, Random], Wrong | str]]] = {
    "boolean": Maker._truths,
    "label": Maker._labels,
    "entity": Maker._entities,
    "set": Maker._sets,
    "cell": Maker._cells,
    "geohash": Maker._cells,
    "composite": Maker._composites,
    "point": Maker._points,
    "polygon": Maker._boxes,
    "polar": Maker._polars,
    "date": Maker._dates,
}


def axis(value: Any, row: Question) -> float | None:
    """The place of a number on the axis: its logarithm, for counts that of the number plus 2; None below."""
    number = value + 2 if row["format"] == "count" else value
    return math.log(number) if number > 0 else None


def words(text: str) -> set[str]:
    """The words of a text, small letters; numbers aside."""
    return {word for word in re.findall(r"\w+", text.casefold()) if not word.isdigit()}


def repeated(option: str, question: str) -> int:
    """How many words of an option stand in the question."""
    return len(words(option) & words(question))


def bare(name: str) -> str:
    """A name without the context in brackets that was added to tell it from namesakes."""
    return re.sub(r"(?<=\S) \([^()]*\)$", "", name)


def _asked(row: Question) -> dict[str, Any]:
    """The row as formats read it: gold as JSON text."""
    return {**row, "gold": row["raw_gold"]}


def _named(name: str, row: Question) -> bool:
    """Whether the question's text names an entity."""
    return name.casefold() in row["question"].casefold()


def _swap_point(point: Mapping[str, float]) -> dict[str, float] | None:
    return {"lat": point["lon"], "lon": point["lat"]} if abs(point["lon"]) <= 90 else None


def _other_side(point: Mapping[str, float]) -> dict[str, float]:
    return {"lat": point["lat"], "lon": -point["lon"]}


def _swap_box(box: Mapping[str, float]) -> dict[str, float] | None:
    turned = {"west": box["south"], "east": box["north"], "south": box["west"], "north": box["east"]}
    return turned if -90 <= turned["south"] < turned["north"] <= 90 else None
