"""Cell ids of H3 and S2 in all their spellings, as one canonical text.

H3: 15 hexadecimal digits, lower case. S2: the token, the 64-bit id in hexadecimal without trailing zeros.
A ``0x`` prefix is stripped first: s2sphere reads "0x89c25a224" as another valid cell.
"""

from __future__ import annotations

import re
from typing import Final

import h3

from multiglobeqa.answers.base import FormatError
from multiglobeqa.answers.rules import note
from multiglobeqa.answers.text import ascii_digits, shown, strip_invisible

_ID_LIMIT: Final = 1 << 64
_S2_LEVEL_BITS: Final = 0x1555555555555555
"""Bits that may be the lowest set bit of an S2 cell id: the even ones, up to level 0."""


def read_h3(value: object) -> str:
    """Canonical H3 cell of a hexadecimal text (any case, 0x) or an integer (number or decimal text).

    Raises FormatError for anything that is not a valid cell by h3 4.x (which checks unused digits and
    deleted pentagon branches).
    """
    text = _text_of(value)
    number: int | None = None
    if re.fullmatch(r"[0-9a-f]{1,16}", text):
        number = int(text, 16)
    elif re.fullmatch(r"[0-9]{17,20}", text):
        number = int(text)
        note("cell: integer id")
    if number is not None and 0 < number < _ID_LIMIT:
        cell = str(h3.int_to_str(number))
        if h3.is_valid_cell(cell):
            return cell
    raise FormatError(f"{shown(value)} is not an H3 cell.", mend="Write its 15 hexadecimal digits.")


def read_s2(value: object) -> str:
    """Canonical S2 token of a token (any case, 0x, trailing zeros), or a 64-bit id, signed or unsigned.

    Digits alone are a token up to 16 of them and an id beyond; a negative number is a signed id.
    Raises FormatError where the id has no valid face or level.
    """
    text = _text_of(value)
    number: int | None = None
    if re.fullmatch(r"[0-9a-f]{1,16}", text):
        number = int(text.ljust(16, "0"), 16)
    elif re.fullmatch(r"-[0-9]{1,19}", text):
        number = int(text) + _ID_LIMIT
        note("cell: integer id")
    elif re.fullmatch(r"[0-9]{17,20}", text):
        number = int(text)
        note("cell: integer id")
    if (
        number is not None
        and 0 < number < _ID_LIMIT
        and number >> 61 < 6
        and number & -number & _S2_LEVEL_BITS
    ):
        return f"{number:016x}".rstrip("0")
    raise FormatError(f"{shown(value)} is not an S2 cell.", mend="Write its token.")


def s2_level(token: str) -> int:
    """Level 0 to 30 of a canonical token."""
    number = int(token.ljust(16, "0"), 16)
    return 30 - ((number & -number).bit_length() - 1) // 2


def h3_agrees(pred: str, gold: str, credit: str) -> bool:
    """Whether a predicted H3 cell is the gold cell, or a finer cell that earns credit for it.

    Parameters
    ----------
    pred, gold : canonical cells.
    credit : "none" equal cells only. "paper" also a finer cell whose ancestor at the gold's resolution is
        the gold (Table 12, note c). "geometric" also a finer cell whose centre lies in the gold cell, since
        H3 children stick out of their parents.
    """
    if pred == gold:
        return True
    resolution = h3.get_resolution(gold)
    if credit == "none" or h3.get_resolution(pred) <= resolution:
        return False
    if h3.cell_to_parent(pred, resolution) == gold:
        return True
    return credit == "geometric" and h3.latlng_to_cell(*h3.cell_to_latlng(pred), resolution) == gold


def _text_of(value: object) -> str:
    """Lower-case text of a text or an integer, without spaces at its ends and without 0x."""
    if isinstance(value, int) and not isinstance(value, bool):
        if -_ID_LIMIT < value < _ID_LIMIT:
            return str(value)
    elif isinstance(value, str) and len(value) <= 100:
        return ascii_digits(strip_invisible(value)).strip().lower().removeprefix("0x")
    return ""
