"""Positions of airports that the source writes as degrees, minutes and seconds with a decimal point."""

from __future__ import annotations

import pytest

from multiglobeqa.kg.atlas.airport_positions import from_sexagesimal, position


@pytest.mark.parametrize(
    ("text", "degrees"),
    [
        ("50.5405", 50.901389),  # 50 54 05, Brussels Airport
        ("-4.271", -4.452778),  # 4 27 10
        ("18.593978", 18.994383),  # 18 59 39.78, Navi Mumbai
        ("6", 6.0),
        ("-0.3000", -0.5),
    ],
)
def test_minutes_and_seconds_are_read(text: str, degrees: float) -> None:
    assert from_sexagesimal(text) == pytest.approx(degrees, abs=1e-6)


@pytest.mark.parametrize("text", ["50.6100", "50.5960", "x"])
def test_what_holds_no_minutes_and_seconds_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"minutes and seconds|could not convert"):
        from_sexagesimal(text)


def test_only_known_airports_are_mended() -> None:
    assert position("EBBR", "50.5405", "4.2904") == pytest.approx((50.901389, 4.484444), abs=1e-6)
    assert position("EBZR", "51.2647", "4.75333") == (51.2647, 4.75333)
