"""The class that a question is about: the one it names, else its anchor's (as the build balances them).

The anchor's class stands in the snapshot; where that is not at hand, the rdf:type among the gold triples says it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from multiglobeqa.build.released import FACTS, TRIPLES
from multiglobeqa.kg import classes, triples
from multiglobeqa.report.stats.questions import Questions, decoded
from multiglobeqa.report.stats.world import World
from multiglobeqa.taxonomy.model import SubTemplate

UNKNOWN: Final = "unknown"
"""The class of a question that neither names one nor says what its anchor is."""
_TYPE: Final = f"> <{triples.RDF_TYPE}> <"


def question_classes(questions: Questions, world: World, subs: dict[str, SubTemplate]) -> list[str]:
    """(n,) the class each question is about, a key of ``kg/classes.yaml`` or `UNKNOWN`.

    ``subs``: the sub-templates by id, which name the anchor's role.
    """
    params, roles = decoded(questions, "params"), decoded(questions, "roles")
    named: list[str | None] = [(each or {}).get("class") for each in params]
    anchors = [
        None if name is not None else _anchor(subs.get(sub), given or {})
        for name, sub, given in zip(named, questions.column("subtemplate"), roles, strict=True)
    ]
    stated = entity_classes(questions, world, anchors)
    return [name or other or UNKNOWN for name, other in zip(named, stated, strict=True)]


def entity_classes(questions: Questions, world: World, iris: list[str | None]) -> list[str | None]:
    """(n,) the class of one entity of each question, by snapshot or triples; None where nothing says it."""
    asked = pa.chunked_array([pa.array(iris, pa.string())])
    at = world.places(questions.table["kg"], asked)
    known = world.entities["class"].take(pa.array(at.clip(0))).to_pylist() if len(world.entities) else iris
    found = [name if place >= 0 else None for name, place in zip(known, at.tolist(), strict=True)]
    kgs = questions.column("kg")
    rest = {iri for iri, name in zip(iris, found, strict=True) if iri is not None and name is None}
    if rest:
        by_type = _of_triples(questions.files, rest)
        found = [
            name or by_type.get((kg == "knowwheregraph", str(iri)))
            for kg, iri, name in zip(kgs, iris, found, strict=True)
        ]
    return found


def _anchor(sub: SubTemplate | None, roles: dict[str, Any]) -> str | None:
    if sub is None or sub.anchor not in roles:
        return None
    iri: str | None = roles[sub.anchor].get("iri")
    return iri


def _of_triples(files: list[Path], wanted: set[str]) -> dict[tuple[bool, str], str]:
    """(whether in KnowWhereGraph's vocabulary, IRI) -> class, by the rdf:type triples.

    A GeoNames place bears one IRI in two KGs, and another class in each. Of several classes of one vocabulary the one
    that ranks first, then the one that stands first in the table.
    """
    table = classes.load()
    order = {key: (item.rank, place) for place, (key, item) in enumerate(table.items())}
    best: dict[tuple[bool, str], tuple[tuple[int, int], str]] = {}
    for lines in _triples(files):
        typed = lines.filter(pc.match_substring(lines, _TYPE)).unique()
        for line in typed.to_pylist():
            iri, _, kind = line.partition(_TYPE)
            iri, kind = iri.removeprefix("<"), kind.partition(">")[0]
            if iri not in wanted:
                continue
            of_kwg = kind.startswith(triples.KWG_ONT)
            key = (
                table.of_kwg(kind.removeprefix(triples.KWG_ONT))
                if of_kwg
                else table.of_wkgs(kind.removeprefix(triples.WKGS))
            )
            if key is not None:
                rank = (order[key], key)
                best[of_kwg, iri] = min(best.get((of_kwg, iri), rank), rank)
    return {place: key for place, (_, key) in best.items()}


def _triples(files: list[Path]) -> Iterator[pa.Array]:
    """The N-Triples lines of files of questions, in batches: inside the rows, or in the facts beside them."""
    for file in files:
        beside = file.with_name(FACTS)
        inside = file.suffix != ".jsonl" and TRIPLES in pq.read_schema(file).names
        if inside:
            for batch in pq.ParquetFile(file).iter_batches(4096, columns=[TRIPLES]):
                yield batch.column(0).flatten()
        elif beside.is_file():
            for batch in pq.ParquetFile(beside).iter_batches(65_536, columns=["triple"]):
                yield batch.column(0)
        elif file.suffix == ".jsonl":
            yield from _in_lines(file)


def _in_lines(file: Path) -> Iterator[pa.Array]:
    import json

    with file.open(encoding="utf-8") as stream:
        for line in stream:
            if line.strip() and (found := json.loads(line).get(TRIPLES)):
                yield pa.array(found, pa.string())
