"""Fetching the pictures of a benchmark's image questions: rights first, then the file, checked and stripped.

Only pictures whose licence allows redistribution are downloaded, unless all are asked for; only they are ``usable``.
Each try is one row of the manifest; a picture that is there is not fetched again, and a lasting failure is not tried
again unless asked. A network that does not answer ends the run; what was done is kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from multiglobeqa.images import licences, resolve
from multiglobeqa.images.check import Limits, UnfitPicture, fit
from multiglobeqa.images.licences import Rights
from multiglobeqa.images.store import OK, ImageStore
from multiglobeqa.images.wanted import Wanted
from multiglobeqa.images.web import Web, WebError

FILES: Final = "https://commons.wikimedia.org/wiki/Special:FilePath/"
WIDTH: Final = 1280
"""Width of Commons thumbnails in pixels: one of the sizes that Wikimedia keeps ready."""

_SILENT: Final = 5
"""After so many pictures in a row without any connection the run ends."""

_WITHOUT_ITEM: Final = ("not_resolved", "no_picture_on_wikidata")
_PASSING: Final = (*_WITHOUT_ITEM, "no_licence", "licence_not_accepted", "no_author", "private_address")
"""Causes that the next run looks at again: they hang on other files, on options, or on what Commons says today."""


@dataclass(frozen=True)
class Options:
    """How to fetch. ``width``: of Commons thumbnails, 0 for originals; ``api``, ``files``: addresses of Commons;
    ``rights``: rights stated by the user, by address; ``every``: download also what may not be redistributed;
    ``again``: try lasting failures again; ``local``: allow addresses in private networks.
    """

    width: int = WIDTH
    limits: Limits = field(default_factory=Limits)
    api: str = licences.API
    files: str = FILES
    rights: Mapping[str, Rights] = field(default_factory=dict)
    every: bool = False
    again: bool = False
    local: bool = False


@dataclass
class Summary:
    """What a run did: pictures ``wanted``, ``kept`` from before, ``fetched`` now, ``usable`` in all, and how many are
    not, by cause."""

    wanted: int = 0
    kept: int = 0
    fetched: int = 0
    usable: int = 0
    failed: Counter[str] = field(default_factory=Counter)


def fetch(
    directory: str | Path,
    wanted: Iterable[Wanted],
    web: Web,
    options: Options | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Summary:
    """Fetch the wanted pictures into a benchmark folder.

    Raises WebError where the Commons API stays silent or nothing can be reached; what was done before stays.
    """
    options = options or Options()
    pictures = sorted(set(wanted))
    store = ImageStore(directory)
    store.sweep()
    items = resolve.names(directory)
    summary = Summary(wanted=len(pictures))
    open_: list[Wanted] = []
    for picture in pictures:
        row = store.row(picture)
        if row is not None and _settled(store, row, options):
            summary.kept += row["status"] == OK
        else:
            open_.append(picture)
    run = _Run(store, web, options, items)
    done = len(pictures) - len(open_)
    for start in range(0, len(open_), licences.BATCH):
        batch = open_[start : start + licences.BATCH]
        rights = run.rights(batch)
        for picture in batch:
            if progress is not None:
                progress(done, len(pictures))
            summary.fetched += run.one(picture, rights)
            done += 1
    if progress is not None:
        progress(done, len(pictures))
    causes = [store.cause(picture) for picture in pictures]
    summary.usable = causes.count(None)
    summary.failed = Counter(cause for cause in causes if cause is not None)
    return summary


def _settled(store: ImageStore, row: Mapping[str, Any], options: Options) -> bool:
    """Whether nothing is left to do for a picture."""
    if row["status"] == OK:
        stated = options.rights.get(str(row["url"]))
        news = stated is not None and stated.columns().items() - row.items()
        return not news and store.holds(row)
    return bool(row["lasting"]) and not options.again


class _Run:
    """One run over the pictures."""

    def __init__(
        self, store: ImageStore, web: Web, options: Options, items: Mapping[str, str | None]
    ) -> None:
        self.store, self.web, self.options, self.items = store, web, options, items
        self.silent = 0
        self.had: dict[str, Mapping[str, Any]] = {}

    def rights(self, batch: list[Wanted]) -> dict[str, Rights | None]:
        """Rights of the batch's files of Commons, by file name."""
        names = sorted({name for picture in batch if (name := self.file(picture))})
        return licences.of_commons(names, self.web, api=self.options.api) if names else {}

    def file(self, picture: Wanted) -> str | None:
        """The file of Commons that shows an entity, or None."""
        return picture.name if picture.source == "commons" else self.items.get(picture.name)

    def one(self, picture: Wanted, rights: Mapping[str, Rights | None]) -> bool:
        """Fetch one picture and write its row; whether its bytes were received now."""
        name = self.file(picture)
        if picture.source != "url" and name is None:
            known = picture.name in self.items
            self._failed(picture, _WITHOUT_ITEM[known], "")
            return False
        if name is not None:
            stated, url = rights.get(name), self._address(name)
            if stated is None:
                self._failed(picture, "not_on_commons", "Commons has no such file", file=name, lasting=True)
                return False
        else:
            stated, url = self.options.rights.get(picture.name, Rights(page=picture.name)), picture.name
        base = {**stated.columns(), "file": name, "url": url}
        fault = stated.fault
        if fault is not None and not self.options.every:
            self._failed(picture, fault, stated.licence, **base)
            return False
        before = self.had.get(url) or self.store.row(picture)
        if before is not None and before["url"] == url and self.store.holds(before):
            self._stored(picture, {**before, **base}, fault)
            return False
        return self._download(picture, url, base, fault)

    def _address(self, name: str) -> str:
        width = f"?width={self.options.width}" if self.options.width else ""
        return self.options.files + quote(name.replace(" ", "_"), safe="") + width

    def _download(self, picture: Wanted, url: str, base: Mapping[str, Any], fault: str | None) -> bool:
        public = picture.source == "url" and not self.options.local
        try:
            data, _ = self.web.download(url, self.options.limits.bytes, public=public)
            found = fit(data, self.options.limits)
        except WebError as error:
            self._failed(picture, error.cause, str(error), **{**base, "lasting": error.lasting})
            self.silent = self.silent + 1 if error.cause == "no_connection" else 0
            if self.silent >= _SILENT:
                raise
            return False
        except UnfitPicture as error:
            self._failed(picture, error.cause, str(error), **{**base, "lasting": True})
            self.silent = 0
            return False
        self.silent = 0
        self.store.put(found)
        row = {
            **base,
            "sha256": found.sha256,
            "bytes": len(found.data),
            "type": found.kind,
            "width": found.width,
            "height": found.height,
            "encoded_again": found.encoded_again,
            "fetched": _now(),
        }
        self._stored(picture, row, fault)
        return True

    def _stored(self, picture: Wanted, row: Mapping[str, Any], fault: str | None) -> None:
        own = {"iri": picture.iri, "source": picture.source, "name": picture.name}
        state = {"status": OK, "detail": "", "lasting": True, "usable": fault is None, "unusable": fault}
        self.had[str(row["url"])] = {**row, **own, **state}
        self.store.record({**row, **own, **state})

    def _failed(self, picture: Wanted, cause: str, detail: str, **more: Any) -> None:
        lasting = bool(more.pop("lasting", False)) and cause not in _PASSING
        own = {"iri": picture.iri, "source": picture.source, "name": picture.name}
        state = {"status": cause, "detail": detail, "lasting": lasting, "usable": False, "fetched": _now()}
        row = {"file": None, "url": None, **more, **own, **state}
        before = self.store.row(picture)
        if before is None or {**before, "fetched": None} != {**row, "fetched": None}:
            self.store.record(row)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
