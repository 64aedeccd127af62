"""An append-only table of JSON lines, one object a line; the last line of a key is the one that counts.

A line is written whole and synced before the next step. A process that dies while it writes leaves a torn last line:
readers pass over it, and the next writer cuts it off.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from multiglobeqa.errors import InputError


class Ledger:
    """The JSON lines of one file; the file need not exist yet."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)

    def rows(self) -> Iterator[dict[str, Any]]:
        """All whole rows, oldest first. Raises InputError, with the line, for one that is no JSON object."""
        if not self.path.exists():
            return
        with self.path.open("rb") as stream:
            for number, line in enumerate(stream, 1):
                if not line.endswith(b"\n"):
                    return
                if not line.strip():
                    continue
                try:
                    row = json.loads(line)
                except ValueError as error:
                    raise self._fault(number) from error
                if not isinstance(row, dict):
                    raise self._fault(number)
                yield row

    def append(self, row: Mapping[str, Any]) -> None:
        """Write one row at the end; a torn last line is cut off first."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        line = json.dumps(dict(row), ensure_ascii=False, sort_keys=True).encode() + b"\n"
        with self.path.open("a+b") as stream:
            _cut_torn(stream)
            stream.write(line)
            stream.flush()
            os.fsync(stream.fileno())

    def _fault(self, number: int) -> InputError:
        return InputError(
            "is no JSON object.",
            source=self.path,
            place=number,
            mend="Remove that line; what it stood for is asked again.",
        )


def _cut_torn(stream: Any) -> None:
    end = stream.seek(0, os.SEEK_END)
    position, block = end, 4096
    while position > 0:
        start = max(0, position - block)
        stream.seek(start)
        found = stream.read(position - start).rfind(b"\n")
        if found >= 0:
            position = start + found + 1
            break
        position = start
    if position < end:
        stream.truncate(position)
    stream.seek(0, os.SEEK_END)
