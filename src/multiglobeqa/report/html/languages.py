"""Languages: names and directions of writing."""

from __future__ import annotations

import csv
from functools import cache
from importlib import resources


@cache
def _languages() -> dict[str, dict[str, str]]:
    text = (resources.files("multiglobeqa") / "data" / "languages.csv").read_text("utf-8")
    return {row["code"]: row for row in csv.DictReader(text.splitlines())}


def language_name(code: str) -> str:
    """English name and code: "Urdu (urd)"; the code alone where the name is not known."""
    row = _languages().get(code)
    return f"{row['name']} ({code})" if row else code
