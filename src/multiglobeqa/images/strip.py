"""Metadata out of JPEG, PNG and WebP files, without touching their pixels.

Kept is what decoding and colour need: for JPEG the JFIF and Adobe segments and the ICC profile (ITU T.81 B.1; ICC.1
B.4), for PNG the chunks in ``PNG_CHUNKS``, for WebP all but EXIF and XMP. Dropped are EXIF (with place, time, camera
and thumbnail), XMP, IPTC, comments, text, further pictures of multi-picture files, and whatever follows the end of
the picture.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Final

PNG_HEAD: Final = b"\x89PNG\r\n\x1a\n"
PNG_CHUNKS: Final = frozenset(
    {
        b"IHDR", b"PLTE", b"IDAT", b"IEND", b"tRNS", b"cHRM", b"gAMA", b"iCCP", b"sBIT", b"sRGB", b"cICP", b"bKGD",
        b"pHYs",
    }
)  # fmt: skip
"""Chunks that are kept."""

WEBP_CHUNKS: Final = frozenset({b"VP8 ", b"VP8L", b"VP8X", b"ALPH", b"ICCP"})
"""Chunks that are kept."""

_SOI, _EOI, _SOS, _TEM = 0xD8, 0xD9, 0xDA, 0x01
_RST: Final = range(0xD0, 0xD8)
_APP: Final = range(0xE0, 0xF0)
_COM: Final = 0xFE
_EXIF: Final = b"Exif\x00\x00"
_WEBP_ANIMATION, _WEBP_METADATA = 0x02, 0x04 | 0x08


class BrokenFile(ValueError):
    """The file ends early or is not built as its type demands. ``cause``: truncated, not_an_image, animated."""

    def __init__(self, cause: str, what: str) -> None:
        self.cause = cause
        super().__init__(what)


@dataclass(frozen=True)
class Stripped:
    """``kind``: JPEG, PNG or WEBP (Pillow's names); ``data``: the file without metadata; ``exif``: its TIFF block."""

    kind: str
    data: bytes
    exif: bytes


def strip(data: bytes) -> Stripped:
    """A picture file without its metadata. Raises BrokenFile for other types, broken files and animations."""
    if data.startswith(b"\xff\xd8\xff"):
        return _jpeg(data)
    if data.startswith(PNG_HEAD):
        return _png(data)
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return _webp(data)
    raise BrokenFile("not_an_image", f"is no JPEG, PNG or WebP file; it begins with {data[:8]!r}")


def _jpeg(data: bytes) -> Stripped:
    out, exif, at = bytearray(data[:2]), b"", 2
    while True:
        marker, at = _marker(data, at)
        if marker == _EOI:
            out += b"\xff\xd9"
            return Stripped("JPEG", bytes(out), exif)
        if marker == _TEM or marker in _RST:
            out += bytes((0xFF, marker))
            continue
        size = int.from_bytes(data[at : at + 2], "big")
        segment = data[at : at + size]
        if size < 2 or len(segment) < size:
            raise BrokenFile("truncated", f"ends inside a segment at byte {at}")
        body = segment[2:]
        at += size
        if marker == 0xE1 and body.startswith(_EXIF) and not exif:
            exif = body[len(_EXIF) :]
        if _kept(marker, body):
            out += bytes((0xFF, marker)) + segment
        if marker == _SOS:
            end = _scan_end(data, at)
            out += data[at:end]
            at = end


def _marker(data: bytes, at: int) -> tuple[int, int]:
    """The marker at a position, after fill bytes, and the position behind it."""
    if data[at : at + 1] != b"\xff":
        raise BrokenFile("truncated" if at >= len(data) else "not_an_image", f"has no marker at byte {at}")
    while data[at : at + 1] == b"\xff":
        at += 1
    if at >= len(data):
        raise BrokenFile("truncated", "ends inside a marker")
    return data[at], at + 1


def _scan_end(data: bytes, at: int) -> int:
    """Where the entropy-coded bytes of a scan end: at the next marker that is no stuffing and no restart."""
    while True:
        at = data.find(b"\xff", at)
        if at < 0 or at + 1 >= len(data):
            raise BrokenFile("truncated", "ends inside the picture")
        following = data[at + 1]
        if following == 0xFF:
            at += 1
        elif following == 0 or following in _RST:
            at += 2
        else:
            return at


def _kept(marker: int, body: bytes) -> bool:
    if marker == _COM:
        return False
    if marker not in _APP:
        return True
    return (
        (marker == 0xE0 and body.startswith(b"JFIF\x00"))
        or (marker == 0xE2 and body.startswith(b"ICC_PROFILE\x00"))
        or (marker == 0xEE and body.startswith(b"Adobe"))
    )


def _png(data: bytes) -> Stripped:
    out, exif, at = bytearray(PNG_HEAD), b"", len(PNG_HEAD)
    while True:
        if at + 12 > len(data):
            raise BrokenFile("truncated", f"ends at byte {len(data)}, before the end chunk")
        size, name = struct.unpack(">I4s", data[at : at + 8])
        end = at + 12 + size
        if end > len(data):
            raise BrokenFile("truncated", f"ends inside the chunk {name!r}")
        if name == b"acTL":
            raise BrokenFile("animated", "is an animation")
        if name == b"eXIf":
            exif = data[at + 8 : at + 8 + size]
        if name in PNG_CHUNKS:
            out += data[at:end]
        elif not name[0] & 0x20:
            raise BrokenFile("not_an_image", f"has the unknown critical chunk {name!r}")
        if name == b"IEND":
            return Stripped("PNG", bytes(out), exif)
        at = end


def _webp(data: bytes) -> Stripped:
    stated = int.from_bytes(data[4:8], "little") + 8
    if stated > len(data):
        raise BrokenFile("truncated", f"has {len(data)} of {stated} bytes")
    out, exif, at = bytearray(), b"", 12
    while at + 8 <= stated:
        name, size = data[at : at + 4], int.from_bytes(data[at + 4 : at + 8], "little")
        body = data[at + 8 : at + 8 + size]
        if at + 8 + size > stated:
            raise BrokenFile("truncated", f"ends inside the chunk {name!r}")
        if name in (b"ANIM", b"ANMF") or (name == b"VP8X" and body and body[0] & _WEBP_ANIMATION):
            raise BrokenFile("animated", "is an animation")
        if name == b"EXIF":
            exif = body.removeprefix(_EXIF)
        if name == b"VP8X" and body:
            body = bytes((body[0] & ~_WEBP_METADATA,)) + body[1:]
        if name in WEBP_CHUNKS:
            out += name + size.to_bytes(4, "little") + body + b"\x00" * (size % 2)
        at += 8 + size + size % 2
    return Stripped("WEBP", b"RIFF" + (len(out) + 4).to_bytes(4, "little") + b"WEBP" + bytes(out), exif)
