"""Shared fixtures: where the public test data lies."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of public data beside the repository, or a skip."""
    path = Path(os.environ.get("MGQA_SHARED", REPOSITORY.parent / "shared"))
    if not (path / "data").is_dir():
        pytest.skip(f"no shared data at {path}; set MGQA_SHARED")
    return path
