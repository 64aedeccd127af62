"""The kinds of diagnosis: keys, what each says, and what a reader may conclude (``kinds.yaml``)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import yaml

SLIP: Final = "slip."
"""Prefix of the keys of stored slips that have no kind of their own."""

_OWN: Final = {
    "centroid": "centroid_for_boundary", "vertex": "nearest_vertex", "planar": "planar", "mercator": "mercator",
    "axes_swapped": "axes_swapped", "box_centre": "box_centre", "from_other_end": "reverse_azimuth",
    "next_zone": "neighbouring_zone", "other_side": "sign_flipped.longitude", "inverse": "inverted",
    "neighbour_cells": "neighbouring_cell", "coarser": "wrong_resolution.coarser", "finer": "wrong_resolution.finer",
    "neighbours": "neighbouring_sector",
}  # fmt: skip
"""Slip of a question's column ``slips`` -> the kind that it is an instance of."""
_OWN_BY_FORMAT: Final = {("label", "opposite"): "opposite_direction"}


@dataclass(frozen=True)
class Kind:
    """One kind.

    Attributes
    ----------
    key : "unit_slip.mi_for_km": the kind, and its variant behind a point.
    nature : "cause" (the answer is what this mistake gives), "fact" (how the answer stands to the gold; no cause is
        claimed) or "form" (the answer cannot be read, but what is inside can be seen).
    title : a few words, for tables.
    says : one sentence on the answer.
    conclude : one sentence on what a reader may take from it.
    """

    key: str
    nature: str
    title: str
    says: str
    conclude: str


@cache
def kinds() -> Mapping[str, Kind]:
    """All kinds by key, stored slips included, in the order of the file."""
    read = yaml.safe_load(Path(__file__).with_name("kinds.yaml").read_text("utf-8"))
    found = {key: Kind(key=key, **row) for key, row in read["kinds"].items()}
    for name, says in read["slips"].items():
        found[SLIP + name] = _slip(name, says)
    return found


def explain(key: str) -> Kind:
    """What a key means. Keys of slips that a user's own template stores have a plain sentence; others are errors.

    Raises
    ------
    KeyError : no such key.
    """
    known = kinds().get(key)
    if known is not None:
        return known
    if key.startswith(SLIP):
        words = key.removeprefix(SLIP).replace("_", " ")
        return _slip(words, f"The answer is what the mistake “{words}” gives.")
    raise KeyError(key)


def kind_of(key: str) -> str:
    """The kind of a key, without its variant; slips stay apart: "unit_slip", "slip.half_radius"."""
    return key if key.startswith(SLIP) else key.partition(".")[0]


def key_of_slip(name: str, answer_format: str) -> str:
    """The key of a stored slip: that of its own kind, else "slip." and its name."""
    return _OWN_BY_FORMAT.get((answer_format, name)) or _OWN.get(name) or SLIP + name


def _slip(name: str, says: str) -> Kind:
    values: dict[str, Any] = {
        "nature": "cause",
        "title": name.replace("_", " "),
        "says": says,
        "conclude": "A mistake that the build foresaw for this very question.",
    }
    return Kind(key=SLIP + name, **values)
