"""A downloaded picture made fit for keeping: its type by content, its size, without metadata, upright."""

from __future__ import annotations

import hashlib
import io
import warnings
from dataclasses import dataclass
from typing import Final

from PIL import Image, UnidentifiedImageError
from PIL.ExifTags import Base

from multiglobeqa.images.strip import BrokenFile, strip

SUFFIXES: Final = {"JPEG": ".jpg", "PNG": ".png", "WEBP": ".webp"}
QUALITY: Final = 95
"""JPEG and WebP quality where a picture is encoded again."""

_MODES: Final = {
    "JPEG": ("L", "RGB"),
    "PNG": ("1", "L", "LA", "P", "RGB", "RGBA", "I;16", "I"),
    "WEBP": ("RGB", "RGBA"),
}
_TURNS: Final = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}
"""What makes a picture upright, by its EXIF orientation."""


@dataclass(frozen=True)
class Limits:
    """What is accepted: ``bytes`` of the download, ``pixels`` in all, ``side``: least width and height."""

    bytes: int = 20_000_000
    pixels: int = 40_000_000
    side: int = 64


@dataclass(frozen=True)
class Fit:
    """A picture as it is stored. ``encoded_again``: whether its pixels were encoded anew, to turn it upright or to
    bring it to plain colours."""

    data: bytes
    sha256: str
    kind: str
    width: int
    height: int
    encoded_again: bool

    @property
    def suffix(self) -> str:
        """The suffix of the file's name, by its type."""
        return SUFFIXES[self.kind]


class UnfitPicture(ValueError):
    """A picture that cannot be kept. ``cause``: not_an_image, truncated, animated, too_many_pixels, too_small."""

    def __init__(self, cause: str, what: str) -> None:
        self.cause = cause
        super().__init__(what)


def fit(data: bytes, limits: Limits | None = None) -> Fit:
    """Check a file and make it fit for keeping.

    Metadata are cut out of the file and its pixels stay as they are, unless it says that it must be turned or its
    colours are not grey, RGB or RGBA (CMYK). The stated number of pixels is checked before any is decoded; then all
    are decoded. Raises UnfitPicture.
    """
    limits = limits or Limits()
    try:
        bare = strip(data)
    except BrokenFile as error:
        raise UnfitPicture(error.cause, str(error)) from error
    with _opened(bare.data, bare.kind, limits) as image:
        width, height = image.size
        turn = _orientation(bare.exif)
        again = turn != 1 or image.mode not in _MODES[bare.kind]
        stored = _encoded(image, bare.kind, turn) if again else bare.data
    if again:
        with _opened(stored, bare.kind, limits) as image:
            width, height = image.size
    return Fit(stored, hashlib.sha256(stored).hexdigest(), bare.kind, width, height, again)


def _opened(data: bytes, kind: str, limits: Limits) -> Image.Image:
    """The decoded picture; its stated size is checked first."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)  # the limit below is stricter
            image = Image.open(io.BytesIO(data), formats=[kind])
    except Image.DecompressionBombError as error:
        raise UnfitPicture("too_many_pixels", str(error)) from error
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError) as error:
        raise UnfitPicture("not_an_image", f"cannot be read as {kind}: {error}") from error
    width, height = image.size
    if width * height > limits.pixels:
        image.close()
        raise UnfitPicture(
            "too_many_pixels", f"has {width} x {height} pixels; the limit is {limits.pixels:,}"
        )
    if min(width, height) < limits.side:
        image.close()
        raise UnfitPicture("too_small", f"has {width} x {height} pixels; the least side is {limits.side}")
    try:
        image.load()
    except (OSError, ValueError, SyntaxError, IndexError, EOFError) as error:
        image.close()
        cause = "truncated" if "truncat" in str(error).lower() else "not_an_image"
        raise UnfitPicture(cause, f"cannot be decoded: {error}") from error
    return image


def _orientation(exif: bytes) -> int:
    """EXIF orientation 1 to 8; 1 where it is not stated or cannot be read."""
    if not exif:
        return 1
    tags = Image.Exif()
    try:
        tags.load(b"Exif\x00\x00" + exif)
        value = tags.get(Base.Orientation, 1)
    except (SyntaxError, ValueError, KeyError, TypeError, OSError, EOFError, IndexError, ArithmeticError):
        return 1
    return value if isinstance(value, int) and 1 <= value <= 8 else 1


def _encoded(image: Image.Image, kind: str, turn: int) -> bytes:
    if image.mode not in _MODES[kind]:
        image = image.convert("RGBA" if kind != "JPEG" and "A" in image.getbands() else "RGB")
        image.info.pop("icc_profile", None)
    profile = image.info.get("icc_profile")
    upright = image.transpose(_TURNS[turn]) if turn in _TURNS else image
    out = io.BytesIO()
    if kind == "PNG":
        upright.save(out, format=kind, icc_profile=profile, optimize=True)
    elif kind == "JPEG":
        upright.save(out, format=kind, icc_profile=profile, quality=QUALITY, subsampling=0, optimize=True)
    else:
        upright.save(out, format=kind, icc_profile=profile, quality=QUALITY)
    return out.getvalue()
