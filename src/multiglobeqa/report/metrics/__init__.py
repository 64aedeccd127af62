"""Metrics of scored runs: exact rates by any group, intervals, comparisons, costs. See docs/metrics.md."""

from __future__ import annotations

from multiglobeqa.report.metrics.baseline import Flag, above, majority_table
from multiglobeqa.report.metrics.comparison import Comparison, corrected
from multiglobeqa.report.metrics.costs import Costs, costs
from multiglobeqa.report.metrics.difficulty import (
    Correlation,
    difficulty,
    difficulty_agreement,
    refusal_against_difficulty,
    spearman,
)
from multiglobeqa.report.metrics.evidence import GoldTriples, gold_triples
from multiglobeqa.report.metrics.groups import Grouping, grouped
from multiglobeqa.report.metrics.intervals import Interval, intervals
from multiglobeqa.report.metrics.join import DEFAULTS, GROUPS, JOINED, completed, joined, with_defaults
from multiglobeqa.report.metrics.languages import LanguageDelta, Ranked, language_deltas, language_ranking
from multiglobeqa.report.metrics.means import Means, aggregate, means
from multiglobeqa.report.metrics.measures import METRICS, MISSING, STATUSES, Metric, metric_of
from multiglobeqa.report.metrics.paired import compare, compare_all
from multiglobeqa.report.metrics.resample import wilson
from multiglobeqa.report.metrics.rows import Rows, rows_of, summarize, tabulate
from multiglobeqa.report.metrics.scores import Counts, Scores, merged
from multiglobeqa.report.metrics.seeds import SeedMean, over_seeds, sample_sd
from multiglobeqa.report.metrics.significance import Options, detectable, holm, mcnemar
from multiglobeqa.report.metrics.splits import SplitRow, representativeness
from multiglobeqa.report.metrics.standard import Standardised, family_mix, standardised

__all__ = [
    "DEFAULTS",
    "GROUPS",
    "JOINED",
    "METRICS",
    "MISSING",
    "STATUSES",
    "Comparison",
    "Correlation",
    "Costs",
    "Counts",
    "Flag",
    "GoldTriples",
    "Grouping",
    "Interval",
    "LanguageDelta",
    "Means",
    "Metric",
    "Options",
    "Ranked",
    "Rows",
    "Scores",
    "SeedMean",
    "SplitRow",
    "Standardised",
    "above",
    "aggregate",
    "compare",
    "compare_all",
    "completed",
    "corrected",
    "costs",
    "detectable",
    "difficulty",
    "difficulty_agreement",
    "family_mix",
    "gold_triples",
    "grouped",
    "holm",
    "intervals",
    "joined",
    "language_deltas",
    "language_ranking",
    "majority_table",
    "mcnemar",
    "means",
    "merged",
    "metric_of",
    "over_seeds",
    "refusal_against_difficulty",
    "representativeness",
    "rows_of",
    "sample_sd",
    "spearman",
    "standardised",
    "summarize",
    "tabulate",
    "wilson",
    "with_defaults",
]
