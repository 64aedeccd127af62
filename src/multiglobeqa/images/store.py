"""The pictures of a benchmark folder.

    DIR/images/
      resolved.jsonl       Wikidata item -> file of Commons (`images.resolve`)
      manifest.jsonl       one row a try; the last row of a picture counts
      ab/ab12...ef.jpg     a picture, named by the SHA-256 of its bytes

A row of the manifest holds ``iri``, ``source`` and ``name`` (what the KG states), ``file`` (the file of Commons, if it
is one), ``url`` (where it was fetched), ``status`` ("ok" or the cause of failure), ``detail``, ``usable``, ``sha256``,
``bytes``, ``type``, ``width``, ``height``, ``encoded_again``, ``author``, ``licence``, ``licence_family``,
``licence_url``, ``credit``, ``restrictions``, ``page`` and ``fetched``.
"""

from __future__ import annotations

import hashlib
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from multiglobeqa.errors import InputError
from multiglobeqa.images.check import SUFFIXES, Fit
from multiglobeqa.images.ledger import Ledger
from multiglobeqa.images.wanted import FOLDER, Wanted, of_json
from multiglobeqa.kg.store import replacing

OK: Final = "ok"
NOT_FETCHED: Final = "not_fetched"
SHARED: Final = "picture_of_several"
"""Two entities of one KG are shown by one and the same picture: it tells neither."""

_NEEDED: Final = ("iri", "source", "name", "url", "status", "usable", "lasting")
_STALE_SECONDS: Final = 60.0


@dataclass(frozen=True)
class Stored:
    """A picture on disk and its row of the manifest."""

    path: Path
    row: Mapping[str, Any]


class ImageStore:
    """The pictures of one benchmark folder, as its manifest lists them. Reading changes nothing."""

    def __init__(self, directory: str | Path) -> None:
        self.folder = Path(directory) / FOLDER
        self.manifest = Ledger(self.folder / "manifest.jsonl")
        self._rows: dict[Wanted, dict[str, Any]] = {}
        for number, row in enumerate(self.manifest.rows(), 1):
            if missing := [column for column in _NEEDED if column not in row]:
                raise InputError(
                    f"lacks {', '.join(missing)}.",
                    source=self.manifest.path,
                    place=f"row {number}",
                    mend="Remove that line; its picture is fetched again.",
                )
            self._rows[_key(row)] = row
        self._shared: set[tuple[str, str]] | None = None

    def row(self, wanted: Wanted) -> dict[str, Any] | None:
        """The last row of a picture, whatever its status."""
        return self._rows.get(wanted)

    def cause(self, wanted: Wanted) -> str | None:
        """Why a picture cannot be used; None where it can."""
        row = self._rows.get(wanted)
        if row is None:
            return NOT_FETCHED
        if row["status"] != OK:
            return str(row["status"])
        if not row["usable"]:
            return str(row["unusable"])
        if self._shared is None:
            self._shared = _shared(self._rows.values())
        if (_kg(wanted.iri), row["sha256"]) in self._shared:
            return SHARED
        return None if self.path(row).is_file() else NOT_FETCHED

    def usable(self, image: str) -> Stored | None:
        """The picture of a question, given its column ``image``; None where it has no usable one."""
        wanted = of_json(image, place="image")
        if self.cause(wanted) is not None:
            return None
        row = self._rows[wanted]
        return Stored(self.path(row), row)

    def left_out(self, images: Iterable[str]) -> Counter[str]:
        """Of the columns ``image`` of image questions, how many have no usable picture, by cause."""
        causes = (self.cause(of_json(image, place="image")) for image in images)
        return Counter(cause for cause in causes if cause is not None)

    def path(self, row: Mapping[str, Any]) -> Path:
        """Where the picture of a row lies."""
        name = str(row["sha256"])
        return self.folder / name[:2] / (name + SUFFIXES[str(row["type"])])

    def holds(self, row: Mapping[str, Any]) -> bool:
        """Whether the picture of a row is there, whole and unchanged."""
        if row.get("status") != OK:
            return False
        path = self.path(row)
        if not path.is_file():
            return False
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest() == str(row["sha256"])

    def sweep(self) -> None:
        """Remove what a killed process left half written."""
        for path in self.folder.glob("??/.*.tmp"):
            if time.time() - path.stat().st_mtime > _STALE_SECONDS:
                path.unlink(missing_ok=True)

    def put(self, picture: Fit) -> Path:
        """Write a picture under its name, whole or not at all; one that is there unchanged is left alone."""
        row = {"status": OK, "sha256": picture.sha256, "type": picture.kind}
        path = self.path(row)
        if not self.holds(row):
            with replacing(path) as temporary:
                temporary.write_bytes(picture.data)
        return path

    def record(self, row: Mapping[str, Any]) -> None:
        """Append a row to the manifest."""
        self.manifest.append(row)
        self._rows[_key(row)] = dict(row)
        self._shared = None


def _key(row: Mapping[str, Any]) -> Wanted:
    return Wanted(str(row["iri"]), str(row["source"]), str(row["name"]))


def _kg(iri: str) -> str:
    return "worldkg" if "worldkg.org/" in iri else "osmh3kg"


def _shared(rows: Iterable[Mapping[str, Any]]) -> set[tuple[str, str]]:
    """(KG, SHA-256) of pictures that stand for two or more entities of one KG."""
    entities: dict[tuple[str, str], set[str]] = {}
    for row in rows:
        if row["status"] == OK:
            entities.setdefault((_kg(str(row["iri"])), str(row["sha256"])), set()).add(str(row["iri"]))
    return {key for key, iris in entities.items() if len(iris) > 1}
