"""Fuzz of reading and scoring: no text may raise, whatever its format and language.

    python tests/answers/fuzz.py --count 1000000          own mutators over the texts of the case files
    python tests/answers/fuzz.py --guided -runs=1000000   guided by coverage (needs the package atheris)

Each input is read as a whole reply, as the text of an answer and, where it is JSON, as an answer. What comes
out must be canonical: plain JSON, equal to itself when read again, right against itself, with EM and NE in
bounds against the other golds. A fault is printed with the input that shows it; the exit code is then 1.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, Final

from multiglobeqa import answers

CASES: Final = Path(__file__).with_name("cases")
LANGUAGES: Final = [
    "eng",
    "sqi",
    "bul",
    "zho",
    "fra",
    "kat",
    "deu",
    "ell",
    "ita",
    "jpn",
    "por",
    "ron",
    "rus",
    "spa",
    "tur",
    "urd",
    "vie",
    "swa",
    "hau",
    "xyz",
]
PARAMS: Final[tuple[dict[str, Any], ...]] = (
    {},
    {"system": "s2", "winds": 16, "precision": "month"},
    {"system": "utm", "winds": 8, "precision": "year", "ternary": True},
    {"system": "h3", "options": ["yes", "no", "Paris"], "precision": "day", "resolution": 7},
)
PIECES: Final = (
    '{"answer":', '{"answer": null, "declined": true}', '"declined":', "true", "false", "null", "NaN", "1e400", "-0.0",
    "}", "{", "[", "]", '"', "\\", "\\u0000", "\\ud800", ",", ":", "```json\n", "```", "<think>", "</think>",
    "\u200b", "\u202e", "\ufeff", "\x00", "\ud800", "\udfff", "İ", "ß", "ﬃ", "²", "½", "Ⅷ", "٣", "۴", "５", "٫", "٬", "，", "−",
    "°", "′", "″", "N", "S", "E", "W", "km", "mi²", "ha", "%", "rad", "POLYGON((", "MULTIPOLYGON(((", "EMPTY", "))",
    "SRID=4326;", "nan", "inf", "-Infinity", "0x", "e", "E+", "10^", "×", "999999999999999999999", "-180", "180", "90.0000001",
    "2019-02-29", "T23:59", "0000", "\n", "\r\n", "\u2028", "\t", "; ", "'", "’", "(", ")", "unknown", "I cannot determine ",
    "不知道", "نہیں معلوم", "не знаю", "…", "«", "»", "\U0001f600", "e\u0301", "\u0345", "\u0fad" * 40, "9" * 400, "[" * 300, "(A)",
)  # fmt: skip


class Fault(AssertionError):
    """What must hold and does not."""


def corpus() -> dict[str, list[str]]:
    """Texts of the case files (replies, answers as JSON and as text) by format; under "" those of all formats."""
    texts: dict[str, dict[str, None]] = {"": {}}
    for path in sorted(CASES.glob("*.jsonl")):
        for line in path.read_text("utf-8").splitlines():
            row = json.loads(line)
            own = texts.setdefault(str(row.get("format", "")), {})
            for key in ("text", "value", "reply", "gold"):
                for value in row[key] if isinstance(row.get(key), list) else [row.get(key)]:
                    if value is not None:
                        own[value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)] = None
            for value in _texts_in(row.get("input")):
                texts[""][value] = None
    return {name: list(found) for name, found in texts.items()}


def _texts_in(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _texts_in(each)


def mutated(own: list[str], others: list[str], random: Random) -> str:
    """A text of the corpus with pieces lost, added, doubled, moved and mixed."""
    text = random.choice(own if random.random() < 0.7 else others)[:400]
    for _ in range(random.choice((0, 0, 1, 1, 1, 2, 3, 6))):
        i, j = sorted((random.randint(0, len(text)), random.randint(0, len(text))))
        j = min(j, i + random.choice((1, 2, 5, 30)))
        kind = random.random()
        if kind < 0.25:
            text = text[:i] + text[j:]
        elif kind < 0.55:
            text = text[:i] + random.choice(PIECES) + text[i:]
        elif kind < 0.65:
            text = text[:j] + text[i:j] * random.randint(1, 3) + text[j:]
        elif kind < 0.75:
            text = (
                text[:i]
                + chr(random.choice((random.randrange(0x250), random.randrange(0x110000))))
                + text[i:]
            )
        elif kind < 0.9:
            other = random.choice(own)
            text = text[:i] + other[random.randint(0, len(other)) :][:200] + text[j:]
        else:
            text = text[:i] + random.choice(others)[:200]
    shape = random.random()
    return (
        text if shape < 0.6 else json.dumps({"answer": text}) if shape < 0.9 else '{"answer": ' + text + "}"
    )


def check(text: str, name: str, question: dict[str, Any], golds: dict[str, list[Any]]) -> str:
    """Read and score one text in one format and language; its status. Raises Fault, or what the code raises."""
    reply = answers.parse_reply(text, answers.get(name), question)
    _plain(reply)
    _value(text, name, question, golds)
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return reply.status
    _value(value, name, question, golds)
    return reply.status


def _plain(reply: answers.Reply) -> None:
    if reply.status not in ("answered", "declined", "unparseable"):
        raise Fault(f"status {reply.status!r}")
    if (reply.value is not None) != (reply.status == "answered"):
        raise Fault(f"{reply.status} with value {reply.value!r}")
    (reply.reason + (reply.rule or "")).encode("utf-8")
    json.dumps(reply.value, allow_nan=False, ensure_ascii=False).encode("utf-8")


def _value(value: Any, name: str, question: dict[str, Any], golds: dict[str, list[Any]]) -> None:
    fmt = answers.get(name)
    try:
        parsed = fmt.parse(value, question)
    except answers.FormatError as error:
        str(error).encode("utf-8")
        return
    again = json.loads(json.dumps(parsed, allow_nan=False))
    if again != parsed or fmt.parse(again, question) != parsed:
        raise Fault(f"{parsed!r} is not canonical")
    if not fmt.exact_match(parsed, parsed, question) or fmt.normalized_error(parsed, parsed, question) != 0:
        raise Fault(f"{parsed!r} is not right against itself")
    for gold in golds[name]:
        d = fmt.distance(parsed, gold, question)
        right, share = fmt.exact_match(parsed, gold, question), fmt.normalized_error(parsed, gold, question)
        if not (d is None or d >= 0) or not 0 <= share <= 1:
            raise Fault(f"{parsed!r} against {gold!r}: d {d}, NE {share}")
        if right and share >= 1:
            raise Fault(f"{parsed!r} against {gold!r}: right with NE {share}")


def golds_by_format() -> dict[str, list[Any]]:
    """One or two golds a format, all that a format reads alike whatever the parameters."""
    found: dict[str, list[Any]] = {name: [] for name in answers.FORMATS}
    found |= {
        "distance": [0.0, 12.5, 12000.0], "area": [2.0, 9e6], "count": [1, 140], "ratio": [0.0, -2.0],
        "point": [{"lat": 48.85, "lon": 2.35}], "polar": [{"azimuth_deg": 359.0, "distance_km": 0.0}],
        "polygon": [{"west": 170.0, "south": -20.0, "east": -170.0, "north": 10.0}],
        "date": ["2019-07-04", "2019"], "entity": ["Đà Nẵng"], "set": [["A", "B"], []], "label": ["north"],
        "geohash": ["u4pruyd"],
    }  # fmt: skip
    return found


def inputs(count: int, seed: int) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Texts with a format and a question for each; formats in turn, so that all see as many."""
    random, texts = Random(seed), corpus()
    for number in range(count):
        name = answers.FORMATS[number % len(answers.FORMATS)]
        own = texts.get(name) or texts[""]
        yield mutated(own, texts[""], random), name, question_of(random, name)


def question_of(random: Random, name: str) -> dict[str, Any]:
    """A question in one of the languages, with parameters that change how the format reads."""
    params = random.choice(PARAMS)
    if name == "choice":
        options = random.choice(
            (["Paris", "Rome", "5"], ["A", "B", "C", "D"], ["да", "نہیں", "不知道", "N", "S"])
        )
        params = {"options": options}
    return {"language": random.choice(LANGUAGES), "params": params, "accepted_iris": [], "entities": []}


def run(count: int, seed: int) -> tuple[Counter[str], list[str]]:
    """Statuses of ``count`` inputs, and the faults found, each once a kind of error and format."""
    golds, seen, faults = golds_by_format(), Counter[str](), dict[str, str]()
    for text, name, question in inputs(count, seed):
        try:
            seen[check(text, name, question, golds)] += 1
        except Exception as error:
            kind = f"{name}: {type(error).__name__}: {str(error)[:60]}"
            faults.setdefault(kind, f"{kind}\n  text {text!r}\n  question {question!r}")
            seen["fault"] += 1
    return seen, list(faults.values())


def guided(arguments: list[str]) -> None:
    """Let atheris search for inputs by branch coverage; it stops at the first fault."""
    atheris = importlib.import_module("atheris")
    for name in [name for name in sys.modules if name.startswith("multiglobeqa.answers")]:
        del sys.modules[name]
    with atheris.instrument_imports(include=["multiglobeqa.answers"]):
        globals()["answers"] = importlib.import_module("multiglobeqa.answers")
    golds = golds_by_format()

    def one(data: bytes) -> None:
        random = Random(data[:2])
        name = answers.FORMATS[(data[0] if data else 0) % len(answers.FORMATS)]
        check(data[2:].decode("utf-8", "surrogateescape"), name, question_of(random, name), golds)

    atheris.Setup([sys.argv[0], *arguments], one)
    atheris.Fuzz()


def main() -> int:
    """Run as a command; 1 where a fault was found."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--count", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--guided", action="store_true")
    given, rest = parser.parse_known_args()
    if given.guided:
        guided(rest)
    start = time.perf_counter()
    seen, faults = run(given.count, given.seed)
    print("\n".join(faults))
    print(
        f"{sum(seen.values()):,} inputs in {time.perf_counter() - start:.0f} s: {dict(seen)}, {len(faults)} faults"
    )
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
