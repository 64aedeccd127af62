"""Metrics of scored runs: exact rates by any group, intervals, comparisons, costs. See docs/metrics.md."""

from __future__ import annotations

from multiglobeqa.report.metrics.groups import Grouping, grouped
from multiglobeqa.report.metrics.join import DEFAULTS, GROUPS, JOINED, completed, joined, with_defaults
from multiglobeqa.report.metrics.measures import METRICS, MISSING, STATUSES, Metric, metric_of
from multiglobeqa.report.metrics.rows import Rows, rows_of, summarize, tabulate
from multiglobeqa.report.metrics.scores import Counts, Scores, merged

__all__ = [
    "DEFAULTS",
    "GROUPS",
    "JOINED",
    "METRICS",
    "MISSING",
    "STATUSES",
    "Counts",
    "Grouping",
    "Metric",
    "Rows",
    "Scores",
    "completed",
    "grouped",
    "joined",
    "merged",
    "metric_of",
    "rows_of",
    "summarize",
    "tabulate",
    "with_defaults",
]
