"""Whether the direction in which a waterway is drawn tells its flow (OpenStreetMap draws streams downstream)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from multiglobeqa.geo.stream import one_way

FLOWING: Final = ("river", "stream")
"""Canals may stand still or run either way; their direction says nothing."""
UNCLEAR: Final = "osm_flow_unclear"
"""The attribute that marks waterways whose flow cannot be told."""


def is_told(attributes: Mapping[str, Any], line: Any) -> bool:
    """Whether a waterway, by its tags and marks and by how its ways meet, shows which way it flows."""
    return (
        attributes.get("waterway") in FLOWING
        and attributes.get("flow_direction") in (None, "forward")
        and not attributes.get("osm_overlap")
        and not attributes.get(UNCLEAR)
        and bool(one_way([line])[0])
    )
