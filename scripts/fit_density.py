"""Fit the two thresholds of the embedded density table so that its tiers agree best with a real raster's.

    python scripts/fit_density.py RASTER.tif --source "GPW v4.11, 2020" [--write]

The raster's tiers come from its own 33rd and 67th percentile. Agreement is the share of cells, among those
with people in the raster or a row in the table, that get the same tier from both (an absent cell is low).
The search is exact: every pair of thresholds that can change the result is tried.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

from multiglobeqa.kg import density
from multiglobeqa.kg.schema import DENSITY_TIERS

FOLDER = Path(__file__).resolve().parents[1] / "src" / "multiglobeqa" / "data" / "strata"


def fit(values: np.ndarray, tiers: np.ndarray) -> tuple[float, float, float]:
    """Lower threshold, upper threshold and agreement.

    ``values``: densities by the table, 0 where absent; ``tiers``: 0, 1, 2 by the raster. Thresholds are
    rounded to three decimals; ties go to the smaller thresholds.
    """
    edges = np.unique(np.round(values, 3))
    bins = np.searchsorted(edges, np.round(values, 3))
    counts = np.stack([np.bincount(bins[tiers == k], minlength=len(edges)) for k in range(3)])
    below = np.concatenate([np.zeros((3, 1), dtype=int), counts.cumsum(axis=1)], axis=1)  # cells under edge i
    # same tier = low under i + medium in [i, j) + high from j on
    first = below[0] - below[1]
    second = below[1] - below[2]
    best_first = np.maximum.accumulate(first)
    j = int(np.argmax(best_first + second))
    i = int(np.argmax(first[: j + 1]))
    same = first[i] + second[j] + below[2, -1]
    return float(edges[i]), float(edges[j]), float(same) / len(values)


def main() -> None:
    """Fit, print, and with --write store the thresholds in the package's data."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("raster", type=Path)
    parser.add_argument("--source", required=True, help="name and year of the raster's data")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    raster = density.from_raster(arguments.raster)
    cells, values = density.read_table(FOLDER / "density.csv")
    union = np.union1d(cells, raster.cells)
    table = density.DensityTable(cells, values, (0.0, 0.0), "")
    real = density.tiers_of(raster.of_cells(union), raster.thresholds)
    tiers = np.searchsorted(np.arange(3), [DENSITY_TIERS.index(t) for t in real])
    estimate = np.nan_to_num(table.of_cells(union), nan=0.0)
    lower, upper, agreement = fit(estimate, tiers)
    common = np.isin(union, cells) & np.isin(union, raster.cells)
    got = density.tiers_of(estimate, (lower, upper))
    content = {
        "lower": lower,
        "upper": upper,
        "source": "GeoNames places and country populations (2024-01-25)",
        "fitted_to": arguments.source,
        "raster_thresholds": [round(t, 3) for t in raster.thresholds],
        "cells": len(union),
        "agreement": round(agreement, 4),
        "cells_in_both": int(common.sum()),
        "agreement_in_both": round(float((got == real)[common].mean()), 4),
    }
    print(json.dumps(content, indent=1))
    if arguments.write:
        (FOLDER / "density_thresholds.json").write_text(json.dumps(content, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
