"""When a storm's tropical-storm-force winds first reach a surface (TAXONOMY, family I).

The position moves along the geodesic between two fixes and the radius, half the 34-knot diameter, changes
evenly along the way; the stretches are those of the swept area (``kg.swept``). Stretches whose ends are too far
from the surface are left out; the others are looked at every STEP_KM.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, Final, Self

import numpy as np
import pyarrow as pa
import shapely
from numpy.typing import NDArray

from multiglobeqa.engine.contract import Engine, Geometries, Ids
from multiglobeqa.errors import EngineError, GeometryError
from multiglobeqa.geo.distance import checked_objects, destination, distance_km, pair_distance_km
from multiglobeqa.geo.ellipsoid import GEOD
from multiglobeqa.kg.swept import DISC_POINTS, NAUTICAL_MILE_KM, Fix, lone_fixes, stretches, swept_plane

Floats = NDArray[np.float64]

STEP_KM: Final = 2.0
COARSE_POINTS: Final = 72
PAIRS_AT_ONCE: Final = 1000
MARGIN: Final = 0.05
"""Share by which the radius is made wider and narrower to see whether an answer hangs on it."""
LEAST_MARGIN_KM: Final = 1.0
"""And at least by this: outlines of the world's maps are simplified at 0.9 km."""


@dataclass(frozen=True)
class Track:
    """A storm's fixes and the stretches with known winds, times in seconds since 1970 (UTC).

    ``time, lon, lat, radius`` (fixes,), radius in km, NaN where not known; ``first, last`` (stretches,) the rows
    of a stretch's two fixes, alike for a fix that stands alone.
    """

    time: Floats
    lon: Floats
    lat: Floats
    radius: Floats
    first: Ids
    last: Ids

    @classmethod
    def of(cls, fixes: Sequence[Fix]) -> Self:
        """A track from the attribute ``fixes``, ordered by time."""
        rows = {id(fix): k for k, fix in enumerate(fixes)}
        legs = [(rows[id(a)], rows[id(b)]) for a, b in stretches(fixes)]
        legs = sorted(legs + [(rows[id(f)], rows[id(f)]) for f in lone_fixes(fixes)])
        ends = np.array(legs, dtype=np.int64).reshape(-1, 2)
        return cls(
            np.array([datetime.fromisoformat(f[0]).timestamp() for f in fixes]),
            np.array([float(f[1]) for f in fixes]),
            np.array([float(f[2]) for f in fixes]),
            np.array([np.nan if f[3] is None else float(f[3]) / 2 * NAUTICAL_MILE_KM for f in fixes]),
            ends[:, 0],
            ends[:, 1],
        )

    @property
    def greatest_km(self) -> float:
        """The largest radius; 0 where no fix has winds."""
        return float(np.nanmax(self.radius, initial=0.0)) if len(self.radius) else 0.0

    @cached_property
    def leg_km(self) -> Floats:
        """Lengths of the stretches, (stretches,)."""
        a, b = self.first, self.last
        return distance_km(self.lon[a], self.lat[a], self.lon[b], self.lat[b])

    def along(self, leg: int) -> tuple[Floats, Floats, Floats, Floats]:
        """Longitude, latitude, radius (km), time at steps of at most STEP_KM on a stretch, its ends included."""
        a, b = int(self.first[leg]), int(self.last[leg])
        azimuth, _, metres = GEOD.inv(self.lon[a], self.lat[a], self.lon[b], self.lat[b])
        change = abs(self.radius[b] - self.radius[a])
        steps = int(np.ceil((metres / 1e3 + change) / STEP_KM))
        share = np.linspace(0.0, 1.0, steps + 1) if a != b else np.zeros(1)
        lon, lat = destination(self.lon[a], self.lat[a], azimuth, metres / 1e3 * share)
        radius = self.radius[a] + (self.radius[b] - self.radius[a]) * share
        return lon, lat, radius, self.time[a] + (self.time[b] - self.time[a]) * share


@dataclass
class Contact:
    """What is known of one storm and one surface; times NaN where there is no contact.

    ``contact`` the first contact, ``wider`` and ``narrower`` the same with the radius changed by MARGIN
    and at least LEAST_MARGIN_KM;
    ``from_fix`` the fix before the wider winds' contact and ``to_fix`` the one after the narrower winds'.
    """

    contact: float = np.nan
    wider: float = np.nan
    narrower: float = np.nan
    from_fix: float = np.nan
    to_fix: float = np.nan


def tracks_of(engine: Engine, ids: Ids) -> dict[int, Track]:
    """The tracks of storms by id; EngineError for an entity without fixes."""
    return {i: Track.of(_fixes(row)) for i, row in zip(ids.tolist(), engine.rows(ids), strict=True)}


def measures(engine: Engine, ids: Ids, name: str, factor: float = 1.0) -> NDArray[Any]:
    """Measures of storms, (ids,): ``swept_km2``, the area swept with the radii times ``factor`` (0 without winds, NaN
    where a disc reaches a pole), or ``winds_complete``, whether every fix has a diameter.

    Areas at another factor than 1 are of discs of COARSE_POINTS vertices, 0.13 % less. EngineError for an entity
    without fixes.
    """
    rows = [_fixes(row) for row in engine.rows(ids)]
    if name == "winds_complete":
        return np.array([all(fix[3] is not None for fix in fixes) for fixes in rows], dtype=bool)
    return np.array([_swept_km2(fixes, factor) for fixes in rows], dtype=float)


def _swept_km2(fixes: list[Fix], factor: float) -> float:
    points = DISC_POINTS if factor == 1 else COARSE_POINTS
    try:
        plane = swept_plane(fixes, points=points, factor=factor)
    except GeometryError:
        return float("nan")
    return 0.0 if plane is None else float(shapely.area(plane)) / 1e6


def _fixes(row: dict[str, Any]) -> list[Fix]:
    found: list[Fix] | None = json.loads(row["attributes"]).get("fixes")
    if not found:
        raise EngineError(f"entity {row['iri']} has no fixes; only storm tracks have winds.")
    return found


def winds(engine: Engine, left: Ids, right: Ids) -> dict[str, Any]:
    """Columns of the measure ``winds`` for pairs of storm and surface; see ``relations.pair``."""
    by_id = tracks_of(engine, np.unique(left))
    tracks = [by_id[i] for i in left.tolist()]
    surfaces = engine.geometries(right)
    near = _near_fixes(tracks, surfaces)
    contacts = _contacts(tracks, surfaces, near)
    times = {name: [getattr(c, name) for c in contacts] for name in Contact.__dataclass_fields__}
    times["start"] = [float(t.time[0]) for t in tracks]
    times["first_inside"] = [
        float(t.time[km == 0].min(initial=np.inf)) for t, km in zip(tracks, near, strict=True)
    ]
    known = [_known(t, c) for t, c in zip(tracks, contacts, strict=True)]
    return {name: pa.array(map(_text, values), pa.string()) for name, values in times.items()} | {
        "known": pa.array(known, pa.bool_()),
        "complete": pa.array([bool(np.isfinite(t.radius).all()) for t in tracks], pa.bool_()),
        "greatest_km": pa.array([t.greatest_km for t in tracks], pa.float64()),
    }


def _near_fixes(tracks: list[Track], surfaces: Geometries) -> list[Floats]:
    """Distance of each fix of each pair's track to its surface; beyond reach of the winds some number above it."""
    sizes = np.array([len(t.time) for t in tracks], dtype=np.int64)
    if not len(sizes):
        return []
    points = {id(t): shapely.points(t.lon, t.lat) for t in tracks}
    ua, ia = checked_objects(np.concatenate([points[id(t)] for t in tracks]))
    ub, ib = checked_objects(surfaces)
    most = [
        (1 + MARGIN) * t.greatest_km + LEAST_MARGIN_KM + float(t.leg_km.max(initial=0.0)) + 1 for t in tracks
    ]
    km = pair_distance_km(ua, ub, ia, np.repeat(ib, sizes), np.repeat(most, sizes))
    return np.split(km, np.cumsum(sizes)[:-1])


def _contacts(tracks: list[Track], surfaces: Geometries, near: list[Floats]) -> list[Contact]:
    """The contacts of the pairs: of each the stretches in reach, one after the other until the last time is found.

    ``near``: distances of each track's fixes to its surface (see `_near_fixes`).
    """
    found = [Contact() for _ in tracks]
    ub, ib = checked_objects(surfaces)
    waiting = [
        (pair, legs) for pair, km in enumerate(near) if (legs := _legs_in_reach(tracks[pair], km).tolist())
    ]
    while waiting:
        later = []
        for start in range(0, len(waiting), PAIRS_AT_ONCE):
            batch = waiting[start : start + PAIRS_AT_ONCE]
            along = [tracks[pair].along(legs[0]) for pair, legs in batch]
            sizes = np.array([len(lon) for lon, *_ in along], dtype=np.int64)
            points = shapely.points(
                np.concatenate([a[0] for a in along]), np.concatenate([a[1] for a in along])
            )
            most = np.array([a[2].max() * (1 + MARGIN) + LEAST_MARGIN_KM + 3 * STEP_KM for a in along])
            owner = np.repeat(ib[[pair for pair, _ in batch]], sizes)
            km = pair_distance_km(points, ub, np.arange(len(points)), owner, np.repeat(most, sizes))
            for (pair, legs), (_, _, radius, time), at in zip(
                batch, along, np.split(km, np.cumsum(sizes)[:-1]), strict=True
            ):
                _note(found[pair], tracks[pair], legs[0], at, radius, time)
                if np.isnan(found[pair].narrower) and legs[1:]:
                    later.append((pair, legs[1:]))
        waiting = later
    return found


def _legs_in_reach(track: Track, km: Floats) -> Ids:
    """Stretches on which the winds may come near a surface, ``km`` away from the fixes."""
    a, b = track.first, track.last
    most = np.maximum(track.radius[a], track.radius[b])
    reach = most + np.maximum(MARGIN * most, LEAST_MARGIN_KM)
    least = np.maximum((km[a] + km[b] - track.leg_km) / 2, np.maximum(km[a], km[b]) - track.leg_km)
    return np.flatnonzero(least <= reach + STEP_KM)


def _note(out: Contact, track: Track, leg: int, at: Floats, radius: Floats, time: Floats) -> None:
    """Write down the contacts on one stretch; ``at``: distances to the surface at its steps."""
    margin = np.maximum(MARGIN * radius, LEAST_MARGIN_KM)
    gaps = {"wider": at - radius - margin, "contact": at - radius, "narrower": at - radius + margin}
    for name, gap in gaps.items():
        if np.isnan(getattr(out, name)) and np.isfinite(when := _reached(gap, radius, time)):
            setattr(out, name, when)
            if name == "wider":
                out.from_fix = float(track.time[track.first[leg]])
            if name == "narrower":
                out.to_fix = float(track.time[track.last[leg]])


def _reached(gap: Floats, radius: Floats, time: Floats) -> float:
    """The first time at which the gap is closed, between two steps by the straight line; NaN where never."""
    hit = np.flatnonzero((gap <= 0) & (radius > 0))
    if not hit.size:
        return float("nan")
    k = int(hit[0])
    if k == 0 or gap[k - 1] <= 0:
        return float(time[k])
    share = gap[k - 1] / (gap[k - 1] - gap[k])
    return float(time[k - 1] + (time[k] - time[k - 1]) * share)


def _known(track: Track, contact: Contact) -> bool:
    """Whether every fix has a diameter: up to the contact of the narrower winds, else all of them."""
    until = contact.to_fix if np.isfinite(contact.to_fix) else np.inf
    return bool(np.isfinite(track.radius[track.time <= until]).all())


def _text(seconds: float) -> str | None:
    """Seconds since 1970 as ISO 8601 in UTC."""
    return None if not np.isfinite(seconds) else f"{np.datetime64(int(np.floor(seconds)), 's')}Z"
