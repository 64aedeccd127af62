"""MultiGlobeQA: make and score a multilingual, globally balanced benchmark of geospatial reasoning."""

from __future__ import annotations

__version__ = "0.1.0"
