"""The world map of question sites, as one inline SVG.

Projection: Equal Earth (Savric, Patterson, Jenny 2018; EPSG:8857), central meridian 0, through PROJ. Surfaces
are stored cut at longitude 180, so nothing crosses the map's edge; sites in Fiji or Chukotka stand at the
edge on which their own longitude lies.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pyproj
import shapely

PROJECTION = "+proj=eqearth +lon_0=0 +datum=WGS84 +over"
WIDTH = 2000
"""Width of the map in its own units; the height follows from the projection."""
_MARGIN = 12
_DENSIFY_DEG = 2.0
_TOLERANCE = 0.9
"""Douglas-Peucker tolerance of the outlines, in map units."""
_MIN_AREA = 2.0
"""Parts of a country smaller than this many square map units are not drawn."""
_RADIUS = {"circle": 8, "square": 7, "diamond": 10, "triangle": 10, "cross": 7}


@dataclass(frozen=True)
class Layer:
    """Sites that share a mark: longitudes and latitudes in degrees, a shape and the CSS class of the path."""

    label: str
    shape: str
    css: str
    lon: np.ndarray
    lat: np.ndarray


class Plane:
    """Longitude, latitude in degrees to map units: x to the right, y downwards."""

    def __init__(self) -> None:
        self._transform = pyproj.Transformer.from_crs("EPSG:4326", PROJECTION, always_xy=True).transform
        half, _ = self._transform(180.0, 0.0)
        _, top = self._transform(0.0, 90.0)
        self._scale = (WIDTH / 2 - _MARGIN) / half
        self._top = top
        self.height = round(2 * top * self._scale + 2 * _MARGIN)

    def project(self, coordinates: np.ndarray) -> np.ndarray:
        """(n, 2) array of longitude, latitude in degrees to an (n, 2) array of map units."""
        x, y = self._transform(coordinates[:, 0], coordinates[:, 1])
        return np.column_stack(
            (np.asarray(x) * self._scale + WIDTH / 2, self.height / 2 - np.asarray(y) * self._scale)
        )

    def sphere(self) -> shapely.Polygon:
        """The outline of the whole map."""
        lat = np.arange(-90, 91, 2.0)
        edge = np.column_stack((np.full_like(lat, 180.0), lat))
        ring = np.vstack((edge, (edge * (-1, 1))[::-1]))
        return shapely.Polygon(self.project(ring))


def world_map(countries: Sequence[bytes], layers: Sequence[Layer]) -> dict[str, object]:
    """Path data for the map: ``width``, ``height``, ``sphere``, ``graticule``, ``land``, ``sites``.

    Parameters
    ----------
    countries : WKB surfaces, longitude latitude, cut at longitude 180.
    layers : drawn in the given order. Sites that fall on the same map unit are drawn once.
    """
    plane = Plane()
    return {
        "width": WIDTH,
        "height": plane.height,
        "sphere": _rings([plane.sphere()]),
        "graticule": _graticule(plane),
        "land": _land(plane, countries),
        "sites": [
            {"label": layer.label, "css": layer.css, "count": len(layer.lon), "path": _marks(plane, layer)}
            for layer in layers
        ],
    }


def country_paths(plane: Plane, surfaces: Sequence[bytes]) -> list[tuple[str, int, int, float]]:
    """For each surface (WKB): path data, a point inside its largest part, and its area, in map units.

    Neighbours keep one common border (the surfaces are thinned as a coverage). Parts too small to be drawn are left
    out, but a surface of only such parts is a small square.
    """
    whole = shapely.transform(
        shapely.segmentize(shapely.from_wkb(list(surfaces)), _DENSIFY_DEG), plane.project
    )
    result = []
    for surface, thin in zip(whole, shapely.coverage_simplify(whole, _TOLERANCE), strict=True):
        parts = shapely.get_parts(surface)
        inside = shapely.point_on_surface(parts[int(np.argmax(shapely.area(parts)))])
        x, y = round(inside.x), round(inside.y)
        drawn = shapely.get_parts(thin)
        path = _rings(drawn[shapely.area(drawn) >= _MIN_AREA], 10) or f"M{x - 1} {y - 1}h2v2h-2z"
        result.append((path, x, y, float(shapely.area(surface))))
    return result


def mark(shape: str, x: int, y: int) -> str:
    """SVG path data of one mark centred at x, y."""
    r = _RADIUS[shape]
    match shape:
        case "circle":
            return f"M{x - r} {y}a{r} {r} 0 1 0 {2 * r} 0a{r} {r} 0 1 0 {-2 * r} 0z"
        case "square":
            return f"M{x - r} {y - r}h{2 * r}v{2 * r}h{-2 * r}z"
        case "diamond":
            return f"M{x} {y - r}l{r} {r}l{-r} {r}l{-r} {-r}z"
        case "triangle":
            return f"M{x} {y - r}l{r} {2 * r - 2}h{-2 * r}z"
        case _:
            return f"M{x - r} {y - r}l{2 * r} {2 * r}m0 {-2 * r}l{-2 * r} {2 * r}"


def _marks(plane: Plane, layer: Layer) -> str:
    if not len(layer.lon):
        return ""
    points = np.rint(plane.project(np.column_stack((layer.lon, layer.lat)))).astype(int)
    return "".join(mark(layer.shape, int(x), int(y)) for x, y in np.unique(points, axis=0))


def _land(plane: Plane, countries: Sequence[bytes]) -> str:
    geometries = shapely.segmentize(shapely.from_wkb(list(countries)), _DENSIFY_DEG)
    parts = shapely.get_parts(shapely.transform(geometries, plane.project))
    parts = shapely.simplify(parts[shapely.area(parts) >= _MIN_AREA], _TOLERANCE, preserve_topology=True)
    return _rings(shapely.get_parts(parts))


def _rings(polygons: Iterable[shapely.Polygon], parts: int = 1) -> str:
    """Path data of the rings of polygons with relative moves, in map units rounded to one in ``parts``."""

    def text(number: int) -> str:
        return f"{number / parts:g}" if parts > 1 else str(number)

    out = []
    for polygon in polygons:
        for ring in (polygon.exterior, *polygon.interiors):
            points = np.rint(shapely.get_coordinates(ring) * parts).astype(int)
            points = points[np.r_[True, np.any(np.diff(points, axis=0) != 0, axis=1)]]
            if len(points) < 4:
                continue
            moves = np.diff(points[:-1], axis=0)
            out.append(
                f"M{text(points[0, 0])} {text(points[0, 1])}l"
                + " ".join(f"{text(x)} {text(y)}" for x, y in moves.tolist())
                + "z"
            )
    return "".join(out)


def _graticule(plane: Plane) -> str:
    """Meridians and parallels every 30 degrees."""
    lat = np.arange(-90, 91, 5.0)
    meridians = [np.column_stack((np.full_like(lat, lon), lat)) for lon in range(-150, 180, 30)]
    parallels = [np.array([[-180.0, degree], [180.0, degree]]) for degree in range(-60, 90, 30)]
    return "".join(_line(plane.project(line)) for line in (*meridians, *parallels))


def _line(points: np.ndarray) -> str:
    whole = np.rint(points).astype(int)
    return f"M{whole[0, 0]} {whole[0, 1]}L" + " ".join(f"{x} {y}" for x, y in whole[1:].tolist())
