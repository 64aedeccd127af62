"""OpenStreetMap extracts (.osm.pbf, .osm): entities, labels, and the area in which an extract is complete."""

from multiglobeqa.kg.osm.coverage import coverage
from multiglobeqa.kg.osm.reader import read

__all__ = ["coverage", "read"]
