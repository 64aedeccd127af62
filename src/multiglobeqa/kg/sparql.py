"""An embedded SPARQL store over a snapshot's triples (pyoxigraph), in memory or on disk."""

from __future__ import annotations

import gzip
import re
import zlib
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any, Final, cast

import pyoxigraph as ox

from multiglobeqa.errors import InputError
from multiglobeqa.kg import triples
from multiglobeqa.kg.store import Snapshot

PREFIXES: Final = MappingProxyType(
    {
        "geo": triples.GEO,
        "kwg-ont": triples.KWG_ONT,
        "kwgr": triples.KWGR,
        "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
        "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
        "sf": triples.SF,
        "sosa": triples.SOSA,
        "time": triples.TIME,
        "wkg": triples.WKG,
        "wkgs": triples.WKGS,
        "xsd": triples.XSD,
    }
)
"""Prefixes that queries may use without declaring them."""


def load(
    snapshot: Snapshot, *, triples_folder: str | Path | None = None, store: str | Path | None = None
) -> ox.Store:
    """A store with the triples of all parts of a snapshot (``<part>.triples.nt.gz``).

    ``store`` is a folder on disk for graphs beyond memory; it must be new or empty. Raises InputError for a
    missing or broken triples file.
    """
    folder = Path(triples_folder) if triples_folder is not None else snapshot.path
    files = [folder / f"{part.name}.triples.nt.gz" for part in snapshot.parts]
    for file in files:
        if not file.is_file():
            raise InputError(
                "is missing.", source=file, mend="Write it with kg.triples_snapshot.render_snapshot."
            )
    if store is not None and Path(store).exists() and any(Path(store).iterdir()):
        raise InputError("is not empty.", source=store, mend="Name a new folder for the store.")
    target = ox.Store(str(store)) if store is not None else ox.Store()
    for file in files:
        try:
            with gzip.open(file, "rb") as stream:
                target.bulk_load(input=cast(IO[bytes], stream), format=ox.RdfFormat.N_TRIPLES)
        except (SyntaxError, OSError, EOFError, zlib.error) as error:
            place = getattr(error, "lineno", None)
            raise InputError(f"cannot be read as triples: {error}.", source=file, place=place) from error
    return target


def query(store: ox.Store, text: str) -> list[dict[str, str | None]] | bool:
    """Run a SELECT or ASK query; rows as variable -> text (IRI or literal text, None = unbound).

    The PREFIXES need no declaration. Raises InputError, with the query's line, where the query is broken.
    """
    try:
        result: Any = store.query(text, prefixes=dict(PREFIXES))
        if isinstance(result, ox.QueryBoolean):
            return bool(result)
        if not isinstance(result, ox.QuerySolutions):
            raise InputError("is a CONSTRUCT or DESCRIBE query.", source="query", mend="Use SELECT or ASK.")
        names = [variable.value for variable in result.variables]
        return [{name: _value(row[name]) for name in names} for row in result]
    except SyntaxError as error:
        found = re.match(r"error at (\d+):(\d+)", str(error))
        place = f"{found[1]}, column {found[2]}" if found else None
        raise InputError("is not SPARQL.", source="query", place=place, mend="See that place.") from error


def _value(term: Any) -> str | None:
    return None if term is None else str(term.value)
