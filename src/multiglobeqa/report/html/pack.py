"""Data inside a page: named blocks, compressed by gzip and written as base64 in script elements that do not run.

The page's script decodes a block when it is needed (`assets/data.js`). A *frame* holds columns of numbers as one
buffer: a uint32 with the length of a JSON header, the header, then the columns, each at a multiple of 8 bytes. Numbers
are little-endian.
"""

from __future__ import annotations

import base64
import gzip
import json
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

_LEVEL: Final = 6
_STEP: Final = 8
_TYPES: Final = {"uint8", "uint16", "uint32", "int32", "float32"}


@dataclass
class Pack:
    """The blocks of one page, in the order in which they were added."""

    blocks: dict[str, str] = field(default_factory=dict)

    def json(self, name: str, value: Any) -> None:
        """Add a block of JSON. A NaN is an error: JSON has none."""
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        self._add(name, text.encode("utf-8", "replace"))

    def frame(self, name: str, columns: Mapping[str, NDArray[Any]], head: Mapping[str, Any]) -> None:
        """Add a block of (n,) columns of numbers; ``head`` is JSON that goes before them."""
        self._add(name, frame(columns, head))

    def markup(self, names: list[str] | None = None) -> Markup:
        """The script elements of the blocks (all, or those named)."""
        chosen = self.blocks if names is None else {name: self.blocks[name] for name in names}
        return Markup("\n").join(
            Markup('<script type="application/gzip;base64" id="data-{}">{}</script>').format(
                name, Markup(text)
            )
            for name, text in chosen.items()
        )

    def _add(self, name: str, content: bytes) -> None:
        if name in self.blocks:
            raise ValueError(f"a block {name!r} is there already")
        self.blocks[name] = base64.b64encode(gzip.compress(content, _LEVEL, mtime=0)).decode("ascii")


def frame(columns: Mapping[str, NDArray[Any]], head: Mapping[str, Any]) -> bytes:
    """The bytes of a frame. Columns are (n,) arrays of uint8, uint16, uint32, int32 or float32."""
    listed: list[tuple[str, str, int, int]] = []
    parts: list[bytes] = []
    at = 0
    for name, values in columns.items():
        kind = values.dtype.name
        if kind not in _TYPES:
            raise ValueError(f"column {name!r} is of {kind}")
        raw = np.ascontiguousarray(values.astype(values.dtype.newbyteorder("<"))).tobytes()
        listed.append((name, kind, at, len(values)))
        parts.append(raw + bytes(-len(raw) % _STEP))
        at += len(parts[-1])
    header = json.dumps({"columns": listed, **head}, ensure_ascii=False, allow_nan=False).encode()
    header += b" " * (-(4 + len(header)) % _STEP)
    return struct.pack("<I", len(header)) + header + b"".join(parts)


def fitting(values: NDArray[np.int64]) -> NDArray[Any]:
    """Whole numbers from 0 in the smallest unsigned type that holds them."""
    most = int(values.max(initial=0))
    kind = np.uint8 if most < 255 else np.uint16 if most < 65535 else np.uint32
    return values.astype(kind)
