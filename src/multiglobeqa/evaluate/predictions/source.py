"""Opening a file of predictions: compression, encoding, lines."""

from __future__ import annotations

import codecs
import gzip
import io
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Final, NamedTuple

import pyarrow as pa

from multiglobeqa.errors import InputError

HEAD: Final = 65_536
"""Bytes that the form is told by."""
_BOMS: Final = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CUT: Final = (EOFError, OSError, zlib.error)


class Line(NamedTuple):
    """A line without its end: number from 1, byte offset of its start, text, and whether it ends in a line break.

    ``bad`` is the offset of the first byte that is not of the encoding; None where all are. Such bytes stand in
    ``text`` as halves of surrogate pairs.
    """

    number: int
    offset: int
    text: str
    ended: bool
    bad: int | None = None


class Source:
    """A file of predictions, its compression looked through.

    Parameters
    ----------
    path : the file.
    encoding : its encoding; None to tell it by a byte order mark, else UTF-8.
    """

    def __init__(self, path: str | Path, encoding: str | None = None) -> None:
        self.path = Path(path)
        if not self.path.is_file():
            raise InputError(
                "does not exist.", source=self.path, mend="Name a file or folder of predictions."
            )
        self.cut = False
        """Whether the compressed stream broke off; known after the lines were read."""
        with self.open() as stream:
            try:
                self.head = stream.read(HEAD)
            except _CUT as error:
                raise InputError(f"cannot be decompressed: {error}.", source=self.path) from error
        self.encoding = encoding or _encoding_of(self.head)
        try:
            codecs.lookup(self.encoding)
        except LookupError as error:
            raise InputError(
                f"{self.encoding!r} is no encoding.", mend="Try utf-8, utf-16 or latin-1."
            ) from error

    def open(self) -> IO[bytes]:
        """The file's bytes, decompressed."""
        with self.path.open("rb") as stream:
            magic = stream.read(4)
        if magic[:2] == b"\x1f\x8b":
            return io.BufferedReader(gzip.open(self.path, "rb"))
        if magic == b"\x28\xb5\x2f\xfd":
            stream = pa.CompressedInputStream(pa.OSFile(str(self.path)), "zstd")
            return io.BufferedReader(stream, HEAD)
        return self.path.open("rb")

    def text_head(self) -> str:
        """The start of the text; broken characters are left out."""
        return self.head.decode(self.encoding, "ignore")

    def lines(self) -> Iterator[Line]:
        """The lines; they end in LF or CR LF."""
        with self.open() as stream:
            raw = self._wide(stream) if self.encoding.startswith(("utf-16", "utf-32")) else self._raw(stream)
            for number, (offset, data) in enumerate(raw, 1):
                yield self._line(number, offset, data)

    def _raw(self, stream: IO[bytes]) -> Iterator[tuple[int, bytes]]:
        offset = 0
        lines = iter(stream)
        while True:
            try:
                data = next(lines, None)
            except _CUT:
                self.cut = True
                return
            if data is None:
                return
            yield offset, data
            offset += len(data)

    def _wide(self, stream: IO[bytes]) -> Iterator[tuple[int, bytes]]:
        """Lines of UTF-16 or UTF-32 as UTF-8; the offset is that of the original."""
        reader = io.TextIOWrapper(stream, self.encoding, errors="replace", newline="")
        width = 2 if self.encoding.startswith("utf-16") else 4
        offset = width
        try:
            for line in reader:
                yield offset, line.encode("utf-8", "surrogatepass")
                offset += len(line.encode(f"utf-{8 * width}-le", "surrogatepass"))
        except _CUT:
            self.cut = True

    def _line(self, number: int, offset: int, data: bytes) -> Line:
        encoding = "utf-8" if self.encoding.startswith(("utf-16", "utf-32", "utf-8")) else self.encoding
        start = 3 if number == 1 and data.startswith(codecs.BOM_UTF8) else 0
        ended = data.endswith(b"\n")
        body = data[start : -1 if ended else None].removesuffix(b"\r") if ended else data[start:]
        try:
            return Line(number, offset, body.decode(encoding), ended)
        except UnicodeDecodeError as error:
            bad = offset + start + error.start
            return Line(number, offset, body.decode(encoding, "surrogateescape"), ended, bad)


def _encoding_of(head: bytes) -> str:
    for mark, encoding in _BOMS:
        if head.startswith(mark):
            return encoding
    even, odd = head[0:512:2], head[1:512:2]
    if len(odd) > 8 and odd.count(0) > 0.7 * len(odd) and even.count(0) < 0.1 * len(even):
        return "utf-16-le"
    if len(even) > 8 and even.count(0) > 0.7 * len(even) and odd.count(0) < 0.1 * len(odd):
        return "utf-16-be"
    return "utf-8"
