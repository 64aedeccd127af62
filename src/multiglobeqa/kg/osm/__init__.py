"""OpenStreetMap extracts (.osm.pbf, .osm): entities, labels, and the area in which an extract is complete."""

from multiglobeqa.kg.osm.coverage import coverage
from multiglobeqa.kg.osm.nations import national_surfaces
from multiglobeqa.kg.osm.reader import read

__all__ = ["coverage", "national_surfaces", "read"]
