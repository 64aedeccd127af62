"""How figures look: colours that the colour-blind tell apart and that differ in grey, marks, fonts, and the text that
fonts can draw.

Colours: Okabe and Ito 2008. Every colour comes with a mark or hatch of its own, so that none is needed to read a
figure.
"""

from __future__ import annotations

import importlib.util
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any, Final

BLACK, GREY, LIGHT = "#000000", "#666666", "#d9d9d9"
COLOURS: Final = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#4d4d4d", "#b8a900")
MARKS: Final = ("o", "s", "^", "D", "v", "P", "X", "*", "<", ">", "h", "p")
_TIERS: Final = {
    "T1": ("#56b4e9", "o", ""), "T2": ("#e69f00", "s", ""), "T3a": ("#0072b2", "^", ""), "T3b": ("#cc79a7", "v", ""),
    "T3c": ("#009e73", "D", ""), "T1-o-raw": ("#a6a6a6", "<", "//"), "T1-o-structured": ("#7f7f7f", ">", "xx"),
    "T1-o-verbalized": ("#d55e00", "P", "\\\\"), "T3-o": ("#000000", "X", "//"),
}  # fmt: skip
_DASHES: Final = ("-", "--", "-.", ":")
_FALLBACKS: Final = (
    "Noto Sans",
    "Noto Sans CJK JP",
    "Noto Sans CJK SC",
    "Noto Sans Georgian",
    "Noto Nastaliq Urdu",
)
TEXT: Final = 8
CORRECT, WRONG, DECLINED = "\N{HEAVY CHECK MARK}", "\N{HEAVY BALLOT X}", "\N{CIRCLED DIVISION SLASH}"


def available() -> bool:
    """Whether matplotlib is installed."""
    return importlib.util.find_spec("matplotlib") is not None


@contextmanager
def styled() -> Iterator[None]:
    """Settings of all figures: the same input gives the same bytes, and text is text, never a formula."""
    import matplotlib as mpl

    settings: Any = {
        "svg.hashsalt": "multiglobeqa", "font.family": families(), "font.size": TEXT, "axes.titlesize": 9,
        "axes.labelsize": TEXT, "xtick.labelsize": TEXT, "ytick.labelsize": TEXT, "legend.fontsize": TEXT,
        "axes.spines.top": False, "axes.spines.right": False, "axes.grid": False, "text.parse_math": False,
        "legend.frameon": False, "axes.axisbelow": True, "grid.color": LIGHT, "grid.linewidth": 0.6,
        "hatch.linewidth": 0.6,        "figure.facecolor": "white", "savefig.facecolor": "white",
    }  # fmt: skip
    with mpl.rc_context(settings):
        yield


@cache
def families() -> list[str]:
    """DejaVu Sans, and behind it those fonts of other scripts that this machine has."""
    from matplotlib import font_manager

    known = {font.name for font in font_manager.fontManager.ttflist}
    return ["DejaVu Sans", *(name for name in _FALLBACKS if name in known)]


@cache
def _glyphs() -> frozenset[int]:
    from matplotlib import font_manager
    from matplotlib.ft2font import FT2Font

    found: set[int] = set()
    for name in families():
        found |= set(FT2Font(font_manager.findfont(name)).get_charmap())
    return frozenset(found)


def drawable(text: str) -> bool:
    """Whether the fonts have every character of the text."""
    return all(ord(character) in _glyphs() for character in text)


def clean(text: str) -> str:
    """Text that the fonts can draw: a character without a glyph becomes its code point, as U+4E2D."""
    return "".join(
        character if ord(character) in _glyphs() else f"U+{ord(character):04X}"
        for character in " ".join(text.split())
    )


def wrapped(text: str, width: int, lines: int = 4) -> str:
    """Clean text in at most ``lines`` lines of ``width`` characters."""
    parts = textwrap.wrap(clean(text), width, max_lines=lines, placeholder=" \N{HORIZONTAL ELLIPSIS}")
    return "\n".join(parts)


def model_style(models: Sequence[str], model: str) -> dict[str, Any]:
    """Colour, mark and dashes of a model by its place among all."""
    place = list(models).index(model)
    return {
        "color": COLOURS[place % len(COLOURS)],
        "marker": MARKS[place % len(MARKS)],
        "linestyle": _DASHES[place % len(_DASHES)],
    }


def model_sign(models: Sequence[str], model: str) -> str:
    """A letter, or two, that stands for a model beside its marks."""
    place = list(models).index(model)
    letters = "abcdefghijklmnopqrstuvwxyz"
    more, last = divmod(place, len(letters))
    return (letters[more - 1] if more else "") + letters[last]


def shortened(text: str, width: int) -> str:
    """Clean text of at most ``width`` characters; a longer one keeps both ends."""
    text = clean(text)
    if len(text) <= width:
        return text
    head = (width - 1) // 2
    return f"{text[:head]}\N{HORIZONTAL ELLIPSIS}{text[len(text) - (width - 1 - head) :]}"


def tier_style(tier: str, place: int = 0) -> tuple[str, str, str]:
    """(colour, mark, hatch) of a tier; ``place`` sets that of an unknown one."""
    return _TIERS.get(tier, (COLOURS[place % len(COLOURS)], MARKS[place % len(MARKS)], ""))


def new(width: float, height: float) -> Any:
    """An empty figure, inches."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def legend_below(figure: Any, handles: Sequence[Any], columns: int | None = None) -> None:
    """One legend under all panels."""
    figure.legend(
        handles=list(handles), loc="outside lower center", ncols=columns or min(len(handles), 6), handletextpad=0.4,
        columnspacing=1.4,
    )  # fmt: skip


def mark(label: str, colour: str, marker: str, **more: Any) -> Any:
    """A legend entry of one mark."""
    from matplotlib.lines import Line2D

    return Line2D(
        [], [], color=colour, marker=marker, linestyle="none", markersize=6, label=clean(label), **more
    )


def swatch(label: str, colour: str, hatch: str = "") -> Any:
    """A legend entry of one colour."""
    from matplotlib.patches import Patch

    return Patch(facecolor=colour, hatch=hatch, edgecolor="white", linewidth=0, label=clean(label))


def line(label: str, colour: str = BLACK, style: Any = "--", width: float = 1.0) -> Any:
    """A legend entry of one line."""
    from matplotlib.lines import Line2D

    return Line2D([], [], color=colour, linestyle=style, linewidth=width, label=clean(label))
