"""Draw questions of a benchmark for reading by hand, and print all that a reader needs to check them.

python scripts/audit_sample.py BENCH NUMBER [--families ABC] [--false 3] [--images 2] [--seed 1] [--further 5]

The draw hangs on the ids of the questions and the seed alone: everything is ordered by the MD5 of seed and id. First
come the false premises asked for, then the pictures, one a family in turn; then families take turns, and within a
family sub-templates, until the number is reached. ``--further N`` prints instead N more questions of every
sub-template of the families, in short.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import textwrap
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from multiglobeqa.build import forms
from multiglobeqa.taxonomy import FAMILIES

Row = dict[str, Any]
COLUMNS: Final = (
    "id", "kg", "family", "subtemplate", "paraphrase", "question", "scale_hint", "format", "unit", "gold", "accepted",
    "accepted_iris", "roles", "params", "slips", "premise", "premise_failure", "modality", "image", "fact_ids",
)  # fmt: skip
LONGEST: Final = 700  # characters of an entity's facts


def rank(seed: int, *words: str) -> str:
    """The place of a thing in the draw: MD5 of seed and words."""
    return hashlib.md5(":".join((str(seed), *words)).encode(), usedforsecurity=False).hexdigest()


def draw(
    rows: Iterable[Row], number: int, families: str, false_premises: int, images: int, seed: int
) -> list[Row]:
    """The questions drawn, ordered by sub-template: fewer than asked where the benchmark holds no more."""
    pools: dict[str, dict[str, list[Row]]] = defaultdict(lambda: defaultdict(list))
    for row in sorted(rows, key=lambda row: rank(seed, row["id"])):
        if row["family"] in families:
            pools[row["family"]][row["subtemplate"]].append(row)
    drawn: dict[str, Row] = {}
    used: dict[str, int] = defaultdict(int)

    def take(family: str, kind: str) -> bool:
        subs = sorted(pools[family], key=lambda sub: (used[sub], rank(seed, kind, sub)))
        for sub in subs:
            for row in pools[family][sub]:
                if _kind(row) == kind and row["id"] not in drawn:
                    drawn[row["id"]] = row
                    used[sub] += 1
                    return True
        return False

    for kind, wanted in (("false", false_premises), ("image", images), ("text", number)):
        count = {family: sum(row["family"] == family for row in drawn.values()) for family in pools}
        turn = sorted(pools) if kind == "text" else sorted(pools, key=lambda family: rank(seed, kind, family))
        left = min(wanted, number - len(drawn))
        while left > 0:
            least = min((count[family] for family in turn), default=0)
            family = next((family for family in turn if count[family] == least), None)
            if family is None:
                break
            if take(family, kind):
                count[family] += 1
                left -= 1
            else:
                turn.remove(family)
    return sorted(drawn.values(), key=lambda row: (row["subtemplate"], rank(seed, row["id"])))


def _kind(row: Row) -> str:
    if not row["premise"]:
        return "false"
    return "image" if row["modality"] != "text" else "text"


def further(rows: Iterable[Row], each: int, families: str, seed: int) -> Iterator[Row]:
    """The first ``each`` questions of every sub-template by the draw's order."""
    seen: dict[str, int] = defaultdict(int)
    ordered = sorted(rows, key=lambda row: (row["subtemplate"], rank(seed + 1, row["id"])))
    for row in ordered:
        if row["family"] in families and seen[row["subtemplate"]] < each:
            seen[row["subtemplate"]] += 1
            yield row


def text_of(row: Row, facts: list[str]) -> str:
    """A question with hint, gold, accepted answers, roles, parameters, slips and its facts in prose, shortened."""
    roles = json.loads(row["roles"])
    lines = [
        f"{row['id']}  {row['paraphrase']}  {row['kg']}  {_kind(row)}",
        f"  question  {row['question']}",
        f"  hint      {row['scale_hint']}",
        f"  gold      {row['gold']} {row['unit'] or ''} ({row['format']}) {row['premise_failure'] or ''}".rstrip(),
        f"  accepted  {list(row['accepted'])} {list(row['accepted_iris'])}",
        *(f"  {role:<9} {value['name']} <{value['iri']}>" for role, value in roles.items()),
        f"  params    {row['params']}",
        f"  slips     {row['slips']}",
    ]
    if row["image"]:
        lines.append(f"  image     {row['image']}")
    lines += [
        f"    {textwrap.shorten(paragraph, LONGEST, placeholder=' ...')}"
        for paragraph in forms.prose(facts).splitlines()
    ]
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> None:
    """Print the draw."""
    parser = argparse.ArgumentParser(description="Draw questions for reading by hand.")
    parser.add_argument("bench", type=Path)
    parser.add_argument("number", type=int)
    parser.add_argument("--families", default="".join(FAMILIES))
    parser.add_argument("--false", type=int, default=5, dest="false_premises")
    parser.add_argument("--images", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--further", type=int, default=0, metavar="N")
    options = parser.parse_args(arguments)
    for name in ("questions.parquet", "facts.parquet"):
        if not (options.bench / name).is_file():
            parser.error(f"{options.bench / name} is missing: name a folder that `mgqa build` wrote")
    if unknown := sorted(set(options.families) - set(FAMILIES)):
        parser.error(f"--families: {unknown[0]!r} is no family; they are {''.join(FAMILIES)}")
    rows = pq.read_table(options.bench / "questions.parquet", columns=list(COLUMNS)).to_pylist()
    if options.further:
        for row in further(rows, options.further, options.families, options.seed):
            print(f"{row['paraphrase']} {row['kg']} {_kind(row)}: {row['question']} -> {row['gold']}")
        return
    drawn = draw(rows, options.number, options.families, options.false_premises, options.images, options.seed)
    facts = _facts(options.bench, {number for row in drawn for number in row["fact_ids"]})
    for place, row in enumerate(drawn, 1):
        print(f"{place}. {text_of(row, [facts[number] for number in row['fact_ids']])}\n")


def _facts(bench: Path, wanted: set[int]) -> dict[int, str]:
    table = pq.read_table(bench / "facts.parquet")
    table = table.filter(pc.is_in(table["fact_id"], value_set=pa.array(sorted(wanted), pa.int32())))
    return dict(zip(table["fact_id"].to_pylist(), table["triple"].to_pylist(), strict=True))


if __name__ == "__main__":
    main()
