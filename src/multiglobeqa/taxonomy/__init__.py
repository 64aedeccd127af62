"""The question templates as data: one YAML and one SQL file a template, a folder a family."""

from __future__ import annotations

from multiglobeqa.taxonomy.load import load, load_file
from multiglobeqa.taxonomy.model import FAMILIES, Step, SubTemplate

__all__ = ["FAMILIES", "Step", "SubTemplate", "load", "load_file"]
