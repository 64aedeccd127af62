"""A snapshot's triples as one file, and queries over them."""

from __future__ import annotations

import gzip
import shutil
import tempfile
from pathlib import Path
from typing import Any

from multiglobeqa.errors import InputError
from multiglobeqa.kg import sparql
from multiglobeqa.kg.store import Snapshot, replacing
from multiglobeqa.kg.triples_snapshot import render_snapshot


def write_triples(snapshot: Snapshot, target: str | Path) -> int:
    """Write all parts' triples to one N-Triples file (.nt or .nt.gz); returns their number.

    Equal snapshots give equal bytes. The file appears only when it is whole.
    """
    path = Path(target)
    packed = path.name.endswith(".nt.gz")
    if not packed and path.suffix != ".nt":
        raise InputError(
            "does not end in .nt or .nt.gz.", source=path, mend="Triples are written as N-Triples."
        )
    with replacing(path) as temporary, tempfile.TemporaryDirectory(dir=temporary.parent) as folder:
        counts = render_snapshot(snapshot, folder)
        with temporary.open("wb") as out:
            for part in snapshot.parts:
                file = Path(folder) / f"{part.name}.triples.nt.gz"
                # gzip members one after the other are one gzip file (RFC 1952, 2.2)
                with file.open("rb") if packed else gzip.open(file, "rb") as stream:
                    shutil.copyfileobj(stream, out)
    return sum(counts.values())


def ask(snapshot: Snapshot, query: str) -> list[dict[str, str | None]] | bool:
    """Rows of a SELECT query, or the truth of an ASK query, over a snapshot's triples.

    Triples that the snapshot does not hold as files are rendered first, into a temporary folder.
    """
    if all((snapshot.path / f"{part.name}.triples.nt.gz").is_file() for part in snapshot.parts):
        return sparql.query(sparql.load(snapshot), query)
    with tempfile.TemporaryDirectory() as folder:
        render_snapshot(snapshot, folder)
        store: Any = sparql.load(snapshot, triples_folder=folder)
    return sparql.query(store, query)
