"""Why a wrong answer is wrong, where arithmetic can tell.

    diagnose(question, "distance", 898.7)                    # one answer, with words
    diagnose_values("distance", questions, values)           # many of one format: keys
    diagnose_many(questions, rows, parsed)                   # Arrow columns of all formats: keys

A key such as "unit_slip.mi_for_km" is a kind and its variant; ``explain`` gives its words, ``kind_of`` its kind. What
counts as a match, and how often chance makes one, is in docs/diagnosis.md.
"""

from __future__ import annotations

from multiglobeqa.answers.diagnosis.kinds import Kind, explain, key_of_slip, kind_of, kinds
from multiglobeqa.answers.diagnosis.many import diagnose_many, diagnose_values
from multiglobeqa.answers.diagnosis.one import Diagnosis, diagnose

__all__ = [
    "Diagnosis",
    "Kind",
    "diagnose",
    "diagnose_many",
    "diagnose_values",
    "explain",
    "key_of_slip",
    "kind_of",
    "kinds",
]
