"""Medoid, units that winds reach, and the proofs of false premises of G02, H02, I03 and I05."""

from __future__ import annotations

from typing import Any

import h3
import pytest

from multiglobeqa.solver import REFUTERS, SolverError, refute

LON = 111.3195
LAT = 110.574
DAY = [f"2005-08-0{n}T00:00:00Z" for n in range(1, 6)]


def box(west: float, south: float, east: float, north: float) -> str:
    return f"POLYGON (({west} {south}, {east} {south}, {east} {north}, {west} {north}, {west} {south}))"


def prove(world: Any, subtemplate: str, **rest: Any) -> str | None:
    """The word of a proof that the premise fails; capital keywords are roles."""
    question = {
        "subtemplate": subtemplate,
        "kg": world.kg,
        "roles": {key: world.iri(value) for key, value in rest.items() if key.isupper()},
        "params": {key: value for key, value in rest.items() if not key.isupper()},
    }
    found = refute(question, world.lines)
    assert found.answer is None and not found.accepted
    return found.premise_failure


def test_g01_medoid(osm: Any) -> None:
    osm.add("a", box(0, 0, 3, 3), "Administrative")
    for name, (x, y) in {"m": (1, 1), "w": (0.5, 1), "n": (1, 1.5), "s": (1, 0.5), "far": (2.9, 2.8)}.items():
        osm.add(name, f"POINT ({x} {y})", "Village", parents=("a",))
    osm.add("elsewhere", "POINT (1.1 1.1)", "Village")
    found = osm.ask("G01.b", "Village", A="a").answer
    assert (found["lon"], found["lat"]) == (1, 1)
    assert osm.ask("G01.b", "Hamlet", A="a").premise_failure == "no_member"


def test_g01_members_that_tie_have_no_medoid(osm: Any) -> None:
    osm.add("a", box(0, 0, 3, 3), "Administrative")
    for name, x in {"w": 1.0, "e": 2.0}.items():
        osm.add(name, f"POINT ({x} 0)", "Village", parents=("a",))
    with pytest.raises(SolverError, match="as central"):
        osm.ask("G01.b", "Village", A="a")


def test_g02_refuted_from_20_km_on(kwg: Any) -> None:
    kwg.add("a", box(0, 0, 2, 2))
    for name, km in {"near": 19.9, "off": 20.1}.items():
        kwg.add(name, f"POINT ({2 + km / LON} 0.001)")
    kwg.add("inside", "POINT (1 1)")
    assert prove(kwg, "G02", A="a", B="off") == "not_inside"
    assert kwg.ask("G02", A="a", B="off").premise_failure == "not_inside"
    for name in ("near", "inside"):
        with pytest.raises(SolverError, match="not 20 km or more"):
            prove(kwg, "G02", A="a", B=name)


def test_h02_refuted_beyond_two_diameters(osm: Any) -> None:
    cell = h3.latlng_to_cell(10.0, 10.0, 7)
    lat, lon = h3.cell_to_latlng(cell)
    diameter = 2 * h3.great_circle_distance((lat, lon), h3.cell_to_boundary(cell)[0], unit="km")
    osm.add("a", f"POINT ({lon} {lat})")
    for name, share in {"beside": 1.5, "off": 2.3}.items():
        osm.add(name, f"POINT ({lon} {lat + share * diameter / LAT})")
    asked = {"system": "h3", "resolution": 7, "A": "a"}
    assert prove(osm, "H02.a", B="off", **asked) == "different_cells"
    assert osm.ask("H02.a", B="beside", **asked).premise_failure == "different_cells"
    for name in ("beside", "a"):  # another cell, but too near; the same cell
        with pytest.raises(SolverError, match="not more than 2"):
            prove(osm, "H02.a", B=name, **asked)


@pytest.mark.parametrize(("km", "proved"), [(490, False), (530, True)])
def test_i03_refuted_from_500_km_on(kwg: Any, km: float, proved: bool) -> None:
    kwg.storm("s", [(t, 2.0 * n, 0.0, 100.0) for n, t in enumerate(DAY)])
    kwg.add("b", box(3, km / LAT, 4, km / LAT + 1))
    assert kwg.ask("I03.a", A="s", B="b").premise_failure == "no_contact"
    if proved:
        assert prove(kwg, "I03.a", A="s", B="b") == "no_contact"
    else:
        with pytest.raises(SolverError, match="not 500 km or more"):
            prove(kwg, "I03.a", A="s", B="b")


def test_i03_wide_winds_need_two_radii_and_fixes_without_winds_count(kwg: Any) -> None:
    # a radius of 370 km: 600 km are not enough, 760 are
    kwg.storm("wide", [(t, 2.0 * n, 0.0, 400.0) for n, t in enumerate(DAY)])
    kwg.add("b", box(3, 600 / LAT, 4, 7))
    kwg.add("c", box(3, 760 / LAT, 4, 9))
    with pytest.raises(SolverError, match="not 741 km"):
        prove(kwg, "I03.a", A="wide", B="b")
    assert prove(kwg, "I03.a", A="wide", B="c") == "no_contact"
    # the last fix, whose winds are not known, lies beside the area
    kwg.storm("lost", [(DAY[0], 0.0, 0.0, 50.0), (DAY[1], 3.0, 0.0, 50.0), (DAY[2], 3.0, 5.0, None)])
    with pytest.raises(SolverError, match="not 500 km or more"):
        prove(kwg, "I03.a", A="lost", B="b")


def test_i05_refuted_from_200_km_off_the_winds(kwg: Any) -> None:
    kwg.storm("s", [(t, 2.0 * n, 0.0, 100.0) for n, t in enumerate(DAY)])  # 92.6 km
    kwg.add("near", box(3, (92.6 + 190) / LAT, 4, 4))
    kwg.add("off", box(3, (92.6 + 215) / LAT, 4, 4))
    assert prove(kwg, "I05", A="s", B="off") == "no_contact"
    assert kwg.ask("I05", A="s", B="off").premise_failure == "no_contact"
    with pytest.raises(SolverError, match="not 200 km"):
        prove(kwg, "I05", A="s", B="near")


def test_i05_unequal_winds_are_measured_disc_by_disc(kwg: Any) -> None:
    # wide winds in the west, small ones beside the area: the widest radius does not decide
    kwg.storm("s", [(DAY[0], 0.0, 0.0, 300.0), (DAY[1], 10.0, 0.0, 20.0)])
    kwg.add("b", box(9.5, 300 / LAT, 10, 4))
    assert prove(kwg, "I05", A="s", B="b") == "no_contact"
    kwg.storm("t", [(DAY[0], 0.0, 0.0, 300.0), (DAY[1], 10.0, 0.0, None)])
    with pytest.raises(SolverError, match="states no diameter"):
        prove(kwg, "I05", A="t", B="b")


def test_i02_units_by_the_winds_of_the_fixes(kwg: Any) -> None:
    kwg.storm("s", [(t, 2.0 * n, 0.0, 100.0) for n, t in enumerate(DAY)])
    for name, km in {"u0": 80.0, "u1": 92.0, "u2": 94.0}.items():
        kwg.add(name, box(3, km / LAT, 3.2, 3), "State")
    assert kwg.ask("I02.a", "State", A="s").answer == [kwg.iri("u0"), kwg.iri("u1")]
    assert kwg.ask("I02.a", "Country", A="s").premise_failure == "no_contact"


def test_each_false_premise_has_its_refuter() -> None:
    assert {"G02", "H02.a", "I03.a", "I05"} <= set(REFUTERS)
