"""Replies as models give them, made of a benchmark's gold answers: right and wrong, strict and talkative, refusing and
broken, in the number forms of their language. Seeded; used by ``scoring_speed.py`` and by tests."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from random import Random
from typing import Any, Final

from multiglobeqa.answers.numbers import DECIMAL_COMMA

LANGUAGES: Final = (
    "eng", "rus", "zho", "fra", "spa", "jpn", "deu", "ita", "por", "bul", "urd", "ell", "ron", "kat", "tur", "vie",
    "sqi",
)  # fmt: skip
REFUSALS: Final = {
    "eng": "I cannot determine this without further data.", "rus": "Я не знаю.", "zho": "我不知道。",
    "fra": "Je ne sais pas.", "spa": "No lo sé.", "jpn": "わかりません。", "deu": "Das weiß ich nicht.",
    "ita": "Non lo so.", "por": "Não sei.", "bul": "Не знам.", "urd": "مجھے نہیں معلوم۔", "ell": "Δεν γνωρίζω.",
    "ron": "Nu știu.",
    "kat": "არ ვიცი.", "tur": "Bilmiyorum.", "vie": "Tôi không biết.", "sqi": "Nuk e di.",
}  # fmt: skip
_GARBAGE: Final = (
    "The two places lie in the same region, so one would have to look at the map to see how they relate to each other.",
    "Let me think about this. First, the coordinates", "", "{", '{"result": 12}', "```\n```",
    "N/A", "42 or maybe 43 km",
)  # fmt: skip
_THOUGHT: Final = (
    "The question asks for a relation between two places. I recall their coordinates roughly, convert the degrees to "
    "radians and use the haversine formula: a = sin^2(dlat/2) + cos(lat1) cos(lat2) sin^2(dlon/2). Then I round. "
)
KINDS: Final = {
    "right": 36, "wrong": 20, "near": 6, "fenced": 8, "prose": 4, "reasoned": 9, "declined": 5, "words": 2,
    "garbage": 3,    "written": 4, "bare": 1, "cut": 1, "listed": 1,
}  # fmt: skip
"""Kind of reply -> its share in percent."""


def mixture(
    questions: Sequence[Mapping[str, Any]], languages: Sequence[str] = LANGUAGES, *, seed: int = 0,
    aliases: Callable[[str], Sequence[str]] | None = None,
) -> Iterator[dict[str, Any]]:  # fmt: skip
    """One reply a question and language: ``id``, ``language``, ``text`` and what it cost.

    Parameters
    ----------
    questions : rows with ``id``, ``format``, ``gold`` and ``accepted_iris``.
    aliases : the labels of an entity's IRI, for right answers by another name.
    """
    random = Random(seed)
    golds: dict[str, list[Any]] = {}
    decoded = [None if row["gold"] is None else json.loads(row["gold"]) for row in questions]
    for row, gold in zip(questions, decoded, strict=True):
        if gold is not None:
            golds.setdefault(row["format"], []).append(gold)
    names, weights = list(KINDS), list(KINDS.values())
    for row, gold in zip(questions, decoded, strict=True):
        others = golds.get(row["format"], [0])
        for language, kind in zip(languages, random.choices(names, weights, k=len(languages)), strict=True):
            truth = gold if gold is not None else random.choice(others)
            if aliases and row["format"] == "entity" and row["accepted_iris"] and random.random() < 0.3:
                truth = random.choice([truth, *aliases(row["accepted_iris"][0])])
            value = random.choice(others) if kind == "wrong" or random.random() < 0.2 else truth
            text = _text(kind, value, language, random)
            yield {
                "id": row["id"], "language": language, "model": "mixture", "tier": "T2", "seed": 0, "text": text,
                "tokens_in": 180, "tokens_out": len(text) // 4, "seconds": 0.5,
            }  # fmt: skip


def _text(kind: str, value: Any, language: str, random: Random) -> str:
    strict = json.dumps({"answer": value, "declined": False}, ensure_ascii=False)
    match kind:
        case "near":
            return json.dumps({"answer": _moved(value, random), "declined": False}, ensure_ascii=False)
        case "fenced":
            return f"```json\n{strict}\n```"
        case "prose":
            return f"Here is my answer:\n\n{strict}\n\nLet me know if you need more."
        case "reasoned":
            return f"<think>\n{_THOUGHT * random.randint(1, 4)}\n</think>\n\n{strict}"
        case "declined":
            return '{"answer": null, "declined": true, "reason": "there is no such place"}'
        case "words":
            return REFUSALS[language]
        case "garbage":
            return random.choice(_GARBAGE)
        case "written":
            return json.dumps(
                {"answer": written(value, language, random), "declined": False}, ensure_ascii=False
            )
        case "bare":
            return json.dumps(value, ensure_ascii=False)
        case "cut":
            return strict[: random.randint(1, len(strict) - 1)]
        case "listed":
            return json.dumps({"answer": [value], "declined": False}, ensure_ascii=False)
        case _:
            return strict


def _moved(value: Any, random: Random) -> Any:
    """A value near the right one."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + random.choice((-2, -1, 1, 2))
    if isinstance(value, float):
        return round(value * random.uniform(0.9, 1.1), random.randint(0, 6))
    if isinstance(value, dict):
        return {key: _moved(part, random) if isinstance(part, float) else part for key, part in value.items()}
    if isinstance(value, list):
        return value[:-1] + random.sample(value, k=min(1, len(value)))
    return value.upper() if random.random() < 0.5 else value.split(" (")[0]


def written(value: Any, language: str, random: Random) -> Any:
    """A value as people of a language write it: numbers with their marks and units, points in degrees."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        text = f"{value:,.{random.randint(0, 3)}f}" if isinstance(value, float) else f"{value:,}"
        if language in DECIMAL_COMMA:
            text = text.translate(str.maketrans(",.", ".,"))
        if language == "urd":
            text = "".join(chr(0x06F0 + int(c)) if c.isdigit() else c for c in text)
        return text + random.choice(("", " km", " m", " km²", "%"))
    if isinstance(value, dict) and set(value) == {"lat", "lon"}:
        north, east = "NS"[value["lat"] < 0], "EW"[value["lon"] < 0]
        return f"{abs(value['lat'])}° {north}, {abs(value['lon'])}° {east}"
    if isinstance(value, dict):
        return json.dumps(value)
    return "; ".join(value) if isinstance(value, list) else f" {value}\u200b"
