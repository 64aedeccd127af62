"""Labels and truth values: opposite, neighbouring and mirrored directions; the uncertain band.

Labels are compared exactly. True against false holds no information and gets no diagnosis.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from multiglobeqa.answers.diagnosis.batch import FACT, Batch, Findings
from multiglobeqa.answers.label import FLOW, SIDES, WINDS

_TURN: Final = {wind: at for at, wind in enumerate(WINDS)}
_PAIRS: Final = {
    SIDES[0]: SIDES[1], SIDES[1]: SIDES[0], FLOW[0]: FLOW[1], FLOW[1]: FLOW[0],
}  # fmt: skip


def diagnose_labels(batch: Batch, found: Findings) -> None:
    """All kinds of labels."""
    rows, keys, values = batch.slips()
    stored = np.flatnonzero(
        [batch.values[row] == value for row, value in zip(rows.tolist(), values, strict=True)]
    )
    found.add_each([keys[k] for k in stored.tolist()], rows[stored], FACT)
    said: dict[str, list[int]] = {}
    for row, value in enumerate(batch.values):
        key = relation(value, batch.case(row).gold, int(batch.case(row).params.get("winds") or 16))
        if key:
            said.setdefault(key, []).append(row)
    for key, hit in said.items():
        found.add(key, hit, FACT, 0.1)


def diagnose_booleans(batch: Batch, found: Findings) -> None:
    """Three values: certain against plausible."""
    for row, value in enumerate(batch.values):
        gold = str(batch.case(row).gold).casefold()
        if gold == "plausibly":
            found.add("band_ignored", row, FACT)
        elif value == "plausibly":
            found.add("hedged", row, FACT)


def relation(value: str, gold: str, winds: int) -> str | None:
    """How a label stands to the gold one, with a rose of ``winds``; None where nothing is to be said."""
    if _PAIRS.get(gold) == value:
        return "opposite_direction"
    if value not in _TURN or gold not in _TURN:
        return None
    a, b = _TURN[value], _TURN[gold]
    turn = min((a - b) % 16, (b - a) % 16)
    if turn == 8:
        return "opposite_direction"
    if turn <= 16 // winds:
        return "neighbouring_sector"
    if a == -b % 16:
        return "mirrored_direction.east_west"
    return "mirrored_direction.north_south" if a == (8 - b) % 16 else None
