"""Answers that the parser refuses, although a reader sees what is meant.

Each repair turns the refused value into one that can be read. Where the repaired answer is right, the fault is one of
form, or the mistake that the repair undoes; where it is wrong, it is diagnosed as if it had been read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from multiglobeqa.answers.base import Format, FormatError, Question
from multiglobeqa.answers.cell import system_of
from multiglobeqa.answers.diagnosis.cells import near_cell
from multiglobeqa.answers.diagnosis.labels import relation
from multiglobeqa.answers.jsontext import opened
from multiglobeqa.answers.label import WINDS, Label
from multiglobeqa.answers.text import ascii_digits, strip_invisible

RIGHT: Final = "form.right"
_NUMBER: Final = re.compile(r"[-+\u2212]?\d(?:[\d.,\u00a0\u202f' ]*\d)?(?:[eE][-+]?\d+)?")
_DAY_FIRST: Final = re.compile(r"(\d{1,2})[./-](\d{1,2})[./-](\d{4})")
_DATE_IN_TEXT: Final = re.compile(r"\d{4}-\d{2}(?:-\d{2})?")
_LAT: Final = ("lat", "latitude")
_LON: Final = ("lon", "lng", "long", "longitude")
_MOST_TEXT: Final = 2000
_MOST_CELL: Final = 30

Repair = tuple[str, object]
"""What is said where the repaired value is right, and the value."""


def repairs(value: object, answer_format: Format, question: Question) -> Iterator[Repair]:
    """Values that the format may read, the most certain first."""
    if isinstance(value, str) and len(value) > _MOST_TEXT:
        return
    make = _BY_FORMAT.get(answer_format.name)
    if make is not None:
        yield from make(value)


def said_of_unread(value: object, answer_format: Format, question: Question, gold: Any) -> str | None:
    """What can be said without reading the value: another grid, a finer wind, an unknown unit, exchanged axes."""
    if answer_format.name in ("cell", "geohash"):
        return _of_other_grid(value, answer_format.name, question, gold)
    if answer_format.name == "label" and isinstance(answer_format, Label):
        return _finer_wind(value, answer_format, question, gold)
    if answer_format.name in ("distance", "area", "count", "ratio") and isinstance(value, str):
        number = _only_number(value)
        if number and _has_unit(value, number):
            return "form.other_dimension"
    if answer_format.name == "point":
        pair = _pair(opened(value))
        if pair and abs(pair[0]) > 90 and abs(pair[0]) <= 180 and abs(pair[1]) <= 90:
            return "axes_swapped.out_of_range"
    return None


def _points(value: object) -> Iterator[Repair]:
    pair = _pair(opened(value))
    if pair:
        yield "axes_swapped", {"lat": pair[1], "lon": pair[0]}


def _pair(value: object) -> tuple[float, float] | None:
    """First and second coordinate as written, latitude first where keys name it."""
    if isinstance(value, Mapping):
        keys = {str(key).strip().casefold(): part for key, part in value.items()}
        first = next((keys[key] for key in _LAT if key in keys), None)
        second = next((keys[key] for key in _LON if key in keys), None)
    elif isinstance(value, list | tuple) and len(value) == 2:
        first, second = value
    elif isinstance(value, str):
        found = re.findall(r"[-+]?\d+(?:\.\d+)?", ascii_digits(value))
        if len(found) != 2 or re.search(r"[NSEW°]", value):
            return None
        first, second = (float(part) for part in found)
    else:
        return None
    try:
        return float(first), float(second)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return None


def _boxes(value: object) -> Iterator[Repair]:
    value = opened(value)
    if isinstance(value, Mapping):
        value = value.get("bbox", value)
    if isinstance(value, Mapping):
        sides = {str(key).strip().casefold(): part for key, part in value.items()}
        if set(sides) != {"west", "south", "east", "north"}:
            return
        four = [sides[side] for side in ("west", "south", "east", "north")]
    elif isinstance(value, list | tuple) and len(value) == 4:
        four = list(value)
    else:
        return
    west, south, east, north = four
    yield "axes_swapped", [south, west, north, east]
    yield "sides_exchanged", [west, north, east, south]
    yield "box_order", [west, east, south, north]


def _numbers(value: object) -> Iterator[Repair]:
    if isinstance(value, int | float) and not isinstance(value, bool):
        if value < 0:
            yield "sign_flipped", -value
    elif isinstance(value, str):
        number = _only_number(value)
        if number:
            yield RIGHT, value[value.find(number) :].strip(" .!")
            yield "form.other_dimension" if _has_unit(value, number) else RIGHT, number
            if number.startswith(("-", "\u2212")):
                yield "sign_flipped", number[1:]
    elif isinstance(value, list) and len(value) == 1:
        yield RIGHT, value[0]
    elif isinstance(value, Mapping) and len(value) == 1:
        yield RIGHT, next(iter(value.values()))


def _only_number(text: str) -> str | None:
    found = _NUMBER.findall(ascii_digits(strip_invisible(text)))
    return found[0] if len(found) == 1 else None


def _has_unit(text: str, number: str) -> bool:
    """Whether a text is a number and one word behind it."""
    before, _, rest = ascii_digits(strip_invisible(text)).strip().partition(number)
    return not before and len(rest.split()) == 1 and rest.strip()[0].isalpha()


def _dates(value: object) -> Iterator[Repair]:
    if not isinstance(value, str):
        return
    text = ascii_digits(strip_invisible(value))
    match = _DAY_FIRST.search(text)
    if match:
        first, second, year = match.groups()
        yield RIGHT, f"{year}-{second.zfill(2)}-{first.zfill(2)}"
        yield RIGHT, f"{year}-{first.zfill(2)}-{second.zfill(2)}"
    dates = set(_DATE_IN_TEXT.findall(text))
    if len(dates) == 1:
        yield RIGHT, dates.pop()


def _composites(value: object) -> Iterator[Repair]:
    value = opened(value)
    if isinstance(value, Mapping) and len(value) == 2:
        keys = {str(key).strip().casefold(): part for key, part in value.items()}
        if set(keys) == {"h3", "s2"}:
            yield "parts_exchanged", {"h3": keys["s2"], "s2": keys["h3"]}


def _wholes(value: object) -> Iterator[Repair]:
    """Labels, truth values and names: the only member of a list or an object, or of a list that should be one name."""
    value = opened(value)
    if isinstance(value, Mapping) and len(value) == 1:
        value = next(iter(value.values()))
        yield RIGHT, value
    if isinstance(value, list):
        for member in value[:20]:
            yield "part_of_name" if len(value) > 1 else RIGHT, member


def _cells(value: object) -> Iterator[Repair]:
    yield from _wholes(value)
    if isinstance(value, str):
        words = re.findall(r"[0-9a-zA-Z]+", value)
        long = [word for word in words if any(c.isdigit() for c in word)]
        if len(words) > 1 and len(long) == 1:
            yield RIGHT, long[0]


_BY_FORMAT: Final = {
    "point": _points, "polygon": _boxes, "distance": _numbers, "area": _numbers, "count": _numbers, "ratio": _numbers,
    "date": _dates, "composite": _composites, "label": _wholes, "boolean": _wholes, "entity": _wholes, "cell": _cells,
    "geohash": _cells,
}  # fmt: skip


def _of_other_grid(value: object, name: str, question: Question, gold: Any) -> str | None:
    if not isinstance(value, str) or len(value) > _MOST_CELL:
        return None
    asked = "geohash" if name == "geohash" else system_of(question)
    for system in ("h3", "s2", "geohash"):
        if system != asked and near_cell(value.strip().lower(), system, gold, asked):
            return "other_cell_system"
    return None


def _finer_wind(value: object, label: Label, question: Question, gold: Any) -> str | None:
    try:
        wind = label.parse(value, {"params": {"options": list(WINDS)}})
    except FormatError:
        return None
    winds = len(label.options(question))
    return "finer_wind" if gold in WINDS and relation(wind, gold, winds) == "neighbouring_sector" else None
