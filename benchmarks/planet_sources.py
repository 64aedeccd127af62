"""Neighbourhoods of the embedded world, ready to be copied, and the motions of the sphere that move them."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import shapely
from numpy.typing import NDArray

from multiglobeqa.errors import InputError
from multiglobeqa.kg.store import Part, Snapshot

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Geometries = NDArray[np.object_]

FIXED: Final = frozenset({"admin", "borders"})
"""Parts that do not multiply."""
GROUP: Final = 16
"""Neighbours that move together where a part has no covered area."""
WIDEST_KM: Final = 150.0
"""A group of neighbours reaches no farther from its middle."""
SINGLE: Final = frozenset({"natural_earth_lake", "earthquake"})
STORMS: Final = ("storm", "storm_footprint")
OWN: Final = re.compile(r"wiki|image|iso_?3166|^flag$|^timezone$|^contested$|^ne_id$|^iata$", re.IGNORECASE)
"""Attributes that name the original or its country."""
SERIAL: Final = frozenset({"icao", "event_id", "geonames_id"})
"""Attributes that hold the entity's own id: the copy's."""
EARTH_KM: Final = 6371.0
_IRI: Final = re.compile(
    r"(?P<head>.*/(?:airport\.|earthquake\.|stormTrack\.\d+\.|stormFootprint\.\d+\.)?)(?P<id>[^/#]+)(?P<tail>#[^#]*|/)?"
)
_SYLLABLES: Final = [c + v for c in "bdfghjklmnprstvz" for v in "aeiou"]


@dataclass
class Source:
    """A part of the embedded world, ready to be copied.

    ``units``: for each neighbourhood its rows; ``centre``: their middles (lon, lat) in degrees, shape (n, 2);
    ``radius_km``: how far a unit reaches from its middle; ``weight``: its coordinates. ``parents``: rows of the areas
    that hold an entity, where the part holds them; ``stated``: how many areas are stated. ``labels`` stand in the
    order of the rows, those of row i from ``label_start[i]``. An IRI is ``head``, ``mark`` (empty where the id is a
    number), the number and ``tail``.
    """

    part: Part
    rows: pa.Table
    geometry: Geometries
    parents: list[list[int]]
    stated: list[int]
    labels: pa.Table
    label_row: Ints
    label_start: Ints
    units: list[Ints]
    centre: Floats
    radius_km: Floats
    attributes: pa.Table
    head: pa.Array
    mark: pa.Array
    tail: pa.Array
    weight: Ints
    storms: bool = False

    @property
    def group(self) -> str:
        """The name of the parts that its copies are written to."""
        return "extracts" if self.extract else self.part.name

    @property
    def contained(self) -> bool:
        """Whether its entities have the administrative areas of the world as parents."""
        return not self.extract and any(self.stated)

    @property
    def on_land(self) -> bool:
        """Whether entities that land outside every country are left out."""
        return not self.extract and self.part.name != "events"

    @property
    def has_admin1(self) -> bool:
        """Whether its entities name their first-level region."""
        return self.part.name in ("geonames", "cities")

    @property
    def extract(self) -> bool:
        """Whether the part moves whole."""
        return self.part.coverage is not None


def vectors(lon: Floats, lat: Floats) -> Floats:
    """Unit vectors of points in degrees, shape (n, 3)."""
    x, y = np.radians(lon), np.radians(lat)
    return np.stack([np.cos(y) * np.cos(x), np.cos(y) * np.sin(x), np.sin(y)], axis=-1)


def frames(lonlat: Floats) -> Floats:
    """East, north and up at points, as the columns of (n, 3, 3) matrices."""
    x = np.radians(lonlat[:, 0])
    zero = np.zeros_like(x)
    east = np.stack([-np.sin(x), np.cos(x), zero], axis=-1)
    up = vectors(lonlat[:, 0], lonlat[:, 1])
    return np.stack([east, np.cross(up, east), up], axis=-1)


def motions(start: Floats, end: Floats, turn: Floats) -> Floats:
    """Rotations of the sphere that take ``start`` to ``end`` and turn about it, (n, 3, 3)."""
    c, s, zero, one = np.cos(turn), np.sin(turn), np.zeros_like(turn), np.ones_like(turn)
    about = np.stack(
        [np.stack([c, -s, zero], -1), np.stack([s, c, zero], -1), np.stack([zero, zero, one], -1)], 1
    )
    return np.asarray(frames(end) @ about @ np.swapaxes(frames(start), 1, 2))


def moved(geometries: Geometries, motion: Floats, which: Ints) -> Geometries:
    """Geometries (n) under ``motion[which]``: shapes stay, coordinates are rounded as the KG's are."""
    out = geometries.copy()
    xy, owner = shapely.get_coordinates(out, return_index=True)
    turned = np.einsum("nij,nj->ni", motion[which[owner]], vectors(xy[:, 0], xy[:, 1]))
    lon, lat = (
        np.degrees(np.arctan2(turned[:, 1], turned[:, 0])),
        np.degrees(np.arcsin(np.clip(turned[:, 2], -1, 1))),
    )
    return np.asarray(shapely.set_coordinates(out, np.round(np.column_stack([lon, lat]), 7) + 0.0))


def word(number: int) -> str:
    """A word for a number, another for each: 0 is "Baba"."""
    digits = [number % len(_SYLLABLES)]
    while (number := number // len(_SYLLABLES)) or len(digits) < 2:
        digits.append(number % len(_SYLLABLES))
    return "".join(_SYLLABLES[d] for d in reversed(digits)).capitalize()


# --- sources ---


def read_sources(snapshot: Snapshot) -> list[Source]:
    """The parts of an embedded snapshot that multiply."""
    found = [_read_source(snapshot, part) for part in snapshot.parts if part.name not in FIXED]
    storms = [_storms_of(source) for source in found if source.part.name == "events"]
    for source in found:
        rows = source.rows["class"].to_pylist()
        source.units = [unit for unit in source.units if rows[unit[0]] not in STORMS]
        _measure(source)
        if not source.extract:  # where neighbours are far apart, each moves alone
            wide = source.radius_km > WIDEST_KM
            source.units = [
                u
                for unit, far in zip(source.units, wide, strict=True)
                for u in (_singles(unit) if far else [unit])
            ]
            _measure(source)
    return [*found, *storms]


def _singles(unit: Ints) -> list[Ints]:
    return [np.array([row]) for row in unit.tolist()]


def _read_source(snapshot: Snapshot, part: Part) -> Source:
    rows = pq.read_table(snapshot.path / f"{part.name}.entities.parquet")
    labels = pq.read_table(snapshot.path / f"{part.name}.labels.parquet")
    at = {iri: row for row, iri in enumerate(rows["iri"].to_pylist())}
    label_row = np.array([at[iri] for iri in labels["iri"].to_pylist()], dtype=np.int64)
    order = np.argsort(label_row, kind="stable")
    labels, label_row = labels.take(pa.array(order)), label_row[order]
    wkb = rows["geometry"].to_numpy()
    classes = rows["class"].to_pylist()
    if part.coverage is not None:
        units = [np.arange(rows.num_rows)]
    elif set(classes) & (SINGLE | set(STORMS)):
        units = [np.array([row]) for row in range(rows.num_rows)]
    else:
        units = np.array_split(np.arange(rows.num_rows), max(1, rows.num_rows // GROUP))
    source = Source(
        part=part,
        rows=rows,
        geometry=np.asarray(shapely.from_wkb(wkb), dtype=object),
        parents=[[at[iri] for iri in admin if iri in at] for admin in rows["admin"].to_pylist()],
        stated=pc.list_value_length(rows["admin"]).to_pylist(),
        labels=labels,
        label_row=label_row,
        label_start=np.searchsorted(label_row, np.arange(rows.num_rows + 1)),
        units=units,
        weight=np.empty(0, np.int64),
        centre=np.empty((0, 2)),
        radius_km=np.empty(0),
        attributes=_attributes(rows["attributes"].to_pylist()),
        **_iri_parts(rows["iri"].to_pylist()),
    )
    _demote(source)
    return source


def _measure(source: Source) -> None:
    """Set middles, reaches and coordinates of the units."""
    boxes = shapely.bounds(source.geometry)
    coordinates = np.maximum(shapely.get_num_coordinates(source.geometry), 8)
    source.weight = np.array([coordinates[unit].sum() for unit in source.units], dtype=np.int64)
    centres, reaches = [], []
    for unit in source.units:
        west, south = boxes[unit, :2].min(axis=0)
        east, north = boxes[unit, 2:].max(axis=0)
        if source.part.coverage is not None:
            west, south, east, north = shapely.bounds(
                shapely.union(shapely.from_wkt(source.part.coverage), shapely.box(west, south, east, north))
            )
        middle = vectors(np.array([(west + east) / 2]), np.array([(south + north) / 2]))
        corners = vectors(np.array([west, west, east, east]), np.array([south, north, south, north]))
        centres.append(((west + east) / 2, (south + north) / 2))
        reaches.append(EARTH_KM * float(np.arccos(np.clip(corners @ middle[0], -1, 1)).max()))
    source.centre, source.radius_km = np.array(centres).reshape(-1, 2), np.array(reaches)


def _storms_of(source: Source) -> Source:
    """Storms with their footprints as a source of their own: they move along their parallel."""
    rows = source.rows.select(["iri", "class", "attributes"]).to_pylist()
    at = {row["iri"]: number for number, row in enumerate(rows)}
    pairs: dict[int, list[int]] = {n: [n] for n, row in enumerate(rows) if row["class"] == "storm"}
    for number, row in enumerate(rows):
        track = json.loads(row["attributes"]).get("track") if row["class"] == "storm_footprint" else None
        if track in at:
            pairs[at[track]].append(number)
    storms = Source(**{**source.__dict__, "units": [np.array(p) for p in pairs.values()], "storms": True})
    _measure(storms)
    return storms


def _demote(source: Source) -> None:
    """A copied country is a region: there are no more countries than there are."""
    level = source.rows["level"].to_pylist()
    if source.part.coverage is None or 2 not in level:
        return
    text = source.attributes["after"].to_pylist()
    for row in [row for row, value in enumerate(level) if value == 2]:
        level[row] = 4
        text[row] = str(text[row]).replace('"admin_level":"2"', '"admin_level":"4"')
    place = source.rows.schema.get_field_index("level")
    source.rows = source.rows.set_column(place, "level", pa.array(level, pa.int8()))
    source.attributes = source.attributes.set_column(3, "after", pa.array(text, pa.string()))


def _attributes(texts: list[str]) -> pa.Table:
    """What comes before the own id in the JSON, what stands around it, and what comes after; null where empty."""
    found: dict[str, list[str | None]] = {name: [] for name in ("before", "key", "close", "after")}
    for text in texts:
        kept = {
            k: v for k, v in json.loads(text).items() if not OWN.search(k) and k not in ("admin1", "track")
        }
        own = next((k for k in sorted(kept) if k in SERIAL), None)
        pieces = {
            k: json.dumps({k: kept[k]}, ensure_ascii=False, separators=(",", ":"))[1:-1] for k in sorted(kept)
        }
        quote = '"' if own is not None and isinstance(kept[own], str) else ""
        found["before"].append(",".join(p for k, p in pieces.items() if own is not None and k < own) or None)
        found["key"].append(None if own is None else f'"{own}":{quote}')
        found["close"].append(None if own is None else quote)
        found["after"].append(",".join(p for k, p in pieces.items() if own is None or k > own) or None)
    return pa.table({name: pa.array(values, pa.string()) for name, values in found.items()})


def _iri_parts(iris: list[str]) -> dict[str, pa.Array]:
    """What stands before and after the own id of IRIs, and a letter for ids that are no numbers."""
    found: dict[str, list[str]] = {"head": [], "mark": [], "tail": []}
    for iri in iris:
        match = _IRI.fullmatch(iri)
        if match is None:
            raise InputError(f"has an IRI whose id is not known: {iri}.", source="the embedded world")
        found["head"].append(match["head"])
        found["mark"].append("" if match["id"].isdecimal() else "S")
        found["tail"].append(match["tail"] or "")
    return {name: pa.array(values, pa.string()) for name, values in found.items()}
