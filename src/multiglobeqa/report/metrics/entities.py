"""The entity that a question is about: the unit of resampling, and its class."""

from __future__ import annotations

import json
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from multiglobeqa.kg import classes, triples

_FIRST_ROLE: Final = r'^\s*\{\s*"[^"\\]*"\s*:\s*\{\s*"iri"\s*:\s*"(?P<iri>[^"\\]*)"'
_TYPE: Final = rf"^<(?P<subject>[^>]*)> <{triples.RDF_TYPE.replace('.', '[.]')}> <(?P<kind>[^>]*)>"


def clusters_of(questions: pa.Table) -> pa.ChunkedArray:
    """(n,) the IRI of the first role's entity; else the first of ``entities``; else the question's id."""
    size = questions.num_rows
    found: pa.Array = pa.nulls(size, pa.string())
    if "roles" in questions.column_names:
        roles = questions["roles"].combine_chunks()
        if pa.types.is_string(roles.type) or pa.types.is_large_string(roles.type):
            found = pc.struct_field(pc.extract_regex(roles, _FIRST_ROLE), "iri").cast(pa.string())
            rest = np.flatnonzero(np.asarray(pc.and_(pc.is_null(found), pc.is_valid(roles)), dtype=np.bool_))
        else:
            rest = np.arange(size)
        if len(rest):
            values = np.asarray(found.to_pylist(), dtype=object)
            for place, each in zip(rest.tolist(), roles.take(pa.array(rest)).to_pylist(), strict=True):
                values[place] = _first_iri(each)
            found = pa.array(values.tolist(), pa.string())
    if "entities" in questions.column_names:
        listed = questions["entities"].to_pylist() if found.null_count else [None] * size
        found = pc.coalesce(found, pa.array([each[0] if each else None for each in listed], pa.string()))
    return pa.chunked_array([pc.coalesce(found, questions["id"].cast(pa.string()).combine_chunks())])


def classes_of(questions: pa.Table, clusters: pa.ChunkedArray, facts: pa.Table | None) -> pa.ChunkedArray:
    """(n,) the class (a key of ``kg/classes.yaml``) of each cluster's entity by its rdf:type among the facts; else
    null.

    An entity bears one class in KnowWhereGraph's vocabulary and one in WorldKG's; the question's KG says which
    counts. Of several the one that ranks first.
    """
    if facts is None:
        return pa.chunked_array([pa.nulls(questions.num_rows, pa.string())])
    lines = facts["triple"].filter(pc.match_substring(facts["triple"], f"> <{triples.RDF_TYPE}> <"))
    typed = pc.extract_regex(lines.combine_chunks(), _TYPE)
    subject, kind = pc.struct_field(typed, "subject"), pc.struct_field(typed, "kind")
    wanted = pc.is_in(subject, value_set=clusters.combine_chunks().unique())
    table = classes.load()
    order = {key: (item.rank, place) for place, (key, item) in enumerate(table.items())}
    best: dict[tuple[bool, str], str] = {}
    for iri, name in set(
        zip(subject.filter(wanted).to_pylist(), kind.filter(wanted).to_pylist(), strict=True)
    ):
        of_kwg = name.startswith(triples.KWG_ONT)
        key = (
            table.of_kwg(name.removeprefix(triples.KWG_ONT))
            if of_kwg
            else table.of_wkgs(name.removeprefix(triples.WKGS))
        )
        if key is not None:
            best[of_kwg, iri] = min(best.get((of_kwg, iri), key), key, key=lambda one: order[one])
    kgs = questions["kg"].to_pylist() if "kg" in questions.column_names else [""] * questions.num_rows
    found = [
        best.get((kg == "knowwheregraph", iri)) for kg, iri in zip(kgs, clusters.to_pylist(), strict=True)
    ]
    return pa.chunked_array([pa.array(found, pa.string())])


def _first_iri(roles: Any) -> str | None:
    given = json.loads(roles) if isinstance(roles, str) else roles
    if isinstance(given, dict) and given:
        first = next(iter(given.values()))
        iri = first.get("iri") if isinstance(first, dict) else None
        return iri if isinstance(iri, str) else None
    return None
