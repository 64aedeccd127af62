"""Lines of a JSON Lines file, or members of a JSON list, each with its number and its fault if it has one."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from multiglobeqa.errors import InputError
from multiglobeqa.evaluate.choices.faults import Fault
from multiglobeqa.kg.store import replacing

_BOM: Final = b"\xef\xbb\xbf"
_UTF16: Final = (b"\xff\xfe", b"\xfe\xff")
Line = tuple[int, dict[str, Any] | None, Fault | None]
"""Number from 1, the object, the fault; a fault without object is a line that cannot be read."""


def read_lines(path: str | Path) -> Iterator[Line]:
    """The objects of a file, in order; blank lines are passed over.

    A file that is one JSON list gives its members. Faults are given, not raised: a wrong byte, a line that is no JSON
    or no object, a last line that breaks off.

    Raises
    ------
    InputError : the file is not there, cannot be read as text at all (UTF-16), or is a broken JSON list.
    """
    path = Path(path)
    try:
        data = path.read_bytes()
    except FileNotFoundError as error:
        raise InputError("does not exist.", source=path) from error
    if data[:2] in _UTF16:
        raise InputError("is UTF-16.", source=path, mend="Save it as UTF-8.")
    if data[:3] == _BOM:
        data = data[3:]
        yield 1, None, Fault(path.name, 1, "", "byte_order_mark", "begins with a byte order mark")
    if data.lstrip()[:1] == b"[":
        yield from _members(path, data)
        return
    lines = data.split(b"\n")
    last = len(lines)
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield _line(path, number, line, torn=number == last)


def write_lines(path: str | Path, rows: Iterable[Mapping[str, Any]]) -> int:
    """Write objects as JSON Lines (UTF-8, no byte order mark), all or none; returns their number."""
    count = 0
    with replacing(Path(path)) as temporary, temporary.open("w", encoding="utf-8", newline="\n") as stream:
        for row in rows:
            stream.write(json.dumps(row, ensure_ascii=False) + "\n")
            count += 1
    return count


def _line(path: Path, number: int, line: bytes, *, torn: bool) -> Line:
    def fault(kind: str, what: str) -> Line:
        return number, None, Fault(path.name, number, "", kind, what)

    try:
        value = json.loads(line.decode("utf-8"), parse_constant=_no_number)
    except UnicodeDecodeError as error:
        return fault(
            "encoding", f"is not UTF-8: byte {error.start + 1} of the line is 0x{line[error.start]:02x}."
        )
    except (ValueError, RecursionError) as error:
        if torn:
            return fault("torn_last_line", "breaks off: the last line is not complete.")
        return fault("not_json", f"is not JSON: {error}.")
    if not isinstance(value, dict):
        return fault("not_object", f"is no object but {type(value).__name__}.")
    return number, value, None


def _members(path: Path, data: bytes) -> Iterator[Line]:
    try:
        values = json.loads(data.decode("utf-8"), parse_constant=_no_number)
    except UnicodeDecodeError as error:
        raise InputError(
            "is not UTF-8.", source=path, place=f"byte {error.start}", mend="Save it as UTF-8."
        ) from error
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"is no JSON list: {error}.", source=path, mend="Write one object a line."
        ) from error
    for number, value in enumerate(values, 1):
        if isinstance(value, dict):
            yield number, value, None
        else:
            what = f"is no object but {type(value).__name__}."
            yield number, None, Fault(path.name, number, "", "not_object", what)


def _no_number(text: str) -> Any:
    raise ValueError(f"{text} is no number of JSON")
