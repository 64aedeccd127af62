"""Whether confidence is earned: expected calibration error, Brier score, reliability of bins.

ECE = sum over bins of n_b / n |accuracy_b - confidence_b| (Naeini et al. 2015; Guo et al. 2017). Bins of equal width
are [k/m, (k+1)/m), the last one closed; bins of equal mass hold equally many answers, equal confidences together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from multiglobeqa.errors import InputError
from multiglobeqa.evaluate.choices.score import Scored
from multiglobeqa.kg.store import replacing
from multiglobeqa.report.metrics import wilson

BINS: Final = 10
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Bin:
    """Answers whose confidence lies between two bounds; ``low``, ``high``: 95 % Wilson interval of the accuracy."""

    lower: float
    upper: float
    answers: int
    confidence: float
    accuracy: float
    low: float
    high: float


@dataclass(frozen=True)
class Calibration:
    """Calibration of the answers that have a confidence.

    ``brier`` is the mean of (confidence - right)^2 in [0, 1]. ``brier_options`` is the mean over questions with
    probabilities of sum_i (p_i - y_i)^2 in [0, 2] (Brier 1950), None without.
    """

    answers: int
    accuracy: float
    confidence: float
    ece_equal_width: float
    ece_equal_mass: float
    brier: float
    brier_options: float | None
    equal_width: tuple[Bin, ...]
    equal_mass: tuple[Bin, ...]

    def as_json(self) -> dict[str, Any]:
        """All numbers, rounded to 6 decimals."""

        def short(value: Any) -> Any:
            if isinstance(value, float):
                return round(value, 6)
            if isinstance(value, dict):
                return {name: short(each) for name, each in value.items()}
            return [short(each) for each in value] if isinstance(value, tuple | list) else value

        return {name: short(value) for name, value in asdict(self).items()}


def calibration(rows: Sequence[Scored], bins: int = BINS) -> Calibration | None:
    """Calibration of the answered questions with a confidence; None where there is none."""
    if bins < 1:
        raise InputError(f"{bins} bins are too few.")
    used = [row for row in rows if row.status == "answered" and row.confidence is not None]
    if not used:
        return None
    sure = np.array([row.confidence for row in used], np.float64)
    right = np.array([row.correct for row in used], np.float64)
    width = np.minimum((sure * bins).astype(np.int64), bins - 1)
    even = _bins(sure, right, width, [(k / bins, (k + 1) / bins) for k in range(bins)])
    mass = _equal_mass(sure, bins)
    bounds = [
        (float(sure[mass == k].min()), float(sure[mass == k].max())) for k in range(int(mass.max()) + 1)
    ]
    full = _bins(sure, right, mass, bounds)
    return Calibration(
        len(used),
        float(right.mean()),
        float(sure.mean()),
        _ece(even, len(used)),
        _ece(full, len(used)),
        float(((sure - right) ** 2).mean()),
        _brier_options(used),
        even,
        full,
    )


def draw(path: Path, curves: dict[str, Calibration], *, equal_mass: bool = False) -> Path:
    """Write the reliability plot as SVG or PNG, by the file's ending: accuracy over confidence, one line a curve.

    Needs matplotlib. Raises InputError without it or for another ending.
    """
    if path.suffix not in (".svg", ".png"):
        raise InputError(f"{path.suffix!r} is no figure.", source=path, mend="End the name in .svg or .png.")
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure
    except ImportError as error:
        raise InputError(
            "matplotlib is not installed.", mend="pip install 'multiglobeqa[figures]'"
        ) from error
    with mpl.rc_context({"svg.hashsalt": "multiglobeqa", "font.family": "DejaVu Sans", "font.size": 9}):
        figure = Figure(figsize=(5, 5), layout="constrained")
        axes = figure.add_subplot()
        axes.plot([0, 1], [0, 1], color="#666666", linestyle=":", linewidth=1, label="perfect")
        colours = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
        for number, (name, curve) in enumerate(curves.items()):
            shown = curve.equal_mass if equal_mass else curve.equal_width
            bars = [[b.accuracy - b.low for b in shown], [b.high - b.accuracy for b in shown]]
            ece = curve.ece_equal_mass if equal_mass else curve.ece_equal_width
            axes.errorbar(
                [b.confidence for b in shown],
                [b.accuracy for b in shown],
                yerr=bars,
                color=colours[number % len(colours)],
                marker="osD^vx"[number % 6],
                markersize=4,
                linewidth=1,
                capsize=2,
                label=f"{name}: ECE {ece:.3f}, {curve.answers:,} answers",
            )
        axes.set(
            xlim=(0, 1), ylim=(0, 1), aspect="equal", xlabel="confidence", ylabel="accuracy (95 % interval)"
        )
        axes.legend(loc="upper left", frameon=False)
        with replacing(path) as temporary:
            metadata = {"Date": None} if path.suffix == ".svg" else {"Software": None}
            figure.savefig(temporary, format=path.suffix[1:], dpi=200, metadata=metadata)
    return path


def _equal_mass(sure: Floats, bins: int) -> NDArray[np.int64]:
    """Bin of each answer by rank; answers of equal confidence share the bin of the first of them."""
    order = np.sort(sure)
    first = np.searchsorted(order, sure, side="left")
    raw = first * bins // len(sure)
    return np.asarray(np.unique(raw, return_inverse=True)[1], np.int64).reshape(-1)


def _bins(
    sure: Floats, right: Floats, number: NDArray[np.int64], bounds: Sequence[tuple[float, float]]
) -> tuple[Bin, ...]:
    found = []
    for k, (lower, upper) in enumerate(bounds):
        inside = number == k
        count = int(inside.sum())
        if count:
            accuracy = float(right[inside].mean())
            found.append(
                Bin(lower, upper, count, float(sure[inside].mean()), accuracy, *wilson(accuracy, count))
            )
    return tuple(found)


def _ece(bins: Sequence[Bin], answers: int) -> float:
    return sum(b.answers * abs(b.accuracy - b.confidence) for b in bins) / answers


def _brier_options(rows: Sequence[Scored]) -> float | None:
    sums = []
    for row in rows:
        if row.chances is not None:
            hit = np.zeros(len(row.item.options))
            hit[row.item.answer_index] = 1
            sums.append(float(((np.array(row.chances.values) - hit) ** 2).sum()))
    return sum(sums) / len(sums) if sums else None
