"""Logs of the Inspect framework (``.eval`` and ``.json``), read by their documented fields without the package.

A log is one task of one model. Of a sample are read: ``id``, ``epoch`` (seed = epoch - 1), ``output.completion``,
``output.choices[0].stop_reason``, ``model_usage`` (else ``output.usage``), ``working_time`` or ``total_time``,
``error``, ``limit``, and of its ``metadata`` ``language`` and ``tier``; of the header ``eval.model``. An ``.eval`` file
is a zip with ``header.json`` and ``samples/ID_epoch_N.json``.
"""

from __future__ import annotations

import json
import struct
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pyarrow as pa

from multiglobeqa.answers.text import printable
from multiglobeqa.errors import InputError
from multiglobeqa.evaluate.predictions.json_lines import whole_json
from multiglobeqa.evaluate.predictions.record import (
    BUDGET,
    HARNESS,
    OVERFLOW,
    Costs,
    Fault,
    Record,
    RecordError,
    reply_body,
)
from multiglobeqa.evaluate.predictions.rows import id_of, language_code, whole
from multiglobeqa.evaluate.predictions.source import Source

_ZSTD: Final = 93
"""Compression method of zip for Zstandard, which ``zipfile`` does not read."""
_LOCAL_HEADER: Final = 30
_TOO_LONG: Final = "model_length"
_CAPPED: Final = "max_tokens"


def is_inspect(value: Any) -> bool:
    """Whether a JSON value is a log."""
    return isinstance(value, dict) and isinstance(value.get("eval"), dict) and "status" in value


def read_inspect_json(source: Source) -> Iterator[Record | Fault]:
    """The samples of a ``.json`` log, by their numbers; the file is read whole."""
    log = whole_json(source)
    if not is_inspect(log):
        raise InputError("is no log of Inspect.", source=source.path)
    samples = log.get("samples")
    for place, sample in enumerate(samples if isinstance(samples, list) else [], 1):
        yield _record(sample, place, _model(log))


def read_inspect_zip(path: Path) -> Iterator[Record | Fault]:
    """The samples of an ``.eval`` log, one at a time, in the order of their names."""
    try:
        with zipfile.ZipFile(path) as archive:
            members = {info.filename: info for info in archive.infolist()}
            name = next((n for n in ("header.json", "_journal/start.json") if n in members), None)
            header = _json(path, archive, members[name]) if name else None
            if not isinstance(header, dict) or not isinstance(header.get("eval"), dict):
                raise InputError("is a zip, and no log of Inspect: it has no header.json.", source=path)
            samples = sorted(n for n in members if n.startswith("samples/") and n.endswith(".json"))
            for place, member in enumerate(samples, 1):
                try:
                    sample = _json(path, archive, members[member])
                except (ValueError, OSError, RecursionError, zipfile.BadZipFile) as error:
                    yield Fault(place, f"sample {member} cannot be read: {error}")
                else:
                    yield _record(sample, place, _model(header))
    except (zipfile.BadZipFile, ValueError, OSError) as error:
        raise InputError(
            f"cannot be read as a log of Inspect: {error}.",
            source=path,
            mend="Of a log that broke off, write what is whole with `inspect log dump`.",
        ) from error


def _json(path: Path, archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Any:
    if info.compress_type != _ZSTD:
        return json.loads(archive.read(info))
    with path.open("rb") as stream:
        stream.seek(info.header_offset)
        name, extra = struct.unpack("<HH", stream.read(_LOCAL_HEADER)[26:30])
        stream.seek(name + extra, 1)
        packed = stream.read(info.compress_size)
    return json.loads(pa.CompressedInputStream(pa.BufferReader(packed), "zstd").read())


def _model(log: dict[str, Any]) -> str:
    return str(log["eval"].get("model") or "")


def _record(sample: Any, place: int, model: str) -> Record | Fault:
    if not isinstance(sample, dict):
        return Fault(place, "is no sample")
    try:
        identity, number = id_of(sample.get("id"))
        epoch = whole(sample.get("epoch"), "epoch")
        metadata = _object(sample.get("metadata"))
        language = language_code(metadata.get("language"))
    except RecordError as error:
        return Fault(place, f"sample is no reply: {error}")
    output = _object(sample.get("output"))
    stopped = _stop_reason(output)
    kind, body, reason = reply_body(output.get("completion") or None)
    otherwise = (
        OVERFLOW if stopped == _TOO_LONG else BUDGET if stopped == _CAPPED or sample.get("limit") else 0
    )
    failure = _object(sample.get("error"))
    if body is None and failure:
        kind, reason, otherwise = HARNESS, printable(str(failure.get("message") or "")[:300]), 0
    elif body is None and otherwise:
        kind, otherwise = otherwise, 0
    return Record(
        place, identity, number, language, model, str(metadata.get("tier") or ""), max(0, epoch - 1), kind, body,
        reason, otherwise, None, None, _costs(sample, stopped),
    )  # fmt: skip


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _stop_reason(output: dict[str, Any]) -> str:
    choices = output.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else {}
    return str(_object(first).get("stop_reason") or "")


def _costs(sample: dict[str, Any], stopped: str) -> Costs:
    """Tokens over all models of the sample: those in are all that are not out, cached ones included."""
    usages = [_object(usage) for usage in _object(sample.get("model_usage")).values()]
    usages = usages or [_object(_object(sample.get("output")).get("usage"))]
    out = _sum(usages, "output_tokens")
    total, given = _sum(usages, "total_tokens"), _sum(usages, "input_tokens")
    seconds = sample.get("working_time") or sample.get("total_time")
    return Costs(
        tokens_in=total - out if total is not None and out is not None else given,
        tokens_out=out,
        tokens_reasoning=_sum(usages, "reasoning_tokens"),
        seconds=float(seconds)
        if isinstance(seconds, int | float) and not isinstance(seconds, bool)
        else None,
        cap_hit=stopped == _CAPPED or bool(sample.get("limit")),
    )


def _sum(usages: list[dict[str, Any]], name: str) -> int | None:
    values = [usage[name] for usage in usages if isinstance(usage.get(name), int)]
    return sum(values) if values else None
