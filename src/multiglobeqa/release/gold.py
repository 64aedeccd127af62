"""Gold answers of other tables, read into our canonical values by the answer formats themselves."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final

from multiglobeqa import answers
from multiglobeqa.answers import FormatError
from multiglobeqa.release.mapping import GoldRule

_NUMBER: Final = re.compile(r"\s*-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\s*")
_PAIR: Final = re.compile(r"\s*[\[(]?\s*(-?\d+(?:\.\d+)?)\s*[,;\s]\s*(-?\d+(?:\.\d+)?)\s*[\])]?\s*")
_WKT_POINT: Final = re.compile(r"\s*POINT\s*\(\s*(-?[\d.]+)\s+(-?[\d.]+)\s*\)\s*", re.IGNORECASE)
OUR_UNITS: Final = {"distance": "km", "area": "km²"}
"""The unit that canonical values of a format are in."""

_NUMERIC: Final = ("distance", "area", "count", "ratio")


def canonical(value: Any, row: Mapping[str, Any], rule: GoldRule) -> Any:
    """The canonical value of a gold answer.

    Parameters
    ----------
    value : as the table holds it: a number, a boolean, a list, an object, or text.
    row : our question row so far (``format``, ``language``, ``params``, ``subtemplate``, ``unit``).

    A text is decoded as JSON only where it begins as an object, a list or a quoted text: ``8e5`` may be a cell and
    ``1984`` a name. A plain number is read with a decimal point, whatever the question's language, in the unit of the
    mapping or else of the row's column ``unit``.

    Raises
    ------
    FormatError : it is no answer of the format.
    """
    answer_format = answers.get(row["format"])
    if rule.canonical:
        try:
            gold = json.loads(value)
        except (ValueError, TypeError) as error:
            raise FormatError(f"{str(value)[:80]!r} is not JSON.") from error
        parsed = answer_format.parse(gold, row)
    else:
        gold = parsed = answer_format.parse(_prepared(value, row, rule), row)
    if not answer_format.exact_match(parsed, gold, {**row, "accepted": ()}):
        raise FormatError(f"{str(value)[:80]!r} is not right by its own score.")
    return gold


def _prepared(value: Any, row: Mapping[str, Any], rule: GoldRule) -> Any:
    name, value = row["format"], _decoded(value)
    if name in _NUMERIC:
        if isinstance(value, str) and _NUMBER.fullmatch(value):
            value = json.loads(_plain(value))
        unit = rule.units.get(name) or (row.get("unit") if name in OUR_UNITS else None)
        if unit and isinstance(value, int | float) and not isinstance(value, bool):
            return {"value": value, "unit": unit}
        return value
    if name == "point":
        return _point(value, rule)
    if name == "set" and isinstance(value, str) and rule.separator:
        return [part.strip() for part in value.split(rule.separator) if part.strip()]
    return value


def _plain(text: str) -> str:
    """A number as JSON writes it: no leading zeros."""
    sign, digits = ("-", text.strip()[1:]) if text.strip().startswith("-") else ("", text.strip())
    return sign + (re.sub(r"^0+(?=\d)", "", digits))


def _decoded(value: Any) -> Any:
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "[", '"'):
        try:
            return json.loads(value)
        except ValueError:
            return value
    return value


def _point(value: Any, rule: GoldRule) -> Any:
    if isinstance(value, str):
        if match := _WKT_POINT.fullmatch(value):
            return {"lat": float(match[2]), "lon": float(match[1])}
        if match := _PAIR.fullmatch(value):
            value = [float(match[1]), float(match[2])]
    if isinstance(value, list | tuple) and len(value) == 2 and rule.point == "longitude_latitude":
        return [value[1], value[0]]
    return value
