"""The image slice: questions in which a picture stands for one place."""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

from multiglobeqa.build import pictures
from multiglobeqa.build.gold import Instance
from multiglobeqa.build.picturable import Catalogue
from multiglobeqa.build.questions import Writer, hint_of

PREFIX: Final = "image_"
"""Before the causes of discarded image candidates."""


def write(drawn: list[Instance], catalogue: Catalogue, writer: Writer) -> tuple[list[Instance], Counter[str]]:
    """The drawn instances of one sub-template as image questions, and the discards by cause.

    An instance whose entity in the pictured role has no picture is left out.
    """
    discards: Counter[str] = Counter()
    _, by_name = writer.rows(drawn)
    discards.update({PREFIX + cause: count for cause, count in by_name.items()})
    kept: list[Instance] = []
    for found in drawn:
        if found.question is None:
            continue
        row, cause = _row(found, catalogue, writer)
        if row is None:
            discards[PREFIX + str(cause)] += 1
        else:
            found.question = row
            kept.append(found)
    return kept, discards


def _row(found: Instance, catalogue: Catalogue, writer: Writer) -> tuple[dict[str, Any] | None, str | None]:
    sub, text = found.sub, found.question
    assert sub.image is not None and text is not None
    picture = catalogue.pictures.get(found.roles[sub.image.role])
    if picture is None:
        return None, "entity_without_picture"
    number = int(text["paraphrase"].rsplit(".", 1)[1]) - 1
    row, cause = pictures.pictured(
        text,
        sub.image.role,
        picture,
        wording=sub.paraphrases[number],
        hint=hint_of(sub),
        values=found.values,
    )
    if row is None:
        return None, cause
    lines = pictures.relabelled(writer.fact_lines(found), picture)
    if lines is None:
        return None, "name_in_the_facts"
    return {**row, "fact_ids": writer.add_facts(lines)}, None
