"""Publishing a benchmark as a dataset folder, and taking in other benchmarks."""

from __future__ import annotations

from multiglobeqa.release.folder import Released, ReleaseConfig, release

__all__ = ["ReleaseConfig", "Released", "release"]
