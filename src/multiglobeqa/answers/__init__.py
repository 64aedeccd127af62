"""The answer formats, 15 and `choice`: what to ask for, how to read a reply, how far it is from the gold.

``get(name)`` gives a format; ``FORMATS`` lists their names. ``parse_reply`` turns a model's text into a
status and a canonical answer. ``AliasIndex`` resolves names.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Final

from multiglobeqa.answers.aliases import AliasIndex
from multiglobeqa.answers.area import Area
from multiglobeqa.answers.base import Format, FormatError, gold_of
from multiglobeqa.answers.boolean import Boolean
from multiglobeqa.answers.cell import Cell
from multiglobeqa.answers.choice import Choice
from multiglobeqa.answers.composite import Composite
from multiglobeqa.answers.count import Count
from multiglobeqa.answers.date import Date
from multiglobeqa.answers.distance import Distance
from multiglobeqa.answers.entity import Entity
from multiglobeqa.answers.geohash import Geohash
from multiglobeqa.answers.label import Label
from multiglobeqa.answers.point import Point
from multiglobeqa.answers.polar import Polar
from multiglobeqa.answers.polygon import Polygon
from multiglobeqa.answers.ratio import Ratio
from multiglobeqa.answers.reply import STATUSES, Reply, Status, parse_reply, parse_value, read_reply
from multiglobeqa.answers.set import Set
from multiglobeqa.errors import InputError

__all__ = [
    "FORMATS",
    "STATUSES",
    "AliasIndex",
    "Format",
    "FormatError",
    "Reply",
    "Status",
    "get",
    "gold_of",
    "parse_reply",
    "parse_value",
    "read_reply",
]

_CLASSES: Final[tuple[type[Format], ...]] = (
    Boolean, Entity, Label, Set, Cell, Geohash, Composite, Distance, Area, Count, Ratio, Point, Polar,
    Polygon, Date, Choice,
)  # fmt: skip
_BY_NAME: Final = {each.name: each for each in _CLASSES}
FORMATS: Final = tuple(_BY_NAME)
"""Names of the formats, in the order of the paper's Table 12, then `choice`."""


def get(name: str, *, names: AliasIndex | None = None, h3_credit: str = "geometric") -> Format:
    """The format of this name.

    Parameters
    ----------
    name : one of ``FORMATS``.
    names : alias store of the KG, for entity and set.
    h3_credit : "paper", "geometric" or "none": credit for finer H3 cells, for cell and composite.

    Raises
    ------
    InputError : no such format or credit.
    """
    if name not in _BY_NAME:
        raise InputError(f"{name!r} is not an answer format.", mend=f"Formats: {', '.join(FORMATS)}.")
    if names is not None and name in ("entity", "set"):
        return Entity(names) if name == "entity" else Set(names)
    if name in ("cell", "composite"):
        return _grid(name, h3_credit)
    return _plain(name)


@cache
def _plain(name: str) -> Format:
    return _BY_NAME[name]()


@lru_cache(maxsize=16)
def _grid(name: str, h3_credit: str) -> Format:
    return Cell(h3_credit) if name == "cell" else Composite(h3_credit)
