"""How a text question becomes an image question.

An image question is a text question in which one role is shown by a picture instead of being named. The answer stays
the same; the facts too, but for the label of the pictured entity. Which entities may be pictured is
`build.picturable.catalogue`.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from multiglobeqa.build.picturable import PICTURED_PLACE, Catalogue, Picture, catalogue
from multiglobeqa.errors import InputError
from multiglobeqa.images.stated import image_of
from multiglobeqa.kg import triples
from multiglobeqa.taxonomy.model import fill

__all__ = ["Catalogue", "Picture", "catalogue", "holds_name", "image_of", "pictured", "relabelled"]

_ARTICLES: Final = frozenset(
    {"the", "le", "la", "les", "l", "el", "los", "las", "il", "der", "die", "das", "o", "a"}
)
_UNSPACED: Final = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
)


def pictured(
    row: Mapping[str, Any],
    role: str,
    picture: Picture,
    *,
    wording: str,
    hint: str | None,
    values: Mapping[str, str],
) -> tuple[dict[str, Any] | None, str | None]:
    """The image question made of a text question, or the cause why there is none.

    Parameters
    ----------
    row : the row of the text question (``build.schema.QUESTION_SCHEMA``); it stays as it is.
    role : the role whose entity is pictured.
    wording, hint : the sub-template's paraphrase and scale hint, with placeholders.
    values : what filled the placeholders of the text question.

    The row's ``id``, ``question``, ``question_en``, ``scale_hint``, ``roles``, ``modality``, ``image`` and
    ``derived_from`` are new; the caller replaces ``fact_ids`` by those of the lines that `relabelled` gives.
    Causes: pictured_place_is_the_answer, name_in_the_question (another entity's name holds a name of the pictured).
    """
    roles = json.loads(row["roles"])
    if roles[role]["iri"] != picture.image["iri"]:
        raise InputError(f"role {role} is {roles[role]['iri']}, not {picture.image['iri']}.", place=row["id"])
    own = [*picture.names, roles[role]["name"]]
    if picture.image["iri"] in row["accepted_iris"] or _answers_with(row, own):
        return None, "pictured_place_is_the_answer"
    question = fill(wording, {**values, role: picture.words})
    question = question[0].upper() + question[1:]
    scale = fill(hint, {**values, role: picture.words}) if hint else None
    roles[role] = {"iri": picture.image["iri"], "name": picture.words}
    blank = {**values, role: "\n"}
    shown = [
        fill(wording, blank),
        fill(hint or "", blank),
        *(v["name"] for r, v in roles.items() if r != role),
    ]
    if any(holds_name(text, own) for text in shown):
        return None, "name_in_the_question"
    key = json.dumps([row["id"], "image", role, picture.image], sort_keys=True, ensure_ascii=False)
    return {
        **row,
        "id": hashlib.sha256(key.encode()).hexdigest()[:16],
        "question": question,
        "question_en": question,
        "scale_hint": scale,
        "roles": json.dumps(roles, ensure_ascii=False, sort_keys=True),
        "modality": "image",
        "image": json.dumps(picture.image, ensure_ascii=False, sort_keys=True),
        "derived_from": row["id"],
    }, None


def relabelled(lines: Sequence[str], picture: Picture) -> list[str] | None:
    """The facts with the pictured entity's label replaced by "the pictured place".

    ``lines`` are N-Triples lines. None where the label of another entity holds a name of the pictured one.
    """
    mine = f"<{picture.image['iri']}> <{triples.RDFS_LABEL}> "
    label = triples.triple(picture.image["iri"], triples.RDFS_LABEL, triples.literal(PICTURED_PLACE))
    out = [label if line.startswith(mine) else line for line in lines]
    others = (line for line in out if f"> <{triples.RDFS_LABEL}> " in line and not line.startswith(mine))
    if any(holds_name(line.partition("> <")[2], picture.names) for line in others):
        return None
    return list(dict.fromkeys(out))


def holds_name(text: str, names: Collection[str]) -> bool:
    """Whether a text holds one of the names as whole words, whatever the case, accents, punctuation or article."""
    padded = f" {' '.join(_tokens(text))} "
    for name in names:
        tokens = _tokens(name)
        while len(tokens) > 1 and tokens[0] in _ARTICLES:
            tokens = tokens[1:]
        plain = " ".join(tokens)
        if plain and (f" {plain} " in padded or (_UNSPACED.search(plain) and plain in padded)):
            return True
    return False


def _answers_with(row: Mapping[str, Any], names: Collection[str]) -> bool:
    """Whether a gold or accepted answer is the name of the pictured entity."""
    if row["format"] not in ("entity", "set") or row["gold"] is None:
        return False
    gold = json.loads(row["gold"])
    answers = [*(gold if isinstance(gold, list) else [gold]), *map(json.loads, row["accepted"])]
    own = {tuple(_tokens(name)) for name in names}
    return any(tuple(_tokens(str(answer))) in own for answer in answers)


def _tokens(text: str) -> list[str]:
    """Words without case, accents and punctuation."""
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text).casefold())
    plain = "".join(c for c in plain if not unicodedata.combining(c))
    return re.findall(r"[^\W_]+", plain)
