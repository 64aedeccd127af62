"""KnowWhereGraph: both IRI generations, events, hierarchy, storms, exported rows, our own triples read
back.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import shapely

from multiglobeqa.errors import InputError
from multiglobeqa.kg import knowwheregraph as kwg
from multiglobeqa.kg import triples
from multiglobeqa.kg.report import ImportReport
from multiglobeqa.kg.schema import LABEL_SCHEMA, RAW_SCHEMA
from multiglobeqa.kg.triples import KWGR

DATA = Path(__file__).parent / "data"
USA1 = KWGR + "Earth.North_America.United_States.USA"
USA2 = KWGR + "administrativeRegion.USA"
Rows = dict[str, dict[str, Any]]


def collect(report: ImportReport, result: Any) -> tuple[Rows, list[dict[str, str]]]:
    raw, labels = result
    table = pa.Table.from_batches(raw, RAW_SCHEMA)
    rows = {row["iri"]: row for row in table.to_pylist()}
    assert len(rows) == table.num_rows == sum(report.kept.values())
    return rows, pa.Table.from_batches(labels, LABEL_SCHEMA).to_pylist()


def run(path: Any, **options: Any) -> tuple[Rows, list[dict[str, str]], ImportReport]:
    report = ImportReport("kwg")
    return *collect(report, kwg.read(path, report, **options)), report


def test_first_generation() -> None:
    rows, labels, report = run(DATA / "kwg_generation1.ttl")
    quake = rows[KWGR + "earthquake.us2000cmy3"]
    assert shapely.from_wkb(quake["geometry"]).wkt == "POINT (-119.9 34.5)"  # EPSG:4326, latitude first
    assert quake["time_start"] == quake["time_end"] == datetime(2018, 2, 1, 21, 5, 6, 123000, UTC)
    assert json.loads(quake["attributes"]) == {"depth": 10, "mag": 4.7}
    assert quake["admin"] == [USA1 + ".5.42_1", USA1 + ".5_1", USA1]
    assert {
        row["class"]: (row["level"], row["admin"]) for row in rows.values() if row["level"] is not None
    } == {
        "country": (0, []),
        "admin1": (1, [USA1]),
        "county": (2, [USA1 + ".5_1", USA1]),
    }
    assert shapely.from_wkb(rows[USA1 + ".5.42_1"]["geometry"]).geom_type == "Polygon"  # the default one
    fire = rows[KWGR + "mtbsfire.CA1"]
    assert (fire["class"], fire["kind"], fire["admin"]) == ("fire", "surface", None)
    assert fire["time_start"] == datetime(
        1994, 9, 8, tzinfo=UTC
    )  # from the IRI of an instant without triples
    assert fire["time_end"] == datetime(1994, 9, 12, 23, 59, 59, 999000, UTC)
    assert rows[USA1 + ".5_1"]["name"] == "California"
    assert ("fra", "Californie") in {(row["lang"], row["label"]) for row in labels}
    assert report.dropped == {"s2_cell": 1}


def test_second_generation() -> None:
    rows, _, report = run(DATA / "kwg_generation2.nq")
    assert (rows[USA2 + ".17"]["class"], rows[USA2 + ".17"]["level"], rows[USA2 + ".17"]["admin"]) == (
        "admin1",
        1,
        [USA2],
    )
    area = rows[KWGR + "zipCodeArea.60601"]
    assert (area["name"], area["class"], area["admin"]) == ("60601", "zip_area", [USA2 + ".17", USA2])
    storm = rows[KWGR + "StormTrack.AL012005"]
    assert (
        shapely.from_wkb(storm["geometry"]).wkt
        == "MULTILINESTRING ((179 17, 180 17.5), (-180 17.5, -179 18))"
    )
    assert json.loads(storm["attributes"])["fixes"] == [
        ["2005-06-08T18:00:00Z", 179.0, 17.0, None],
        ["2005-06-09T00:00:00Z", -179.0, 18.0, 120.0],
    ]
    assert storm["time_end"] == datetime(2005, 6, 9, tzinfo=UTC)
    assert report.dropped == {"fix_without_time": 1, "syntax_error": 1}
    assert report.examples["syntax_error"] == ["kwg_generation2.nq:15"]


def test_several_files_are_one_graph(tmp_path: Path) -> None:
    lines = (DATA / "kwg_generation2.nq").read_text("utf-8").splitlines(keepends=True)
    (tmp_path / "a.nq").write_text("".join(lines[::2]), "utf-8")
    (tmp_path / "b.nq").write_text("".join(lines[1::2]), "utf-8")
    rows, labels, _ = run([tmp_path / "a.nq", tmp_path / "b.nq"])
    whole, whole_labels, _ = run(DATA / "kwg_generation2.nq")
    assert (rows, labels) == (whole, whole_labels)


def variant(tmp_path: Path, *changes: tuple[str, str], more: str = "") -> Path:
    text = (DATA / "kwg_generation1.ttl").read_text("utf-8")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    (tmp_path / "variant.ttl").write_text(text + more, "utf-8")
    return tmp_path / "variant.ttl"


@pytest.mark.parametrize(
    ("value", "begin", "end"),
    [
        ('time:inXSDgYear "2018"^^xsd:gYear', "2018-01-01T00:00:00", "2018-12-31T23:59:59.999"),
        ('time:inXSDgYearMonth "2016-02"', "2016-02-01T00:00:00", "2016-02-29T23:59:59.999"),
        ('time:inXSDDate "2018-02-01"^^xsd:date', "2018-02-01T00:00:00", "2018-02-01T23:59:59.999"),
        ('time:inXSDDateTime "2018-02-01T10:00:00"', "2018-02-01T10:00:00", "2018-02-01T10:00:00"),
        (
            'time:inXSDgYear "2018" ; time:inXSDDate "2018-03-04"',
            "2018-03-04T00:00:00",
            "2018-03-04T23:59:59.999",
        ),
    ],
)
def test_precision_of_instants(tmp_path: Path, value: str, begin: str, end: str) -> None:
    path = variant(tmp_path, ('time:inXSDDateTime "2018-02-01T13:05:06.123-08:00"^^xsd:dateTime', value))
    row = run(path)[0][KWGR + "earthquake.us2000cmy3"]
    assert (row["time_start"], row["time_end"]) == tuple(
        datetime.fromisoformat(text).replace(tzinfo=UTC) for text in (begin, end)
    )


def test_bad_times_are_counted(tmp_path: Path) -> None:
    path = variant(tmp_path, ("2018-02-01T13:05:06.123-08:00", "yesterday"), ('"1994-09-12"', '"1990-01-01"'))
    rows, _, report = run(path)
    assert report.dropped["time_unreadable"] == 1 and "yesterday" in report.examples["time_unreadable"][0]
    assert report.dropped["time_reversed"] == 1
    assert rows[KWGR + "earthquake.us2000cmy3"]["time_start"] is None
    assert rows[KWGR + "mtbsfire.CA1"]["time_start"] is None


def test_two_parents_of_one_level_name_none_of_them(tmp_path: Path) -> None:
    more = f"kwgr:earthquake.us2000cmy3 kwg-ont:sfWithin <{USA1}.5.43_1> , <{USA1}.5_1> .\n"
    rows, _, report = run(variant(tmp_path, more=more))
    assert rows[KWGR + "earthquake.us2000cmy3"]["admin"] == [USA1 + ".5_1", USA1]
    assert report.dropped["parent_ambiguous"] == 1


def test_circular_parents_are_dropped(tmp_path: Path) -> None:
    link = "kwg-ont:administrativePartOf"
    more = f"<{USA1}> {link} <{USA1}.5_1> . <{USA1}.5_1> {link} <{USA1}> .\n"
    rows, _, report = run(variant(tmp_path, more=more))
    assert report.dropped["parent_circular"] == 4
    assert rows[USA1 + ".5_1"]["admin"] is None


def test_swapped_axes(tmp_path: Path) -> None:
    path = variant(tmp_path, ("POINT(34.5 -119.9)", "POINT(-119.9 34.5)"))
    rows, _, report = run(path)
    assert KWGR + "earthquake.us2000cmy3" not in rows
    assert report.dropped["axes_swapped"] == 1
    assert (
        shapely.from_wkb(run(path, axis_order="lonlat")[0][KWGR + "earthquake.us2000cmy3"]["geometry"]).x
        == -119.9
    )

    def country_of(lon: Any, lat: Any) -> Any:
        return np.where((lon < -60) & (lat > 20), "USA", "")

    hidden = variant(tmp_path, ("POINT(34.5 -119.9)", "POINT(-80.1 34.5)"))  # in range, off Antarctica
    assert run(hidden)[2].dropped["axes_swapped"] == 0
    assert run(hidden, country_of=country_of)[2].dropped["axes_swapped_by_country"] == 1


def test_our_own_triples_read_back(tmp_path: Path) -> None:
    day = datetime(2005, 8, 23, 18, tzinfo=UTC)
    fixes = [["2005-08-23T18:00:00Z", -75.1, 23.1, None], ["2005-08-24T00:00:00Z", -75.7, 23.4, 120.0]]
    region = KWGR + "administrativeRegion.FRA"
    line = shapely.LineString([fix[1:3] for fix in fixes])
    written: list[dict[str, Any]] = [
        {
            "iri": region,
            "name": "France",
            "class": "country",
            "geometry": shapely.box(-5, 42, 8, 51),
            "level": 0,
            "admin": [],
        },
        {
            "iri": region + ".IDF",
            "name": "Île-de-France",
            "class": "admin1",
            "geometry": shapely.box(1, 48, 3, 49),
            "level": 1,
            "admin": [region],
        },
        {
            "iri": KWGR + "airport.LFPG",
            "name": "CDG",
            "class": "airport",
            "geometry": shapely.Point(2.55, 49.01),
            "admin": [region + ".IDF", region],
        },
        {
            "iri": KWGR + "earthquake.x",
            "name": "Earthquake x",
            "class": "earthquake",
            "geometry": shapely.Point(2, 48),
            "time_start": day,
            "time_end": day,
        },
        {
            "iri": KWGR + "stormTrack.AL12",
            "name": "Katrina",
            "class": "storm",
            "geometry": line,
            "time_start": day,
            "time_end": datetime(2005, 8, 24, tzinfo=UTC),
            "attributes": {"fixes": fixes},
        },
        {
            "iri": KWGR + "stormFootprint.AL12",
            "name": "Katrina's area",
            "class": "storm_footprint",
            "geometry": shapely.box(-76, 23, -75, 24),
            "attributes": {"track": KWGR + "stormTrack.AL12"},
        },
        {
            "iri": KWGR + "border.ESP.FRA",
            "name": "border",
            "class": "border",
            "geometry": shapely.LineString([(0, 42.5), (3, 42.4)]),
            "attributes": {"of": [KWGR + "administrativeRegion.ESP", region]},
        },
    ]
    lines: list[str] = []
    for row in written:
        entity = {
            "kg": "knowwheregraph",
            "h3": None,
            "admin": None,
            "time_start": None,
            "time_end": None,
            **row,
        }
        entity["geometry"] = shapely.to_wkb(row["geometry"])
        entity["attributes"] = json.dumps(row.get("attributes", {}))
        lines += triples.render(entity, triples.ASPECTS)
    (tmp_path / "own.nt").write_text("\n".join(lines) + "\n", "utf-8")
    rows, _, report = run(tmp_path / "own.nt")
    assert not report.dropped
    for row in written:
        back = rows[row["iri"]]
        assert shapely.from_wkb(back["geometry"]) == row["geometry"]
        for name in ("name", "class", "level", "admin", "time_start", "time_end"):
            assert back[name] == row.get(name), (row["iri"], name)
        assert json.loads(back["attributes"]) == row.get("attributes", {})


def test_exported_rows(shared: Path) -> None:
    folder = shared / "data" / "public" / "rdf_github"
    counts = {}
    for name in ("airports", "fires", "hospitals", "parks", "roads", "schools"):
        report = ImportReport(name)
        rows, labels = collect(report, kwg.read_csv(folder / f"kwg_examples_{name}.csv", report))
        counts[name] = len(rows)
        assert not report.dropped
        assert len(labels) == len(rows)
        for row in rows.values():
            lon, lat = shapely.get_coordinates(shapely.from_wkb(row["geometry"])).T
            assert (lon > -121.5).all() and (lon < -117).all() and (lat > 33).all() and (lat < 36.5).all()
    assert counts == {"airports": 17, "fires": 49, "hospitals": 9, "parks": 143, "roads": 27, "schools": 227}


def test_fires_have_days_and_roads_keep_their_length(shared: Path) -> None:
    folder = shared / "data" / "public" / "rdf_github"
    report = ImportReport("fires")
    rows, _ = collect(report, kwg.read_csv(folder / "kwg_examples_fires.csv", report))
    fire = rows[KWGR + "mtbsfire.CA3500411993619940908.SPANISH.1994"]
    assert (fire["kind"], fire["time_start"]) == ("surface", datetime(1994, 9, 8, tzinfo=UTC))
    assert fire["time_end"] == datetime(1994, 9, 8, 23, 59, 59, 999000, UTC)
    report = ImportReport("roads")
    rows, _ = collect(report, kwg.read_csv(folder / "kwg_examples_roads.csv", report))
    table = pa.csv.read_csv(folder / "kwg_examples_roads.csv")
    for sign in set(table["sign"].to_pylist()):
        lines = shapely.from_wkt(table.filter(pa.compute.equal(table["sign"], sign))["wkt"].to_numpy())
        mine = [shapely.from_wkb(row["geometry"]) for row in rows.values() if row["name"] == sign]
        assert shapely.length(mine).sum() == pytest.approx(shapely.length(lines).sum(), rel=1e-5)
        ends = [
            {tuple(p) for part in shapely.get_parts(m) for p in shapely.get_coordinates(part)[[0, -1]]}
            for m in mine
        ]
        assert len(set().union(*ends)) == sum(map(len, ends))  # roads of one sign do not touch at their ends


def test_bad_tables(tmp_path: Path) -> None:
    file = tmp_path / "x.csv"
    file.write_text("dragon,wkt\na,POINT(1 1)\n")
    with pytest.raises(InputError, match=r"x\.csv:1.*dragon"):
        kwg.read_csv(file, ImportReport("x"))
    file.write_text(
        "school,name,wkt\nhttp://a/1,One,POINT(1 1)\nhttp://a/1,Again,POINT(1 1)\nhttp://a/2,,POINT(1 1)\n"
        'no iri,Two,POINT(1 1)\nhttp://a/3,Swapped,POINT(34 -119)\nhttp://a/4,Line,"LINESTRING(0 0, 1 1)"\n'
    )
    report = ImportReport("x")
    rows, _ = collect(report, kwg.read_csv(file, report))
    assert list(rows) == ["http://a/1"]
    assert report.dropped == {
        "axes_swapped": 1, "iri_repeated": 1, "iri_unreadable": 1, "kind_not_of_class": 1, "unnamed": 1,
    }  # fmt: skip
    assert report.examples["axes_swapped"] == ["x.csv: row 5"]
