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
_READ: Final = 1 << 22
_PIECE: Final = 1 << 14
_CUT: Final = (EOFError, OSError, zlib.error)


class Line(NamedTuple):
    """A line without its end: number from 1, byte offset of its start (of a wide encoding in its UTF-8 form), text, and
    whether it ends in a line break.

    ``bad`` is the offset of the first byte that is not of the encoding; None where all are. Such bytes stand in
    ``text`` as halves of surrogate pairs.
    """

    number: int
    offset: int
    text: str
    ended: bool
    bad: int | None = None


class Block(NamedTuple):
    """Whole lines: the number of the first, the byte offset of its start, and the bytes."""

    number: int
    offset: int
    data: bytes


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

    @property
    def wide(self) -> bool:
        """Whether a character has more than one byte throughout."""
        return self.encoding.startswith(("utf-16", "utf-32"))

    def lines(self) -> Iterator[Line]:
        """The lines; they end in LF or CR LF."""
        for block in self.blocks():
            yield from self.lines_of(block)

    def blocks(self) -> Iterator[Block]:
        """The file in blocks of whole lines, some MB each, as UTF-8 where the file is UTF-16 or UTF-32."""
        number, offset, rest = 1, 0, b""
        with self.open() as stream:
            for data in self._decoded(stream) if self.wide else self._raw(stream):
                data = rest + data
                end = data.rfind(b"\n") + 1
                rest = data[end:]
                if end:
                    yield (block := Block(number, offset, data[:end]))
                    number += block.data.count(b"\n")
                    offset += end
        if rest:
            yield Block(number, offset, rest)

    def lines_of(self, block: Block) -> Iterator[Line]:
        """The lines of a block."""
        offset = block.offset
        for number, data in enumerate(io.BytesIO(block.data), block.number):
            yield self._line(number, offset, data)
            offset += len(data)

    def _raw(self, stream: IO[bytes]) -> Iterator[bytes]:
        """Some MB at a time; of a stream that breaks off all but the last few KB that can be decompressed."""
        held: list[bytes] = []
        size = 0
        while True:
            try:
                data = stream.read(_PIECE)
            except _CUT:
                self.cut = True
                data = b""
            size += len(data)
            held.append(data)
            if size >= _READ or not data:
                yield b"".join(held)
                held, size = [], 0
            if not data:
                return

    def _decoded(self, stream: IO[bytes]) -> Iterator[bytes]:
        decoder = codecs.getincrementaldecoder(self.encoding)("surrogatepass")
        try:
            for data in self._raw(stream):
                yield decoder.decode(data).encode("utf-8", "surrogatepass")
            yield decoder.decode(b"", final=True).encode("utf-8", "surrogatepass")
        except UnicodeDecodeError:
            self.cut = True

    def _line(self, number: int, offset: int, data: bytes) -> Line:
        encoding = "utf-8" if self.wide or self.encoding == "utf-8-sig" else self.encoding
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
