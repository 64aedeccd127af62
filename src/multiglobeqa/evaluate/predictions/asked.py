"""Which questions are in the denominator."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from multiglobeqa.errors import InputError
from multiglobeqa.evaluate.predictions.counts import SHOWN
from multiglobeqa.evaluate.predictions.record import RecordError
from multiglobeqa.evaluate.predictions.rows import id_of, language_code
from multiglobeqa.evaluate.predictions.source import Source

if TYPE_CHECKING:
    from multiglobeqa.evaluate.predictions.settled import Settled

RULES: Final = ("languages", "all", "answered")


@dataclass(frozen=True)
class Asked:
    """A rule: "languages" (all questions in the languages of the replies), "all" (of the whole benchmark, in all its
    languages), "answered" (those with a reply), or "listed" with ``pairs``: (id, language), None for every language.
    """

    rule: str = "languages"
    pairs: frozenset[tuple[str, str | None]] = field(default=frozenset(), repr=False)
    source: str = ""

    @classmethod
    def parse(cls, value: str | Path | None) -> Asked:
        """A rule by its name, or a file that lists ids: a line each, or JSON objects with ``id`` and ``language``."""
        if value is None:
            return cls()
        if str(value) in RULES:
            return cls(str(value))
        return cls("listed", frozenset(_listed(Path(value))), Path(value).name)

    def apply(self, rows: Settled) -> None:
        """Leave out replies to what was not asked, and note what is missing."""
        intake = rows.intake
        intake.restricted = self.rule in ("answered", "listed")
        allowed = np.ones(len(rows.ids), np.bool_)
        if self.rule == "answered":
            intake.asked = "only questions with a reply are in the denominator (asked: answered)"
            rows.absent = []
            return
        if self.rule == "listed":
            allowed = self._allowed(rows)
            asked = allowed[rows.question]
            for at in np.flatnonzero(~asked)[:SHOWN].tolist():
                row = int(rows.place[at])
                intake.add("not asked", f"{rows.replies['place'][row]}: {rows.replies['id'][row]}")
            intake.counts["not asked"] = int((~asked).sum())
            rows.keep(asked)
            intake.asked = (
                f"only the {int(allowed.sum()):,} questions of {self.source} are in the denominator"
            )
        else:
            stored = set(rows.languages.dictionary.to_pylist())
            absent = sorted(stored - set(rows.language.unique().to_pylist()))
            intake.asked = "all questions are in the denominator"
            if absent and self.rule == "languages":
                told = "all questions of the replies' languages are in the denominator, none in "
                intake.asked = told + ", ".join(absent)
        rows.absent = rows.missing(allowed, self.rule == "all")

    def _allowed(self, rows: Settled) -> NDArray[np.bool_]:
        ids = rows.ids.to_pylist()
        languages = rows.languages.to_pylist()
        known = set(ids) | {(i, language) for i, language in zip(ids, languages, strict=True)}
        for identity, language in self.pairs:
            if (identity if language is None else (identity, language)) not in known:
                raise InputError(
                    "is no question of this benchmark.", source=self.source,
                    place=identity if language is None else f"{identity} {language}",
                )  # fmt: skip
        pairs = self.pairs
        return np.array(
            [
                (i, None) in pairs or (i, language) in pairs
                for i, language in zip(ids, languages, strict=True)
            ],
            np.bool_,
        )


def _listed(path: Path) -> set[tuple[str, str | None]]:
    pairs: set[tuple[str, str | None]] = set()
    for line in Source(path).lines():
        text = line.text.strip()
        if not text or (line.number == 1 and text.lower() == "id"):
            continue
        try:
            row = json.loads(text) if text[0] == "{" else {"id": text}
            pairs.add((id_of(row.get("id"))[0], language_code(row.get("language"))))
        except (ValueError, RecordError) as error:
            raise InputError(f"names no question: {error}.", source=path, place=line.number) from error
    if not pairs:
        raise InputError("names no question.", source=path, mend="An id a line.")
    return pairs
