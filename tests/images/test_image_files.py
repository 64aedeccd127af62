"""Picture files: type by content, limits, metadata out, pixels kept."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from PIL import Image
from tests.images.conftest import SECRET, bomb, jpeg, png, scene, webp

from multiglobeqa.images.check import Fit, Limits, UnfitPicture, fit

MAKERS: list[Callable[..., bytes]] = [jpeg, png, webp]


def pixels(data: bytes) -> np.ndarray[Any, Any]:
    with Image.open(io.BytesIO(data)) as image:
        return np.asarray(image.convert("RGB")).astype(int)


def leaks(data: bytes) -> list[bytes]:
    signs = (
        SECRET.encode(),
        b"Exif",
        b"GPS",
        b"Canon",
        b"xmpmeta",
        b"8BIM",
        b"EXIF",
        b"XMP ",
        b"eXIf",
        b"tEXt",
        b"iTXt",
        b"zTXt",
    )
    return [sign for sign in signs if sign in data]


@pytest.mark.parametrize("make", MAKERS)
def test_metadata_go_and_pixels_stay(make: Callable[..., bytes]) -> None:
    before = make()
    assert SECRET.encode() in before
    assert leaks(before)
    after = fit(before)
    assert leaks(after.data) == []
    assert not after.encoded_again
    assert (after.width, after.height) == (160, 120)
    np.testing.assert_array_equal(pixels(before), pixels(after.data))
    with Image.open(io.BytesIO(after.data)) as image:
        assert image.format == after.kind
        assert not image.getexif()
        assert not {"exif", "xmp", "comment", "photoshop", "XML:com.adobe.xmp", "Author"} & set(image.info)
    assert after.sha256 == hashlib.sha256(after.data).hexdigest()
    assert fit(after.data).data == after.data, "nothing is left to take out"


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("orientation", range(2, 9))
def test_the_orientation_is_applied(make: Callable[..., bytes], orientation: int) -> None:
    from PIL import ImageOps

    before = make(orientation=orientation)
    with Image.open(io.BytesIO(before)) as image:
        upright = ImageOps.exif_transpose(image)
        assert upright is not None
        expected = np.asarray(upright.convert("RGB")).astype(int)
    after = fit(before)
    assert after.encoded_again
    assert (after.height, after.width) == expected.shape[:2]
    assert np.abs(pixels(after.data) - expected).mean() < 3, "turned the right way"
    assert leaks(after.data) == []


def test_the_colour_profile_stays() -> None:
    from PIL import ImageCms

    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    for orientation in (1, 6):
        with Image.open(io.BytesIO(fit(jpeg(orientation=orientation, icc_profile=profile)).data)) as image:
            assert image.info["icc_profile"] == profile


def test_progressive_and_restart_markers() -> None:
    for options in (
        {"progressive": True},
        {"restart_marker_blocks": 2},
        {"progressive": True, "restart_marker_rows": 1},
    ):
        before = jpeg(**options)
        np.testing.assert_array_equal(pixels(before), pixels(fit(before).data))


def test_cmyk_becomes_rgb() -> None:
    found = fit(jpeg(scene().convert("CMYK")))
    assert found.encoded_again
    with Image.open(io.BytesIO(found.data)) as image:
        assert image.mode == "RGB"
    assert np.abs(pixels(found.data) - np.asarray(scene()).astype(int)).mean() < 5


def test_palette_and_transparency_stay_when_turned() -> None:
    flat = scene().quantize(16)
    out = io.BytesIO()
    from tests.images.conftest import exif

    flat.save(out, "PNG", exif=exif(6), transparency=3)
    found = fit(out.getvalue())
    with Image.open(io.BytesIO(found.data)) as image, Image.open(io.BytesIO(out.getvalue())) as before:
        expected = before.convert("RGBA").transpose(Image.Transpose.ROTATE_270)
        np.testing.assert_array_equal(np.asarray(image.convert("RGBA")), np.asarray(expected))


def test_a_second_picture_in_the_file_goes() -> None:
    out = io.BytesIO()
    scene().save(out, "MPO", save_all=True, append_images=[scene(seed=8)])
    found = fit(out.getvalue())
    assert found.kind == "JPEG"
    assert b"MPF" not in found.data
    assert len(found.data) < len(out.getvalue()) * 0.7


def animation(kind: str) -> bytes:
    out = io.BytesIO()
    scene().save(out, kind, save_all=True, append_images=[scene(seed=9)], duration=100)
    return out.getvalue()


def gif() -> bytes:
    out = io.BytesIO()
    scene().save(out, "GIF")
    return out.getvalue()


FAULTS: list[tuple[str, bytes, str]] = [
    ("html", b"<!DOCTYPE html><html><body>Not found</body></html>", "not_an_image"),
    ("svg", b'<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>', "not_an_image"),
    ("gif", gif(), "not_an_image"),
    ("empty", b"", "not_an_image"),
    ("jpeg head only", b"\xff\xd8\xff\xe0", "truncated"),
    ("half a jpeg", jpeg()[:3000], "truncated"),
    ("half a png", png()[:3000], "truncated"),
    ("half a webp", webp()[:700], "truncated"),
    ("jpeg by its head", b"\xff\xd8\xff" + b"PK\x03\x04" * 50, "truncated"),
    ("bomb", bomb(), "too_many_pixels"),
    ("small", jpeg(scene(63, 200)), "too_small"),
    ("moving png", animation("PNG"), "animated"),
    ("moving webp", animation("WEBP"), "animated"),
]


@pytest.mark.parametrize(("data", "cause"), [(d, c) for _, d, c in FAULTS], ids=[n for n, _, _ in FAULTS])
def test_unfit_files_are_refused_with_their_cause(data: bytes, cause: str) -> None:
    with pytest.raises(UnfitPicture) as caught:
        fit(data)
    assert caught.value.cause == cause
    assert str(caught.value)


def test_a_flipped_bit_in_a_png_is_seen() -> None:
    data = bytearray(png())
    at = data.index(b"IDAT") + 200
    data[at] ^= 0x10
    with pytest.raises(UnfitPicture):
        fit(bytes(data))


def test_pixels_are_limited_before_they_are_decoded() -> None:
    with pytest.raises(UnfitPicture) as caught:
        fit(jpeg(), Limits(pixels=160 * 120 - 1))
    assert caught.value.cause == "too_many_pixels"
    found: Fit = fit(jpeg(), Limits(pixels=160 * 120))
    assert found.kind == "JPEG"


def test_any_cut_of_a_file_gives_a_cause_and_no_other_error() -> None:
    for make in MAKERS:
        whole = make()
        for cut in range(0, len(whole), 37):
            try:
                found = fit(whole[:cut])
            except UnfitPicture:
                continue
            assert make is jpeg, "only what follows a JPEG's end may be missing"
            assert found.data == fit(whole).data
