"""The figures as PNG and SVG, with matplotlib (the optional group ``figures``). Equal input gives equal bytes."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from multiglobeqa.kg.store import replacing
from multiglobeqa.report.stats.maps import CELL, Density, Floats, Sites
from multiglobeqa.report.stats.table import Table
from multiglobeqa.report.worldmap import WIDTH, Plane

DPI: Final = 200
TIERS: Final = (
    ("HIC", "#0072b2", "o"), ("UMC", "#56b4e9", "D"), ("LMC", "#e69f00", "s"), ("LIC", "#d55e00", "^"),
    ("", "#4d4d4d", "x"),
)  # fmt: skip
"""Income tier, colour (told apart by the colour-blind too) and mark."""
_STYLE: Final[Any] = {"svg.hashsalt": "multiglobeqa", "font.family": "DejaVu Sans", "font.size": 9}


def available() -> bool:
    """Whether matplotlib is installed."""
    return importlib.util.find_spec("matplotlib") is not None


def write_figures(
    directory: Path, maps: Sequence[Density], found: Sites, formats: Table, countries: Sequence[Floats]
) -> list[Path]:
    """Write figures 4 (one file a KG), 5 and 6 as NAME.png and NAME.svg. ``countries``: rings of `maps.outlines`."""
    import matplotlib as mpl

    written: list[Path] = []
    with mpl.rc_context(_STYLE):
        for each in maps:
            written += _save(directory / f"figure4_density_{each.kg}", _density(each, countries))
        written += _save(directory / "figure5_sites", _sites(found, countries))
        written += _save(directory / "figure6_formats", _formats(formats))
    return written


def _save(stem: Path, figure: Any) -> list[Path]:
    written = []
    for suffix, metadata in (("png", {"Software": None}), ("svg", {"Date": None})):
        path = stem.with_name(f"{stem.name}.{suffix}")
        with replacing(path) as temporary:
            figure.savefig(temporary, format=suffix, dpi=DPI, metadata=metadata)
        written.append(path)
    return written


def _map(countries: Sequence[Floats], title: str) -> tuple[Any, Any]:
    """A figure with the world's land, in map units."""
    from matplotlib.collections import PathCollection
    from matplotlib.figure import Figure
    from matplotlib.patches import Polygon
    from matplotlib.path import Path as Outline

    plane = Plane()
    figure = Figure(figsize=(8, 8 * plane.height / WIDTH + 0.7), layout="constrained")
    axes = figure.add_subplot()
    rim = np.asarray(plane.sphere().exterior.coords)
    axes.add_patch(Polygon(rim, facecolor="#eef3f7", edgecolor="#d0d7de", linewidth=0.5))
    if countries:
        land = Outline.make_compound_path(*(Outline(ring, closed=True) for ring in countries))
        axes.add_collection(PathCollection([land], facecolor="#d3d9dc", edgecolor="#ffffff", linewidth=0.2))
    axes.set(xlim=(0, WIDTH), ylim=(plane.height, 0), aspect="equal", title=title)
    axes.axis("off")
    return figure, axes


def _density(each: Density, countries: Sequence[Floats]) -> Any:
    from matplotlib.colors import LogNorm

    figure, axes = _map(countries, f"{each.kg}: {each.geometries:,} geometries")
    rows, columns = each.counts.shape
    shown = np.ma.masked_equal(each.counts, 0)
    top = max(int(each.counts.max()), 2)
    image = axes.imshow(
        shown, norm=LogNorm(1, top), cmap="viridis", interpolation="nearest", zorder=3,
        extent=(0, columns * CELL, rows * CELL, 0),
    )  # fmt: skip
    axes.set(xlim=(0, WIDTH), ylim=(Plane().height, 0))
    figure.colorbar(image, ax=axes, location="bottom", shrink=0.5, aspect=40, label="geometries a cell")
    return figure


def _sites(found: Sites, countries: Sequence[Floats]) -> Any:
    figure, axes = _map(countries, f"{len(found.lon):,} sites in {found.countries:,} countries")
    points = Plane().project(np.column_stack((found.lon, found.lat)))
    known = [tier for tier, _, _ in TIERS if tier]
    for order, (tier, colour, mark) in enumerate(TIERS):
        mine = found.income == tier if tier else ~np.isin(found.income, known)
        if not mine.any():
            continue
        label = f"{tier or 'no tier'} ({int(mine.sum()):,})"
        axes.scatter(
            points[mine, 0], points[mine, 1], s=3, c=colour, marker=mark, linewidths=0.3 if mark == "x" else 0,
            label=label, zorder=4 + order, rasterized=True,
        )  # fmt: skip
    if len(found.lon):
        figure.legend(loc="outside lower center", ncols=len(TIERS), markerscale=3, frameon=False, fontsize=8)
    return figure


def _formats(table: Table) -> Any:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.5, 4), layout="constrained")
    axes = figure.add_subplot()
    names, counts = [row[0] for row in table.rows], [row[1] for row in table.rows]
    bars = axes.barh(names[::-1], counts[::-1], color="#0072b2")
    axes.bar_label(bars, labels=[f"{count:,}" for count in counts[::-1]], padding=3, fontsize=8)
    axes.set(xlabel="questions", title=f"{sum(counts):,} questions by answer format")
    axes.margins(x=0.12)
    axes.spines[["top", "right"]].set_visible(False)
    return figure
