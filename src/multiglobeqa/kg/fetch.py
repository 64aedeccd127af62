"""Fetching a file over HTTP: resumable, checksummed, atomic. Standard library only.

The body goes to ``FILE.part``; ``FILE.part.json`` keeps the address, the validator (ETag or Last-Modified)
and the size. A later try asks for the rest with ``Range`` and ``If-Range`` (RFC 9110, 13.1.5 and 14.2): a
server that has another version, or that ignores ranges, sends the whole file and the part begins anew. When
the size and the checksum are right, the part is renamed to ``FILE``.

Broken connections, time-outs and the statuses 408, 425, 429, 500, 502, 503, 504 are tried again, after
``Retry-After`` or a doubling pause. A try that gets further than all before it does not count against the
limit.
"""

from __future__ import annotations

import contextlib
import hashlib
import http.client
import json
import os
import re
import shutil
import socket
import ssl
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import IO, Any, Final

from multiglobeqa.errors import InputError
from multiglobeqa.kg.sources import Source, resolve

Progress = Callable[[int, int | None], None]
"""Called with (bytes on disk, bytes in all or None)."""

CHUNK: Final = 1 << 18
RETRIED: Final = frozenset({408, 425, 429, 500, 502, 503, 504})
USER_AGENT: Final = "multiglobeqa-fetch/0.1"
_BROKEN: Final = (http.client.HTTPException, TimeoutError, ConnectionError, ssl.SSLError)
_SPARE_BYTES: Final = 64 << 20
_LONGEST_PAUSE: Final = 600.0
_LONGEST_CHECKSUM: Final = 1 << 16


class FetchError(InputError):
    """A file could not be fetched; ``source`` is its address. What was received stays for the next try."""


@dataclass(frozen=True)
class Fetched:
    """A file on disk. ``checksum``: what it was checked against ("md5 ...", "sha256 ...") or None. ``fresh``:
    whether bytes were received now."""

    path: Path
    bytes: int
    checksum: str | None
    fresh: bool


class _Again(Exception):
    """The try failed and another may succeed."""

    def __init__(self, what: str, pause: float | None = None) -> None:
        self.pause = pause
        super().__init__(what)


def fetch(
    source: Source | str,
    folder: str | Path,
    *,
    retries: int = 8,
    pause: float = 1.0,
    timeout: float = 60.0,
    progress: Progress | None = None,
    sleep: Callable[[float], None] = time.sleep,
) -> Fetched:
    """Fetch a source (a registry name such as ``geofabrik/europe/monaco``, or a Source) into a folder.

    A file that is there already is checked and kept. ``retries``: tries in a row without progress; ``pause``:
    seconds before the second of them, doubling; ``timeout``: seconds without a byte.

    Raises FetchError for an address that cannot be fetched, a full disk or a wrong checksum (the part is then
    removed).
    """
    if isinstance(source, str):
        source = resolve(source)
    if not source.url.startswith(("http://", "https://")):
        raise FetchError("is not an http or https address.", source=source.url)
    target = Path(folder) / source.file
    target.parent.mkdir(parents=True, exist_ok=True)
    steady = _Steady(retries, pause, sleep)
    checksum = _checksum(source, timeout, steady)
    if target.exists():
        _check(target, target.name, checksum, remove=False)
        return Fetched(target, target.stat().st_size, checksum, False)
    download = _Download(source.url, target, timeout, progress)
    steady.run(download.once, source.url, lambda: download.done)
    _check(download.part, source.url, checksum, remove=True)
    download.part.replace(target)
    download.memory.unlink(missing_ok=True)
    return Fetched(target, target.stat().st_size, checksum, True)


class _Steady:
    """Runs a try until it succeeds, progress or not, within the limits."""

    def __init__(self, retries: int, pause: float, sleep: Callable[[float], None]) -> None:
        self.retries, self.pause, self.sleep = retries, pause, sleep

    def run(self, attempt: Callable[[], Any], url: str, progress: Callable[[], int]) -> Any:
        failures, furthest = 0, progress()
        while True:
            try:
                return attempt()
            except _Again as error:
                failures = 1 if progress() > furthest else failures + 1
                furthest = max(furthest, progress())
                if failures > self.retries:
                    raise FetchError(
                        f"could not be fetched in {failures} tries: {error}.",
                        source=url,
                        place=f"byte {progress()}",
                        mend="What was received is kept; run the command again to go on.",
                    ) from error
                wait = self.pause * 2.0 ** (failures - 1) if error.pause is None else error.pause
                if wait > _LONGEST_PAUSE and error.pause is not None:
                    raise FetchError(
                        f"is not served before {wait:.0f} s from now: {error}.",
                        source=url,
                        mend="Try again then.",
                    ) from error
                self.sleep(min(wait, _LONGEST_PAUSE))


class _Download:
    """One file: ``once`` makes one try and returns when the part is whole."""

    def __init__(self, url: str, target: Path, timeout: float, progress: Progress | None) -> None:
        self.url, self.timeout, self.progress = url, timeout, progress
        self.part = target.with_name(target.name + ".part")
        self.memory = target.with_name(target.name + ".part.json")

    @property
    def done(self) -> int:
        """Bytes in the part."""
        return self.part.stat().st_size if self.part.exists() else 0

    def once(self) -> None:
        validator, total = self._remembered()
        offset = self.done if validator else 0
        if validator and total is not None and offset == total:
            return
        headers = {"Range": f"bytes={offset}-", "If-Range": validator} if offset and validator else {}
        try:
            with _open(self.url, headers, self.timeout) as response:
                self._receive(response, offset if headers else 0)
        except urllib.error.HTTPError as error:
            with error:
                if error.code == 416 and headers:
                    self._begin_anew()
                    raise _Again("the server has another version of the file") from error
                raise _status(error, self.url) from error

    def _receive(self, response: Any, offset: int) -> None:
        if response.status == 206:
            total = self._rest(response.headers, offset)
        elif response.status == 200:
            offset, total = 0, _length(response.headers.get("Content-Length"))
            self._remember(_validator(response.headers), total)
        else:
            raise FetchError(f"answered with status {response.status}.", source=self.url)
        _check_space(self.part, total, offset)
        with self.part.open("r+b" if offset else "wb") as out:
            out.seek(offset)
            out.truncate()
            self._copy(response, out, offset, total)

    def _rest(self, headers: Any, offset: int) -> int | None:
        """Size of the whole file where the answer is the rest of the version that the part began with."""
        validator, known = self._remembered()
        begin, total = _content_range(headers.get("Content-Range"))
        sent = _validator(headers)
        if not offset or begin != offset or sent not in (None, validator) or known not in (None, total):
            self._begin_anew()
            raise _Again("the server sent another range or another version than the one asked for")
        return total

    def _copy(self, response: Any, out: IO[bytes], done: int, total: int | None) -> None:
        try:
            while True:
                chunk = response.read1(CHUNK)
                if not chunk:
                    break
                out.write(chunk)
                done += len(chunk)
                if self.progress is not None:
                    self.progress(done, total)
        except _BROKEN as error:
            raise _Again(f"the connection broke off at byte {done}: {error}") from error
        finally:
            out.flush()
            os.fsync(out.fileno())
        if total is not None and done < total:
            raise _Again(f"the connection broke off at byte {done} of {total}")
        if total is not None and done > total:
            self._begin_anew()
            raise _Again(f"the server sent {done} bytes for {total}")

    def _remembered(self) -> tuple[str | None, int | None]:
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
            content = json.loads(self.memory.read_text("utf-8"))
            if content["url"] == self.url and self.part.exists():
                return content["validator"], content["total"]
        return None, None

    def _remember(self, validator: str | None, total: int | None) -> None:
        content = {"url": self.url, "validator": validator, "total": total}
        self.memory.write_text(json.dumps(content, sort_keys=True) + "\n", "utf-8")

    def _begin_anew(self) -> None:
        self.part.unlink(missing_ok=True)
        self.memory.unlink(missing_ok=True)


def _open(url: str, headers: dict[str, str], timeout: float) -> Any:
    request = urllib.request.Request(
        url, headers={"User-Agent": USER_AGENT, "Accept-Encoding": "identity", **headers}
    )
    try:
        response = urllib.request.urlopen(request, timeout=timeout)
    except urllib.error.HTTPError:
        raise
    except (urllib.error.URLError, *_BROKEN) as error:
        reason = getattr(error, "reason", error)
        if isinstance(reason, socket.gaierror | ssl.SSLCertVerificationError):
            mend = "Check the network and the address."
            raise FetchError(f"cannot be reached: {reason}.", source=url, mend=mend) from error
        raise _Again(f"no answer: {reason}") from error
    if url.startswith("https:") and not response.geturl().startswith("https:"):
        response.close()
        raise FetchError("leads to an address without encryption.", source=url)
    return response


def _status(error: urllib.error.HTTPError, url: str) -> Exception:
    if error.code in RETRIED:
        return _Again(f"status {error.code}", _retry_after(error.headers.get("Retry-After")))
    mend = "The address may have moved; see kg/sources.yaml." if error.code in (404, 410) else ""
    return FetchError(f"answered with status {error.code}.", source=url, mend=mend)


def _retry_after(text: str | None) -> float | None:
    """Seconds of a Retry-After header: a number or an HTTP date."""
    if text is None:
        return None
    if text.strip().isdigit():
        return float(text.strip())
    try:
        return max(0.0, (parsedate_to_datetime(text) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError):
        return None


def _validator(headers: Any) -> str | None:
    """A strong ETag, else Last-Modified; weak tags cannot guard a range (RFC 9110, 13.1.5)."""
    etag = headers.get("ETag")
    if etag and not etag.startswith("W/"):
        return str(etag)
    modified = headers.get("Last-Modified")
    return str(modified) if modified else None


def _content_range(text: str | None) -> tuple[int | None, int | None]:
    match = re.fullmatch(r"bytes (\d+)-\d+/(\d+|\*)", (text or "").strip())
    if match is None:
        return None, None
    return int(match[1]), None if match[2] == "*" else int(match[2])


def _length(text: str | None) -> int | None:
    return int(text) if text is not None and text.strip().isdigit() else None


def _check_space(part: Path, total: int | None, offset: int) -> None:
    if total is None:
        return
    present = part.stat().st_size if part.exists() else 0
    free = shutil.disk_usage(part.parent).free + (present - offset)
    needed = total - offset + _SPARE_BYTES
    if free < needed:
        raise FetchError(
            f"needs {needed:,} bytes and the disk has {free:,}.", source=part.parent, mend="Free some space."
        )


def _checksum(source: Source, timeout: float, steady: _Steady) -> str | None:
    """The expected checksum, "md5 HEX" or "sha256 HEX"; from the file beside the data where the registry says
    so.
    """
    if source.sha256:
        return f"sha256 {source.sha256.lower()}"
    if source.md5:
        return f"md5 {source.md5.lower()}"
    address = source.md5_url
    if not address:
        return None

    def attempt() -> str:
        try:
            with _open(address, {}, timeout) as response:
                return str(response.read(_LONGEST_CHECKSUM).decode("utf-8", "replace"))
        except urllib.error.HTTPError as error:
            with error:
                raise _status(error, address) from error
        except _BROKEN as error:
            raise _Again(str(error)) from error

    text = steady.run(attempt, address, lambda: 0)
    match = re.match(r"\s*([0-9a-fA-F]{32})\b", text)
    if match is None:
        raise FetchError("is not an MD5 file.", source=address)
    return f"md5 {match[1].lower()}"


def _check(file: Path, name: str, checksum: str | None, *, remove: bool) -> None:
    if checksum is None:
        return
    kind, expected = checksum.split(" ")
    with file.open("rb") as stream:
        found = hashlib.file_digest(stream, kind).hexdigest()
    if found != expected:
        if remove:
            file.unlink()
        mend = "It was removed: run the command again." if remove else "Remove it to fetch it anew."
        raise FetchError(f"has {kind} {found}, expected {expected}.", source=name, mend=mend)
