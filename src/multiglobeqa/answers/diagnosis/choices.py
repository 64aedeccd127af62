"""Options: the mistake that the chosen option stands for, by the question's ``origins``."""

from __future__ import annotations

from multiglobeqa.answers.choice import Choice
from multiglobeqa.answers.diagnosis.batch import CAUSE, Batch, Findings
from multiglobeqa.answers.diagnosis.kinds import key_of_slip

_CHOICE = Choice()


def diagnose_choices(batch: Batch, found: Findings) -> None:
    """The stored slip of a wrong option; options drawn from other golds tell nothing."""
    for row, value in enumerate(batch.values):
        question = batch.case(row).row
        name = _CHOICE.slip(value, question) if value in _CHOICE.options(question) else None
        if name:
            found.add(key_of_slip(name, "choice"), row, CAUSE)
