"""A short fuzz of every run; ``fuzz.py`` beside it is the long one."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

from multiglobeqa import answers


def load() -> Any:
    spec = importlib.util.spec_from_file_location("answers_fuzz", Path(__file__).with_name("fuzz.py"))
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_no_text_raises_in_any_format_or_language() -> None:
    fuzz = load()
    seen, faults = fuzz.run(6000, 7)
    assert faults == []
    assert seen["answered"] > 500 and seen["declined"] > 100 and seen["unparseable"] > 500


def test_the_fuzz_finds_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    """A parser that lets NaN through, and one that raises, are reported."""
    fuzz = load()
    monkeypatch.setattr(type(answers.get("count")), "parse", lambda *_: float("nan"))
    monkeypatch.setattr(type(answers.get("date")), "parse", lambda *_: [][1])
    _, faults = fuzz.run(200, 7)
    assert {fault.split(":")[0] for fault in faults} == {"count", "date"}
