"""Telling the form of predictions by their content, and reading them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pyarrow as pa

from multiglobeqa.errors import InputError
from multiglobeqa.evaluate.predictions.delimited import head_of, read_delimited
from multiglobeqa.evaluate.predictions.inspect_log import read_inspect_json, read_inspect_zip
from multiglobeqa.evaluate.predictions.json_lines import read_blocks, read_json_array, read_json_lines
from multiglobeqa.evaluate.predictions.lm_eval import is_lm_eval, read_lm_eval
from multiglobeqa.evaluate.predictions.record import BATCH, Fault, Record, tables
from multiglobeqa.evaluate.predictions.rows import FORM, ID_KEYS, REPLY_KEYS
from multiglobeqa.evaluate.predictions.source import Source

FORMS: Final = ("run log", "JSON Lines", "JSON array", "CSV", "Inspect log", "lm-evaluation-harness samples")
LOGS: Final = ("log.jsonl", "log.jsonl.gz", "log.jsonl.zst")
"""What a run folder's log is called."""
_ATTEMPT: Final = ("attempt", "final")
_INSPECT: Final = re.compile(r'\{\s*"version"\s*:\s*\d+\s*,\s*"status"\s*:')


@dataclass(frozen=True)
class Predictions:
    """A file of predictions: where it is, and one of ``FORMS``."""

    path: Path
    form: str
    encoding: str | None = None

    def tables(self, seen: Callable[[Record | Fault], bool]) -> Iterator[pa.Table]:
        """Its records as tables of ``record.SCHEMA``, in the order of the file.

        ``seen`` is told of each fault, and of each record that is out of the common.
        """
        if self.form not in ("run log", "JSON Lines"):
            yield from tables(each for each in self.read() if seen(each) and isinstance(each, Record))
            return
        held: list[Record] = []
        for found in read_blocks(Source(self.path, self.encoding)):
            if isinstance(found, pa.Table):
                yield from tables(held)
                held = []
                yield found
            elif seen(found) and isinstance(found, Record):
                held.append(found)
                if len(held) == BATCH:
                    yield from tables(held)
                    held = []
        yield from tables(held)

    def read(self) -> Iterator[Record | Fault]:
        """Its records and faults, in the order of the file."""
        if self.form == "Inspect log" and _magic(self.path) == b"PK\x03\x04":
            return read_inspect_zip(self.path)
        readers = {
            "JSON array": read_json_array,
            "CSV": read_delimited,
            "Inspect log": read_inspect_json,
            "lm-evaluation-harness samples": read_lm_eval,
        }
        return readers.get(self.form, read_json_lines)(Source(self.path, self.encoding))


def open_predictions(path: str | Path, encoding: str | None = None) -> Predictions:
    """Find the form of a file, or of the log in a run folder.

    Raises InputError : nothing is there, or it is none of the forms; the message says what was found.
    """
    file = Path(path)
    if file.is_dir():
        file = _log_of(file)
    if file.is_file() and file.stat().st_size == 0:
        raise InputError("is empty.", source=file, mend=FORM)
    source = Source(file, encoding)
    if source.head.startswith(b"PK\x03\x04"):
        return Predictions(file, "Inspect log")
    if source.head.startswith(b"PAR1"):
        raise InputError(
            "is Parquet, and predictions are text.", source=file, mend="Write it as JSON Lines or CSV."
        )
    form = _form(source)
    if form is None:
        raise InputError(f"is no file of predictions; it starts with {source.text_head()[:120]!r}.", source=file,
                         mend=FORM)  # fmt: skip
    return Predictions(file, form, source.encoding)


def _magic(path: Path) -> bytes:
    with path.open("rb") as stream:
        return stream.read(4)


def _log_of(folder: Path) -> Path:
    found = next((folder / name for name in LOGS if (folder / name).is_file()), None)
    if found is not None:
        return found
    files = sorted(
        file.name
        for file in folder.iterdir()
        if file.name.endswith((".eval", ".json", ".jsonl", ".csv", ".tsv"))
    )
    shown = f"it holds {', '.join(files[:5])}" if files else "it holds no predictions"
    raise InputError(f"has no {LOGS[0]}: {shown}.", source=folder, mend="Name one file, or a run folder.")


def _form(source: Source) -> str | None:
    text = source.text_head().lstrip("\ufeff \t\r\n")
    if text[:1] == "[":
        return "JSON array"
    if _INSPECT.match(text):
        return "Inspect log"
    if text[:1] == "{":
        return _json_form(text)
    lines = [line for line in text.splitlines() if line.strip()]
    if lines and head_of(lines[0]):
        return "CSV"
    # a first line that is broken: a later one tells
    if any(line.lstrip()[:1] == "{" for line in lines[1:20]):
        return _json_form("\n".join(line for line in lines if line.lstrip()[:1] == "{"))
    if lines and any(mark in lines[0] for mark in ",;\t|"):
        _blame_columns(source, lines[0])
    return None


def _json_form(text: str) -> str:
    rows = [row for row in map(_object, text.split("\n")[:20]) if row is not None]
    if any(map(is_lm_eval, rows)):
        return "lm-evaluation-harness samples"
    if any(key in row for row in rows for key in _ATTEMPT):
        return "run log"
    return "JSON Lines"


def _object(line: str) -> dict[str, Any] | None:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return row if isinstance(row, dict) else None


def _blame_columns(source: Source, head: str) -> None:
    raise InputError(
        f"has neither an id nor a reply in its head {head[:200]!r}.",
        source=source.path,
        place=1,
        mend=f"Name the columns {ID_KEYS[0]} and one of {', '.join(REPLY_KEYS)}.",
    )
