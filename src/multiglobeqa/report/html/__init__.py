"""The HTML report: one file that needs nothing but itself.

``render(benchmark, runs)`` gives its text, ``write(path, html)`` writes it. ``with_replies(run, predictions,
questions)`` adds the raw replies to a run.
"""

from __future__ import annotations

from multiglobeqa.report.html.land import Country, country_surfaces
from multiglobeqa.report.html.page import Figure, Settings, render, write
from multiglobeqa.report.html.replies import with_replies

__all__ = ["Country", "Figure", "Settings", "country_surfaces", "render", "with_replies", "write"]
