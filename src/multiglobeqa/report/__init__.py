"""Tables and the HTML page of a benchmark, its scores and its snapshots."""

from __future__ import annotations

from multiglobeqa.report.benchmark import Benchmark, BuildInfo, open_benchmark
from multiglobeqa.report.html import country_surfaces, render, write
from multiglobeqa.report.matrix import Matrix, cause_letters, matrices, stratum_label
from multiglobeqa.report.scores import Run, read_run
from multiglobeqa.report.snapshots import SnapshotSummary, entity_counts, summarize
from multiglobeqa.report.values import answer_text, percent, words

__all__ = [
    "Benchmark",
    "BuildInfo",
    "Matrix",
    "Run",
    "SnapshotSummary",
    "answer_text",
    "cause_letters",
    "country_surfaces",
    "entity_counts",
    "matrices",
    "open_benchmark",
    "percent",
    "read_run",
    "render",
    "stratum_label",
    "summarize",
    "words",
    "write",
]
