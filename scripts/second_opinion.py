"""A second opinion on a benchmark's answers: PostGIS recomputes them from the snapshots' entity tables.

python scripts/second_opinion.py BENCH [--socket DIR] [--kg DIR ...] [--questions 200] [--json FILE]

It draws questions of the metric, topological and directional families by hash, in turn over sub-templates, KGs and
strata. PostGIS loads the entities, finds the candidates itself and computes with geography functions
(``second_opinion/*.sql``). Nothing of the packages geo, engine and solver is imported, and no facts are read.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import io
import json
import math
import re
import shutil
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pyarrow.parquet as pq

from multiglobeqa import answers

SQL: Final = Path(__file__).with_name("second_opinion")
ROOT: Final = Path(__file__).resolve().parents[1]
WORLD: Final = ROOT / "src" / "multiglobeqa" / "data" / "world"
FAMILIES: Final = {
    "metric": "A B G I K",
    "topological": "C D E04 E05",
    "directional": "J M01 F01 F04",
}
"""Group -> families, templates or sub-templates of it."""
ROLES: Final = ("A", "B", "C", "D", "X")
TIGHT: Final = 1e-3
"""The tight comparison: 0.1 % of a number, or 2 m."""
TIGHT_KM: Final = 0.002
TIGHT_DEGREES: Final = 0.01


class OpinionError(Exception):
    """PostGIS cannot be reached or refuses a statement."""


@dataclass(frozen=True)
class Verdict:
    """One question compared. ``within`` the answer's own tolerance, ``tight`` 0.1 %; ``off``: the difference
    (km, or share of the gold for areas and ratios); None for discrete answers."""

    id: str
    group: str
    sub: str
    kg: str
    gold: Any
    found: Any
    within: bool
    tight: bool
    off: float | None


class Psql:
    """Statements through psql; each call is one session of the private cluster."""

    def __init__(self, socket: Path, database: str = "opinion") -> None:
        self._program = shutil.which("psql") or "psql"
        self._target = ["-h", str(socket), "-U", "gis"]
        self._database = database

    def make_database(self) -> None:
        """Make the database where it is missing."""
        if self.rows(f"SELECT 1 FROM pg_database WHERE datname = '{self._database}'", database="postgres"):
            return
        self.run(f"CREATE DATABASE {self._database}", database="postgres")

    def run(self, script: str, database: str | None = None) -> str:
        """Run a script and return what it prints; the first error ends it."""
        command = [self._program, "-X", "-q", "-At", "--csv", "-v", "ON_ERROR_STOP=1", *self._target]
        try:
            done = subprocess.run(
                [*command, "-d", database or self._database, "-f", "-"],
                input=script, capture_output=True, text=True, check=False,
            )  # fmt: skip
        except FileNotFoundError as error:
            raise OpinionError("psql is not there; run `make postgis`.") from error
        if done.returncode:
            raise OpinionError(done.stderr.strip())
        return done.stdout

    def rows(self, sql: str, database: str | None = None) -> list[list[str]]:
        """The rows of a SELECT as text."""
        return list(csv.reader(io.StringIO(self.run(sql, database))))

    def copy(self, table: str, rows: Iterable[Sequence[Any]]) -> None:
        """Append rows by COPY; None is null."""
        text = io.StringIO()
        text.write(f"COPY {table} FROM STDIN (FORMAT csv);\n")
        csv.writer(text, lineterminator="\n").writerows(rows)  # None becomes an empty field, which is null
        text.write("\\.\n")
        self.run(text.getvalue())


def group_of(sub: str) -> str | None:
    """The group of a sub-template, None where no group holds it."""
    for group, names in FAMILIES.items():
        if any(sub.startswith(name) for name in names.split()):
            return group
    return None


def draw(rows: Iterable[dict[str, Any]], count: int) -> list[dict[str, Any]]:
    """``count`` questions of each group: sub-templates, KGs and strata take turns, then the hash of the id."""
    groups: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        group = group_of(row["subtemplate"])
        if group and row["premise"] and row["modality"] == "text":
            groups[group].append(row)
    return [row for group in FAMILIES for row in _in_turn(groups[group], count)]


def _in_turn(rows: list[dict[str, Any]], count: int) -> list[dict[str, Any]]:
    place: dict[str, float] = {row["id"]: 0 for row in rows}
    keys = (
        lambda r: (r["subtemplate"], r["kg"], f"{r['income']}/{r['density']}"),
        lambda r: (r["subtemplate"], r["kg"]),
        lambda r: (r["subtemplate"],),
    )
    for (
        key
    ) in keys:  # from the finest division to the coarsest: the place within it becomes the order in the next
        members: dict[Any, list[str]] = defaultdict(list)
        for row in rows:
            members[key(row)].append(row["id"])
        place = {
            identity: float(turn)
            for ids in members.values()
            for turn, identity in enumerate(sorted(ids, key=lambda i: (place[i], _hash(i))))
        }
    return sorted(rows, key=lambda r: (place[r["id"]], _hash(r["id"])))[:count]


def _hash(text: str) -> str:
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()


def stored_rows(snapshots: Iterable[Path], kgs: set[str]) -> Iterator[tuple[Any, ...]]:
    """Rows for the table ``stored`` from the entity tables (GeoParquet) of snapshots."""
    for folder in snapshots:
        manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
        if manifest["kg"] not in kgs:
            continue
        for part in manifest["parts"]:
            file = pq.ParquetFile(folder / f"{part['name']}.entities.parquet")
            columns = ["iri", "class", "kind", "level", "admin", "time_start", "attributes", "geometry"]
            for batch in file.iter_batches(8192, columns=columns):
                for row in batch.to_pylist():
                    yield (
                        manifest["kg"], part["name"], part["coverage"] is None, row["iri"], row["class"], row["kind"],
                        row["level"], json.dumps(row["admin"]), row["time_start"] is not None, row["attributes"],
                        "\\x" + row["geometry"].hex(),
                    )  # fmt: skip


def check_snapshots(bench: Path, snapshots: Iterable[Path]) -> None:
    """Raise OpinionError where the benchmark was built from other snapshots than those given."""
    built = json.loads((bench / "build.json").read_text("utf-8"))["snapshots"]
    given = {
        m["kg"]: m["snapshot_id"]
        for m in (json.loads((f / "manifest.json").read_text("utf-8")) for f in snapshots)
    }
    for kg, identity in built.items():
        if given.get(kg) != identity:
            raise OpinionError(
                f"{bench} was built from {identity}; given is {given.get(kg)}. Build it again, or name --kg."
            )


def asked_rows(rows: Iterable[dict[str, Any]]) -> Iterator[tuple[Any, ...]]:
    """Rows for the table ``asked``: parameters, and the IRI of each role."""
    for row in rows:
        roles = json.loads(row["roles"])
        yield (
            row["id"], row["subtemplate"], row["kg"], row["params"],
            *(roles[role]["iri"] if role in roles else None for role in ROLES),
        )  # fmt: skip


def sections() -> Iterator[tuple[list[str], str]]:
    """The sub-templates and the SELECT of each section of the SQL files."""
    for group in FAMILIES:
        text = (SQL / f"{group}.sql").read_text("utf-8")
        for head, body in re.findall(r"^-- \[([^\]]+)\][^\n]*\n(.*?)(?=^-- \[|\Z)", text, re.M | re.S):
            yield head.split(), body.strip().rstrip(";")


def opinions(psql: Psql) -> dict[str, Any]:
    """Every section run over the asked questions: id -> answer (IRIs for entities and sets)."""
    joins = "".join(
        f" LEFT JOIN entity {r.lower()} ON {r.lower()}.kg = s.kg AND {r.lower()}.iri = s.{r.lower()}_iri"
        for r in ROLES
    )
    listed = ", ".join(r.lower() for r in ROLES)
    present = {row[0] for row in psql.rows("SELECT DISTINCT sub FROM asked")}
    for subs, select in sections():
        if mine := [sub for sub in subs if sub in present]:
            names = ", ".join(f"'{sub}'" for sub in mine)
            view = f"SELECT s.id, s.sub, s.kg, s.p, {listed} FROM asked s{joins} WHERE s.sub IN ({names})"
            try:
                insert = f"INSERT INTO opinion SELECT id, answer FROM (\n{select}\n) AS found;"
                psql.run(f"CREATE TEMP TABLE q AS {view};\n{insert}")
            except OpinionError as error:
                raise OpinionError(f"{', '.join(mine)}: {error}") from error
    return {
        row[0]: json.loads(row[1])
        for row in psql.rows("SELECT id, answer FROM opinion WHERE answer IS NOT NULL")
    }


def compare(row: Mapping[str, Any], found: Any) -> Verdict:
    """The verdict on one question; ``found``: PostGIS's answer, None where it has none."""
    kind, gold = row["format"], json.loads(row["gold"])
    base = (row["id"], group_of(row["subtemplate"]) or "", row["subtemplate"], row["kg"])
    if kind in ("entity", "set"):
        gold = sorted(row["accepted_iris"])
    if found is None:
        return Verdict(*base, gold, None, False, False, None)
    if kind == "entity":
        return Verdict(*base, gold, found, found in gold, found in gold, None)
    if kind not in ("distance", "area", "ratio", "point", "polar"):
        same = found == gold
        return Verdict(*base, gold, found, same, same, None)
    question = {"format": kind, "unit": row["unit"], "params": json.loads(row["params"])}
    room = float(answers.get(kind).tolerance(gold, question)) if kind != "polar" else math.nan
    if kind == "point":
        off = _apart_km(gold, found)
        return Verdict(*base, gold, found, off <= room, off <= 0.1, off)
    if kind == "polar":
        within = answers.get("polar").exact_match(found, gold, question)
        off = abs(found["distance_km"] - gold["distance_km"])
        turned = abs((found["azimuth_deg"] - gold["azimuth_deg"] + 180) % 360 - 180)
        return Verdict(
            *base, gold, found, within, _tight(off, gold["distance_km"]) and turned <= TIGHT_DEGREES, off
        )
    off = abs(found - gold)
    share = off / abs(gold) if kind != "distance" else off
    tight = _tight(off, gold) if kind == "distance" else off <= TIGHT * abs(gold)
    return Verdict(*base, gold, found, off <= room, tight, share)


def _tight(off: float, gold: float) -> bool:
    return off <= max(TIGHT_KM, TIGHT * abs(gold))


def _apart_km(a: Mapping[str, float], b: Mapping[str, float]) -> float:
    """Great-circle distance of two points, near enough to judge centroids."""
    la, lb = math.radians(a["lat"]), math.radians(b["lat"])
    turn = math.radians(a["lon"] - b["lon"])
    h = math.sin((la - lb) / 2) ** 2 + math.cos(la) * math.cos(lb) * math.sin(turn / 2) ** 2
    return 2 * 6371.0 * math.asin(math.sqrt(h))


def run(bench: Path, psql: Psql, snapshots: Sequence[Path], count: int) -> tuple[list[Verdict], Counter[str]]:
    """Load, ask and compare; the verdicts, and how many drawn questions no section answers, by sub-template."""
    check_snapshots(bench, snapshots)
    every = pq.read_table(bench / "questions.parquet").to_pylist()
    answered = {sub for subs, _ in sections() for sub in subs}
    left_out = Counter(
        row["subtemplate"]
        for row in every
        if group_of(row["subtemplate"]) and row["subtemplate"] not in answered
    )
    rows = draw([row for row in every if row["subtemplate"] in answered], count)
    psql.make_database()
    psql.run((SQL / "setup.sql").read_text("utf-8"))
    psql.copy("stored", stored_rows(snapshots, {row["kg"] for row in rows}))
    psql.copy("asked", asked_rows(rows))
    psql.run((SQL / "load.sql").read_text("utf-8"))
    psql.run((SQL / "swept.sql").read_text("utf-8"))
    found = opinions(psql)
    return [compare(row, found.get(row["id"])) for row in rows], left_out


def report(verdicts: Sequence[Verdict], left_out: Mapping[str, int]) -> str:
    """The figures as Markdown: a line a sub-template, then every question that is not equal within 0.1 %."""
    lines = [
        "| group | sub-template | questions | same | within 0.1 % | largest difference |",
        "|---|---|--:|--:|--:|--:|",
    ]
    by_sub: dict[tuple[str, str], list[Verdict]] = defaultdict(list)
    for verdict in verdicts:
        by_sub[(verdict.group, verdict.sub)].append(verdict)
    order = list(FAMILIES)
    for (group, sub), mine in sorted(by_sub.items(), key=lambda item: (order.index(item[0][0]), item[0][1])):
        offs = [v.off for v in mine if v.off is not None]
        largest = f"{max(offs):.6f}" if offs else "-"
        lines.append(
            f"| {group} | {sub} | {len(mine)} | {sum(v.within for v in mine)} | {sum(v.tight for v in mine)} "
            f"| {largest} |"
        )
    for group in FAMILIES:
        mine = [v for v in verdicts if v.group == group]
        lines.append(
            f"| **{group}** | all | {len(mine)} | {sum(v.within for v in mine)} | {sum(v.tight for v in mine)} | |"
        )
    lines += ["", "Difference: km; a share of the gold for areas and ratios.", ""]
    for v in verdicts:
        if not v.tight:
            how = "outside the tolerance" if not v.within else "above 0.1 %"
            lines.append(
                f"- {v.id} ({v.sub}, {v.kg}), {how}: gold {_short(v.gold)}, PostGIS {_short(v.found)}"
            )
    if left_out:
        lines.append("\nNot asked: " + ", ".join(f"{s} ({n})" for s, n in sorted(left_out.items())))
    return "\n".join(lines) + "\n"


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 160 else text[:160] + "..."


def main(arguments: list[str] | None = None) -> int:
    """Run from the command line; 1 where an answer differs by more than its tolerance."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("bench", type=Path)
    parser.add_argument(
        "--socket", type=Path, default=ROOT / "out" / "postgis", help="folder of the server's socket"
    )
    parser.add_argument(
        "--kg", type=Path, action="append", help="snapshot folder; by default the embedded ones"
    )
    parser.add_argument("--questions", type=int, default=200, help="questions of each group")
    parser.add_argument("--out", type=Path, help="write the figures there too (Markdown)")
    options = parser.parse_args(arguments)
    started = time.perf_counter()
    snapshots = options.kg or sorted(path.parent for path in WORLD.glob("*/manifest.json"))
    try:
        verdicts, left_out = run(options.bench, Psql(options.socket), snapshots, options.questions)
    except OpinionError as error:
        print(f"second opinion: {error}", file=sys.stderr)
        return 1
    text = report(verdicts, left_out)
    print(text, end="")
    print(f"Time: {time.perf_counter() - started:.0f} s")
    if options.out:
        options.out.write_text(text, "utf-8")
    return 0 if all(verdict.within for verdict in verdicts) else 1


if __name__ == "__main__":
    sys.exit(main())
