"""The statistics of a benchmark: tables and figures, all counted from its questions and its KG snapshots."""

from __future__ import annotations

from multiglobeqa.report.stats.collect import Statistics, collect, write
from multiglobeqa.report.stats.questions import Questions, read
from multiglobeqa.report.stats.table import Table
from multiglobeqa.report.stats.world import World, open_world

__all__ = ["Questions", "Statistics", "Table", "World", "collect", "open_world", "read", "write"]
