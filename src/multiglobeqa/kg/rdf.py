"""Streaming reading of RDF files into Arrow batches of triples, with bounded memory.

Formats by extension: Turtle (.ttl), N-Triples (.nt), N-Quads (.nq; the graph is left out), RDF/XML (.rdf,
.owl, .xml), each also with .gz, .bz2 or .xz. The grammar is pyoxigraph's. A file is parsed in blocks of about
1 MB:

* N-Triples, N-Quads: a broken line is skipped and counted as ``syntax_error`` with its line number.
* Turtle: a broken statement is skipped and counted with the line of the error. Reading goes on after the
  first line, at or after the error, that ends with a full stop, or after the statement's own full stop if
  that comes first. A broken @prefix or @base stops the reading, since all that follows depends on it.
* RDF/XML has no statement ends: an error stops the reading.

A file without one triple is an error.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Final, cast

import pyarrow as pa
import pyoxigraph as ox

from multiglobeqa.errors import InputError
from multiglobeqa.kg.rdf_columns import TRIPLE_SCHEMA, columns
from multiglobeqa.kg.report import ImportReport

BLOCK: Final = 1 << 20
LONGEST_STATEMENT: Final = 64 << 20
"""Bytes after which a Turtle statement (or a line) without an end stops the reading."""

_FORMATS: Final = {
    ".ttl": ox.RdfFormat.TURTLE,
    ".nt": ox.RdfFormat.N_TRIPLES,
    ".nq": ox.RdfFormat.N_QUADS,
    ".rdf": ox.RdfFormat.RDF_XML,
    ".owl": ox.RdfFormat.RDF_XML,
    ".xml": ox.RdfFormat.RDF_XML,
}
_COMPRESSIONS: Final = {".gz", ".bz2", ".xz"}
_STATEMENT_END = re.compile(rb"\.[ \t]*\r?\n")
_TOKEN = re.compile(
    rb'"""(?:[^"\\]++|\\.|"(?!""))*+(?:"""|(?P<open>\\?\Z))'
    rb"|'''(?:[^'\\]++|\\.|'(?!''))*+(?:'''|(?P<open1>\\?\Z))"
    rb'|"(?:[^"\\\n\r]++|\\.)*+"'
    rb"|'(?:[^'\\\n\r]++|\\.)*+'"
    rb"|<[^<>\n]*>"
    rb"|#[^\n]*"
    rb"|\.(?=\s|\Z|#)",
    re.DOTALL,
)
"""What may hold a full stop, and the full stop that ends a statement; ``open``: a long string that goes
on.
"""
_DIRECTIVE = re.compile(rb"\s*(@prefix|@base|PREFIX\b|BASE\b)", re.IGNORECASE)
_BLANK = re.compile(rb"(?:\s|#[^\n]*(?:\n|\Z))*")
_EMPTY_LINE = re.compile(rb"[ \t]*(?:#.*)?\r?")


def format_of(path: Path) -> ox.RdfFormat:
    """The RDF format that a file's name says; InputError for another extension."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] in _COMPRESSIONS:
        suffixes.pop()
    if not suffixes or suffixes[-1] not in _FORMATS:
        raise InputError(
            "is not named as an RDF file.",
            source=path,
            mend=f"Known: {', '.join(_FORMATS)}, also with .gz, .bz2, .xz.",
        )
    return _FORMATS[suffixes[-1]]


def read(path: str | Path, report: ImportReport) -> Iterator[pa.RecordBatch]:
    """Triples of a file as batches of TRIPLE_SCHEMA; counts ``report.read["triple"]`` and the broken places.

    Raises InputError for a missing, truncated or foreign file, and for one that holds no triple.
    """
    path = Path(path)
    rdf_format = format_of(path)
    if rdf_format == ox.RdfFormat.RDF_XML:
        parts = _whole(path, rdf_format)
    elif rdf_format == ox.RdfFormat.TURTLE:
        parts = _turtle(path, report)
    else:
        parts = _lines(path, rdf_format, report)
    found = False
    for part in parts:
        batch = columns(part)
        if batch.num_rows:
            found = True
            report.read["triple"] += batch.num_rows
            yield batch
    if not found:
        broken = report.dropped["syntax_error"]
        raise InputError(
            "holds no triple" + (f" ({broken} broken statements)." if broken else "."),
            source=path,
            mend=f"It was read as {rdf_format.name}; is that its format?",
        )


def open_bytes(path: Path) -> gzip.GzipFile | bz2.BZ2File | lzma.LZMAFile | IO[bytes]:
    """Open a file for reading, through its decompressor where the name says so."""
    if not path.is_file():
        raise InputError("is not a file.", source=path)
    suffix = path.suffix.lower()
    if suffix == ".gz":
        return gzip.open(path, "rb")
    if suffix == ".bz2":
        return bz2.open(path, "rb")
    if suffix == ".xz":
        return lzma.open(path, "rb")
    return path.open("rb")


def blocks(path: Path) -> Iterator[bytes]:
    """The decompressed bytes in blocks of at most 1 MB; InputError where the compression is broken or cut
    off.
    """
    done = 0
    with open_bytes(path) as stream:
        while True:
            try:
                block = stream.read(BLOCK)
            except (OSError, EOFError, zlib.error, lzma.LZMAError) as error:
                raise InputError(
                    f"is broken or cut off: {error}.",
                    source=path,
                    place=f"byte {done}",
                    mend="Fetch it again.",
                ) from error
            if not block:
                return
            if done == 0:
                block = block.removeprefix(b"\xef\xbb\xbf")
            done += len(block)
            yield block


# --- N-Triples, N-Quads ---


def _lines(path: Path, rdf_format: ox.RdfFormat, report: ImportReport) -> Iterator[bytes]:
    rest, line = b"", 1
    for block in blocks(path):
        rest += block
        cut = rest.rfind(b"\n") + 1
        if cut == 0:
            _check_length(rest, path, line)
            continue
        whole, rest = rest[:cut], rest[cut:]
        yield _block_of_lines(whole, rdf_format, path, line, report)
        line += whole.count(b"\n")
    if rest:
        yield _block_of_lines(rest, rdf_format, path, line, report)


def _block_of_lines(
    block: bytes, rdf_format: ox.RdfFormat, path: Path, first: int, report: ImportReport
) -> bytes:
    try:
        return _canonical(block, rdf_format)
    except (SyntaxError, ValueError):
        pass
    good = []
    for offset, line in enumerate(block.split(b"\n")):
        if _EMPTY_LINE.fullmatch(line):
            continue
        try:
            good.append(_canonical(line, rdf_format))
        except (SyntaxError, ValueError):
            report.drop("syntax_error", f"{path.name}:{first + offset}")
    return b"".join(good)


# --- Turtle ---


class _Header:
    """The prefixes and the base in force, as one line of Turtle to put before a block."""

    def __init__(self) -> None:
        self.prefixes: dict[str, str] = {}
        self.base: str | None = None
        self.text = b"\n"

    def parse(self, block: bytes) -> bytes:
        parser = ox.parse(input=io.BytesIO(self.text + block), format=ox.RdfFormat.TURTLE)
        out = _serialize(parser)
        if parser.prefixes != self.prefixes or parser.base_iri != self.base:
            self.prefixes, self.base = dict(parser.prefixes), parser.base_iri
            words = [f"@base <{self.base}> ."] if self.base else []
            words += [f"@prefix {name}: <{iri}> ." for name, iri in self.prefixes.items()]
            self.text = " ".join(words).encode() + b"\n"
        return out


def _turtle(path: Path, report: ImportReport) -> Iterator[bytes]:
    header, rest, line = _Header(), b"", 1
    for block in blocks(path):
        rest += block
        cut = max((match.end() for match in _STATEMENT_END.finditer(rest)), default=0)
        if cut == 0:
            _check_length(rest, path, line)
            continue
        whole, rest = rest[:cut], rest[cut:]
        try:
            yield header.parse(whole)
            line += whole.count(b"\n")
        except (SyntaxError, ValueError):
            out, tail = _statements(whole, header, path, line, report)
            yield out
            line += whole.count(b"\n") - tail.count(b"\n")
            rest = tail + rest
            _check_length(tail, path, line)
    out, tail = _statements(rest, header, path, line, report, final=True)
    yield out
    if _blank_end(tail) < len(tail):
        unfinished = tail[_blank_end(tail) :]
        place = line + rest.count(b"\n") - unfinished.count(b"\n")
        report.drop("syntax_error", f"{path.name}:{place}")


def _statements(
    text: bytes, header: _Header, path: Path, line: int, report: ImportReport, *, final: bool = False
) -> tuple[bytes, bytes]:
    """Parse statement by statement; returns the triples and the unfinished text at the end.

    ``final``: no text follows, so that a long string without an end is a broken statement.
    """
    good: list[bytes] = []
    start, position = 0, 0
    while True:
        match = _TOKEN.search(text, position)
        if match is None:
            return b"".join(good), text[start:]
        position = match.end()
        unfinished = match["open"] is not None or match["open1"] is not None
        if unfinished and not final:
            return b"".join(good), text[start:]
        if match.group() != b"." and not unfinished:
            continue
        statement = text[start:position]
        try:
            good.append(header.parse(statement))
        except (SyntaxError, ValueError) as error:
            lead = _blank_end(statement)
            offset = max((getattr(error, "lineno", None) or 2) - 2, statement[:lead].count(b"\n"))
            place = line + text[:start].count(b"\n") + offset
            if _DIRECTIVE.match(statement, lead):
                raise InputError(
                    f"has a broken prefix or base: {error}.", source=path, place=place
                ) from error
            report.drop("syntax_error", f"{path.name}:{place}")
            position = start + _resume(statement, offset)
        start = position


def _blank_end(text: bytes) -> int:
    """Length of the white space and comments at the start."""
    match = _BLANK.match(text)
    return match.end() if match else 0


def _resume(statement: bytes, offset: int) -> int:
    """Bytes of a broken statement to skip: to the first line, at or after the error, that ends with a full
    stop.
    """
    begin = 0
    for _ in range(offset):
        begin = statement.find(b"\n", begin) + 1
    end = _STATEMENT_END.search(statement, begin)
    return len(statement) if end is None else end.end()


# --- the rest ---


def _whole(path: Path, rdf_format: ox.RdfFormat) -> Iterator[bytes]:
    with open_bytes(path) as stream:
        parser = ox.parse(input=cast(IO[bytes], stream), format=rdf_format)
        pending: list[ox.Quad] = []
        try:
            for quad in parser:
                pending.append(quad)
                if len(pending) >= 10_000:
                    yield _serialize(iter(pending))
                    pending = []
        except (SyntaxError, ValueError, OSError, EOFError, zlib.error) as error:
            place = getattr(error, "lineno", None)
            raise InputError(f"cannot be read as RDF/XML: {error}.", source=path, place=place) from error
        yield _serialize(iter(pending))


def _canonical(text: bytes, rdf_format: ox.RdfFormat) -> bytes:
    return _serialize(ox.parse(input=text, format=rdf_format))


def _serialize(quads: Iterator[ox.Quad]) -> bytes:
    out = ox.serialize((quad.triple for quad in quads), format=ox.RdfFormat.N_TRIPLES)
    assert out is not None  # no output was named
    return out


def _check_length(text: bytes, path: Path, line: int) -> None:
    if len(text) > LONGEST_STATEMENT:
        raise InputError(
            f"has a statement without an end in {LONGEST_STATEMENT >> 20} MB.", source=path, place=line
        )


__all__ = ["TRIPLE_SCHEMA", "blocks", "format_of", "open_bytes", "read"]
