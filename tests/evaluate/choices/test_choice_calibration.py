"""Confidence: renormalised log-probabilities, calibration errors by hand, the reliability plot."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Any

import pytest

from multiglobeqa.errors import InputError
from multiglobeqa.evaluate.choices.calibration import calibration, draw
from multiglobeqa.evaluate.choices.confidence import probabilities
from multiglobeqa.evaluate.choices.items import Item
from multiglobeqa.evaluate.choices.languages import read_language
from multiglobeqa.evaluate.choices.score import Scored, score_one
from multiglobeqa.evaluate.choices.summary import confidently_wrong

ITEM = Item("q", read_language("sw"), "?", ("Kisumu", "Kampala", "Mwanza", "Entebbe"), 0)
LOG = math.log


@pytest.mark.parametrize(
    ("logprobs", "values", "mass", "unlisted"),
    [
        ({"A": LOG(0.4), "B": LOG(0.1)}, (0.8, 0.2, 0, 0), 0.5, 2),
        ({"Kisumu": LOG(0.2), "Mwanza": LOG(0.2)}, (0.5, 0, 0.5, 0), 0.4, 2),
        ([LOG(0.1)] * 4, (0.25,) * 4, 0.4, 0),
        ([-1000.0, -1000.0 + LOG(3), -1000.0, -1000.0], (1 / 6, 0.5, 1 / 6, 1 / 6), 0.0, 0),
        ([2.0, 2.0, 2.0, 2.0], (0.25,) * 4, None, 0),
        ([-math.inf, 0.0, -math.inf, -math.inf], (0, 1, 0, 0), 1.0, 3),
        (
            [{"token": " A", "logprob": LOG(0.3)}, {"token": "A", "logprob": LOG(0.2)}, {"token": "(a", "logprob": LOG(0.1)},
             {"token": "▁B", "logprob": LOG(0.2)}, {"token": "The", "logprob": LOG(0.1)}],
            (0.75, 0.25, 0, 0), 0.8, 2,
        ),
        ({"А": LOG(0.5), "D": LOG(0.5)}, (0.5, 0, 0, 0.5), 1.0, 2),
    ],
)  # fmt: skip
def test_probabilities(logprobs: Any, values: tuple[float, ...], mass: float | None, unlisted: int) -> None:
    found = probabilities(logprobs, ITEM)
    assert found is not None
    assert found.values == pytest.approx(values) and sum(found.values) == pytest.approx(1)
    assert found.mass == (None if mass is None else pytest.approx(mass)) and found.unlisted == unlisted


def test_what_is_no_log_probability() -> None:
    assert probabilities({"The": -0.1}, ITEM) is None
    for wrong in ("A", [], [1.0], [0.1, 0.2, 0.3, "x"], {"A": math.nan}, {"A": math.inf}, {"A": True}, 3):
        with pytest.raises(InputError):
            probabilities(wrong, ITEM)
    for stated in (2, -0.1, "high", True):
        with pytest.raises(InputError, match="confidence"):
            score_one(ITEM, {"text": "A", "confidence": stated})


def answer(right: bool, confidence: float | None) -> Scored:
    return score_one(ITEM, {"text": "A" if right else "B", "confidence": confidence})


def test_calibration_by_hand() -> None:
    # two bins: 0.6 right, 0.7 wrong, 0.9 right in the upper (mean 2.2/3, accuracy 2/3); 0.2 wrong, 0.4 right below
    rows = [answer(True, 0.6), answer(False, 0.7), answer(True, 0.9), answer(False, 0.2), answer(True, 0.4)]
    found = calibration([*rows, answer(True, None), score_one(ITEM, None)], bins=2)
    assert found is not None
    assert (
        found.answers == 5
        and found.accuracy == pytest.approx(0.6)
        and found.confidence == pytest.approx(0.56)
    )
    assert found.ece_equal_width == pytest.approx((3 * abs(2 / 3 - 2.2 / 3) + 2 * abs(0.5 - 0.3)) / 5)
    # equal mass: ranks 0 to 2 (0.2, 0.4, 0.6: right 2 of 3) and 3, 4 (0.7, 0.9: 1 of 2)
    assert found.ece_equal_mass == pytest.approx((3 * abs(2 / 3 - 0.4) + 2 * abs(0.5 - 0.8)) / 5)
    assert found.brier == pytest.approx((0.16 + 0.49 + 0.01 + 0.04 + 0.36) / 5)
    assert found.brier_options is None
    assert [(b.lower, b.upper, b.answers) for b in found.equal_width] == [(0.0, 0.5, 2), (0.5, 1.0, 3)]
    assert [b.answers for b in found.equal_mass] == [3, 2]
    assert all(b.low <= b.accuracy <= b.high for b in found.equal_width)
    assert found.as_json()["ece_equal_mass"] == pytest.approx(0.28)


def test_brier_over_the_options() -> None:
    rows = [
        score_one(ITEM, {"logprobs": {"A": LOG(0.8), "B": LOG(0.2)}}),
        score_one(ITEM, {"text": "B", "logprobs": [0, 0, 0, 0]}),
    ]
    found = calibration(rows)
    assert found is not None and found.brier_options == pytest.approx((0.04 + 0.04 + 0.5625 + 3 * 0.0625) / 2)
    assert [row.confidence for row in rows] == pytest.approx([0.8, 0.25])


def test_equal_confidences_share_a_bin() -> None:
    rows = [answer(n % 2 == 0, 0.5) for n in range(10)] + [answer(True, 1.0)]
    found = calibration(rows, bins=5)
    assert found is not None and [b.answers for b in found.equal_mass] == [10, 1]
    assert found.equal_width[-1].upper == 1.0 and found.ece_equal_mass == 0.0
    assert calibration([score_one(ITEM, None)]) is None
    with pytest.raises(InputError):
        calibration(rows, bins=0)


def test_a_perfect_and_an_overconfident_model() -> None:
    rows = [answer(n % 10 < 7, 0.7) for n in range(100)]
    sure = [answer(n % 10 < 7, 0.99) for n in range(100)]
    perfect, boastful = calibration(rows), calibration(sure)
    assert perfect is not None and boastful is not None
    assert perfect.ece_equal_width == pytest.approx(
        0, abs=1e-12
    ) and boastful.ece_equal_width == pytest.approx(0.29)
    listed = confidently_wrong([*rows, *sure])
    assert len(listed) == 30 and listed[0]["confidence"] == 0.99 and listed[0]["answered"] == "Kampala"
    assert len(confidently_wrong([*rows, *sure], least=0.5, most=40)) == 40


def test_the_plot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    curve = calibration([answer(n % 10 < n // 10, n / 100) for n in range(100)])
    assert curve is not None
    for name in ("a.svg", "a.png"):
        first = draw(tmp_path / name, {"all": curve, "lang / sw": curve}).read_bytes()
        assert (
            draw(tmp_path / name, {"all": curve, "lang / sw": curve}, equal_mass=False).read_bytes() == first
        )
        assert len(first) > 5000
    assert b"accuracy" in (tmp_path / "a.svg").read_bytes() or b"<svg" in (tmp_path / "a.svg").read_bytes()
    draw(tmp_path / "b.svg", {"all": curve}, equal_mass=True)
    with pytest.raises(InputError, match="is no figure"):
        draw(tmp_path / "a.pdf", {"all": curve})
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(InputError, match="not installed"):
        draw(tmp_path / "a.svg", {"all": curve})
