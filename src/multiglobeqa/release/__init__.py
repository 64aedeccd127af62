"""Publishing a benchmark as a dataset folder, and taking in other benchmarks."""

from __future__ import annotations

from multiglobeqa.release.folder import ReleaseConfig, Released, release
from multiglobeqa.release.importing import Imported, import_benchmark

__all__ = ["Imported", "ReleaseConfig", "Released", "import_benchmark", "release"]
