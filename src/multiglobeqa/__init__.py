"""MultiGlobeQA: make and score a multilingual, globally balanced benchmark of geospatial reasoning."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from multiglobeqa.evaluate.reward import reward, rewards
    from multiglobeqa.scorer import score

__all__ = ["__version__", "reward", "rewards", "score"]

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """``score``, ``reward`` and ``rewards``, loaded when they are first asked for."""
    if name == "score":
        from multiglobeqa.scorer import score

        return score
    if name in ("reward", "rewards"):
        from multiglobeqa.evaluate import reward as module

        return getattr(module, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
