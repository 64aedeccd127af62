"""How near a storm's track came to a place within a span of days.

Between two fixes the centre moves evenly along the straight edge in longitude and latitude, the short way round, as
the stored track does. A span runs from 00:00 UTC on its first day to 24:00 UTC on its last.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, date, datetime
from typing import Any, Final

import numpy as np
import pyarrow as pa
import shapely
from numpy.typing import NDArray

from multiglobeqa.engine.arguments import column_ids, relation, required
from multiglobeqa.engine.contract import Engine, Ids
from multiglobeqa.errors import EngineError
from multiglobeqa.geo.distance import geometry_distance_km
from multiglobeqa.geo.seam import split_antimeridian, unwrap_longitude

Floats = NDArray[np.float64]
_DAY_S: Final = 86_400.0


def measure_spans(engine: Engine, arguments: Any) -> pa.Table:
    """Distances of storm tracks within spans of days, for the rows of ``spans``.

    spans : columns left_id (a storm track with the attribute ``fixes``), right_id, begins, ends (ISO days, UTC).

    Columns: left_id, right_id, begins, ends; distance_km from the right entity to the track within the span,
    dated_km to the track between the span's first and last fix as their days are written (without the way on to
    midnight), fix_km to the nearest of those fixes; at_fixes: the track enters and leaves the span at a fix. Rows
    whose span holds no fix have nulls.
    Raises EngineError for an entity without fixes and for days that are none.
    """
    table = engine.query(
        "SELECT DISTINCT left_id, right_id, CAST(begins AS VARCHAR) AS begins, CAST(ends AS VARCHAR) AS ends "
        f"FROM {relation(required(arguments, 'spans'))} ORDER BY left_id, right_id, begins, ends"
    )
    left, right = column_ids(table, "left_id"), column_ids(table, "right_id")
    begins, ends = table["begins"].to_pylist(), table["ends"].to_pylist()
    tracks = _tracks(engine, left)
    pieces: dict[tuple[int, str, str], Any] = {}
    for key in zip(left.tolist(), begins, ends, strict=True):
        if key not in pieces:
            pieces[key] = within_days(*tracks[key[0]], _second(key[1]), _second(key[2]) + _DAY_S)
    found = [pieces[key] for key in zip(left.tolist(), begins, ends, strict=True)]
    whole = np.array([piece is not None for piece in found], dtype=bool)
    places = engine.geometries(right[whole])
    columns: dict[str, Any] = {}
    for number, name in enumerate(("distance_km", "dated_km", "fix_km")):
        shapes = np.empty(int(whole.sum()), dtype=object)
        shapes[:] = [piece[number] for piece in found if piece is not None]
        values = np.full(len(left), np.nan)
        values[whole] = geometry_distance_km(shapes, places) if len(shapes) else []
        columns[name] = pa.array(values, mask=~whole)
    columns["at_fixes"] = pa.array([None if piece is None else piece[3] for piece in found], pa.bool_())
    return pa.table({"left_id": left, "right_id": right, "begins": begins, "ends": ends, **columns})


def _tracks(engine: Engine, storms: Ids) -> dict[int, tuple[Floats, Floats, Floats]]:
    """Seconds since 1970, unwrapped longitude and latitude of the fixes of each storm, in the order of time."""
    unique = np.unique(storms)
    out = {}
    for entity, row in zip(unique.tolist(), engine.rows(unique), strict=True):
        fixes: Sequence[Any] = json.loads(row["attributes"] or "{}").get("fixes") or ()
        if not fixes:
            raise EngineError(f"{row['iri']} has no fixes; spans are measured for storm tracks.")
        ordered = sorted((datetime.fromisoformat(f[0]).timestamp(), float(f[1]), float(f[2])) for f in fixes)
        time, lon, lat = (np.array(column) for column in zip(*ordered, strict=True))
        out[entity] = time, unwrap_longitude(lon), lat
    return out


def _second(day: str) -> float:
    try:
        start = date.fromisoformat(day)
    except ValueError:
        raise EngineError(f"{day!r} is not a day.") from None
    return datetime(start.year, start.month, start.day, tzinfo=UTC).timestamp()


def within_days(
    time: Floats, lon: Floats, lat: Floats, begin: float, end: float
) -> tuple[Any, Any, Any, bool] | None:
    """The part of a track from second ``begin`` to second ``end``: its line (a point where it is one fix), the line
    of the fixes before ``end`` only, those fixes as points, and whether both ends of the line are fixes or the
    track's own ends. None where no fix lies in the span."""
    dated = (time >= begin) & (time < end)
    if not dated.any():
        return None
    low, high = max(begin, time[0]), min(end, time[-1])
    inner = (time > low) & (time < high)
    ends = np.array([low, high])
    at = np.concatenate([ends[:1], time[inner], ends[1:]])
    x, y = np.interp(at, time, lon), np.interp(at, time, lat)
    at_fixes = bool(np.isin(ends, time).all())
    return _line(x, y), _line(lon[dated], lat[dated]), _points(lon[dated], lat[dated]), at_fixes


def _line(x: Floats, y: Floats) -> Any:
    xy = np.column_stack([x, y])
    keep = np.r_[True, (np.diff(xy, axis=0) != 0).any(axis=1)]
    if keep.sum() == 1:
        return _points(x[:1], y[:1])
    return split_antimeridian(np.array([shapely.linestrings(xy[keep])], dtype=object))[0]


def _points(x: Floats, y: Floats) -> Any:
    lon = np.mod(x + 180.0, 360.0) - 180.0
    points = np.unique(np.column_stack([lon, y]), axis=0)
    return shapely.points(points[0]) if len(points) == 1 else shapely.multipoints(points)
