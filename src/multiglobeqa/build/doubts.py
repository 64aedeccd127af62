"""Records that may be no place of their own: second records of one place, divisions, unlabelled sections of a city.

A list of places that joins several sources holds some towns twice, under two ids, a few km apart. A count would count
them twice, and no context tells a reader which of the two is meant.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from multiglobeqa.build.gazetteer import GEONAMES, SAME_KM, comparable
from multiglobeqa.engine import Engine
from multiglobeqa.geo.ellipsoid import GEOD
from multiglobeqa.geo.nearest import PointIndex

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

SAME_PEOPLE_KM: Final = 100.0
"""Two of one name that state the same population to the last digit are one place up to this distance: among the
GeoNames places 45 pairs within 100 km do (of 1,994), beyond 200 km 12 of 24,802."""
NEAR_KM: Final = 1.0
"""The reach of `SAME_KM` outside GeoNames: two quarters of one name may lie in neighbouring villages."""
DIVISION: Final = (
    r"\b(Municipality|District|Parish|County|Prefecture|Province|Government|Neighbou?rhood|Quarter|Sector|Freguesia)$"
    r"|^(Borough|District|Municipality|Parish|Province|Freguesia) (of|d[aeo]) |[^l] Ward$"
)
"""Names of divisions: what bears one is an area, though its list calls it a populated place."""
SECTION_KM: Final = 25.0
SECTION_RATIO: Final = 2
"""A place of which the list does not say what it is, this near to one with this many times its people, may be a
section of that city. Places of 15,000 people or more without a code lie by larger ones so often (19 % within 5 km of
one with five times its people; 3 % of those with a code of their own, 33 % of sections) that half must be sections."""
_LISTED = ("settlement", "city15000")


def second_records(engine: Engine) -> frozenset[int]:
    """Ids of settlements that stand twice on one list: one name and country, comparable class, and either within
    `SAME_KM` of one another (`NEAR_KM` outside GeoNames) or, in GeoNames, with the same stated population within
    `SAME_PEOPLE_KM`. Both records are doubtful.

    A town of OSM and the same of GeoNames are no such pair: no class holds both."""
    rows = engine.query(
        "WITH s AS (SELECT id, class, country, population, ref_lon, ref_lat, lower(nfc_normalize(trim(name))) AS name "
        "FROM entity WHERE scale = 'settlement' AND country IS NOT NULL) "
        "SELECT a.id AS one, b.id AS other, a.class AS one_class, b.class AS other_class, a.ref_lon AS x, "
        "a.ref_lat AS y, b.ref_lon AS u, b.ref_lat AS v, "
        "coalesce(a.population > 0 AND a.population = b.population, false) AS alike "
        "FROM s a JOIN s b ON a.name = b.name AND a.country = b.country AND a.id < b.id "
        "WHERE abs(a.ref_lat - b.ref_lat) < 1 ORDER BY one, other"
    )
    if not rows.num_rows:
        return frozenset()
    left, right = rows["one_class"].to_pylist(), rows["other_class"].to_pylist()
    kinds = {
        (one, other): comparable(one, other) and (one in GEONAMES) == (other in GEONAMES)
        for one, other in set(zip(left, right, strict=True))
    }
    kin = np.array([kinds[pair] for pair in zip(left, right, strict=True)])
    x, y, u, v = (rows[name].to_numpy() for name in "xyuv")
    listed = np.array([one in GEONAMES for one in left])
    reach = np.where(rows["alike"].to_numpy(zero_copy_only=False), SAME_PEOPLE_KM, SAME_KM)
    reach = np.where(listed, reach, NEAR_KM)
    twin = kin & (GEOD.inv(x, y, u, v)[2] / 1000 <= reach)
    return frozenset(rows["one"].to_numpy()[twin].tolist()) | frozenset(
        rows["other"].to_numpy()[twin].tolist()
    )


def named_divisions(engine: Engine) -> frozenset[int]:
    """Ids of GeoNames places that bear the name of a division: Warwick Parish, Borough of Queens."""
    listed = ", ".join(f"'{name}'" for name in sorted(GEONAMES))
    rows = engine.query(f"SELECT id, name FROM entity WHERE class IN ({listed}) ORDER BY id")
    found = pc.match_substring_regex(rows["name"].cast(pa.string()), DIVISION)
    return frozenset(rows["id"].filter(found).to_pylist())


def unlabelled_sections(engine: Engine) -> dict[str, list[int]]:
    """By class, the ids of GeoNames places without a feature code that lie by a much larger place.

    Sections of cities carry the code PPLX and are left out of the KG; of a place without a code nobody can tell.
    """
    rows = engine.query(
        "SELECT id, class, ref_lon, ref_lat, population, json_extract_string(attributes, '$.feature_code') IS NULL "
        "AND json_extract(attributes, '$.geonames_id') IS NOT NULL AS unsaid "
        f"FROM entity WHERE class IN {_LISTED} AND population > 0 ORDER BY id"
    )
    if not rows.num_rows:
        return {}
    lon, lat = rows["ref_lon"].to_numpy(), rows["ref_lat"].to_numpy()
    people = rows["population"].to_numpy()
    asked = np.flatnonzero(rows["unsaid"].to_numpy(zero_copy_only=False))
    doubtful = _by_larger(lon, lat, people, asked)
    found = rows.take(pa.array(doubtful)) if doubtful.size else rows.slice(0, 0)
    out: dict[str, list[int]] = {}
    for entity, class_ in zip(found["id"].to_pylist(), found["class"].to_pylist(), strict=True):
        out.setdefault(class_, []).append(entity)
    return out


def _by_larger(lon: Floats, lat: Floats, people: Ints, asked: Ints) -> Ints:
    """Those of ``asked`` (positions) with `SECTION_RATIO` times their people within `SECTION_KM`, ascending.

    By powers of two: the nearest place that is large enough for all of one power decides for most, and pairs are
    listed only for the rest, since in dense surroundings a list of all pairs grows with the square.
    """
    power = np.frexp(people[asked].astype(float))[1]  # people lie in [2^(power - 1), 2^power)
    found: list[Ints] = []
    for exponent in np.unique(power).tolist():
        mine = asked[power == exponent]
        large = np.flatnonzero(people >= SECTION_RATIO * 2.0**exponent)
        km = PointIndex(lon[large], lat[large]).k_nearest(lon[mine], lat[mine], 1)[1][:, 0]
        found.append(mine[km <= SECTION_KM])
        rest = mine[km > SECTION_KM]
        some = np.flatnonzero(
            (people >= SECTION_RATIO * 2.0 ** (exponent - 1)) & (people < SECTION_RATIO * 2.0**exponent)
        )
        query, near, _ = PointIndex(lon[some], lat[some]).within(lon[rest], lat[rest], SECTION_KM)
        found.append(rest[query[people[some[near]] >= SECTION_RATIO * people[rest[query]]]])
    return np.unique(np.concatenate(found)) if found else asked
