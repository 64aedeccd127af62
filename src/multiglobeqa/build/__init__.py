"""Entities and templates in, verified questions out."""

from __future__ import annotations

from multiglobeqa.build.pipeline import BuildConfig, BuildResult, build, embedded_snapshots
from multiglobeqa.build.verify import VerifyResult, verify

__all__ = ["BuildConfig", "BuildResult", "VerifyResult", "build", "embedded_snapshots", "verify"]
