"""The parts of the report's page: blocks of data, conditions, items, geometries, errors in words, cells to look at."""

from __future__ import annotations

import base64
import gzip
import json
import re
import shutil
import struct
import subprocess
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
import shapely

from multiglobeqa.report import read_run, render
from multiglobeqa.report.benchmark import Benchmark
from multiglobeqa.report.html import Figure, Settings, with_replies
from multiglobeqa.report.html.breakdowns import breakdown, diagnoses, heats, statuses
from multiglobeqa.report.html.cells import comparisons, confidently_wrong, weak_cells
from multiglobeqa.report.html.conditions import together
from multiglobeqa.report.html.details import error
from multiglobeqa.report.html.geometry import answer, drawn, outlines, places, steps, thinned
from multiglobeqa.report.html.items import items, questions_of
from multiglobeqa.report.html.land import atlas, country_surfaces
from multiglobeqa.report.html.pack import Pack, fitting, frame
from multiglobeqa.report.html.page import SCRIPTS, p_text, points, step
from multiglobeqa.report.metrics import intervals, tabulate
from multiglobeqa.report.scores import Run

Sample = tuple[Benchmark, list[Run]]


def block(pack: Pack, name: str) -> bytes:
    return gzip.decompress(base64.b64decode(pack.blocks[name]))


def unframed(raw: bytes) -> dict[str, np.ndarray[Any, Any]]:
    """Reads a frame as the page does."""
    (length,) = struct.unpack_from("<I", raw)
    head = json.loads(raw[4 : 4 + length])
    found = {}
    for name, kind, at, size in head["columns"]:
        place = 4 + length + at
        assert place % np.dtype(kind).itemsize == 0  # a typed array must start at a multiple of its size
        found[name] = np.frombuffer(raw, kind, size, place)
    return found


def test_frames_keep_numbers_and_align_them() -> None:
    given: dict[str, np.ndarray[Any, Any]] = {
        "a": np.array([1, 2, 250], np.uint8), "b": np.array([1.5, np.nan], np.float32),
        "c": np.array([70_000], np.uint32), "d": np.array([-7, 7], np.int32), "none": np.array([], np.uint16),
    }  # fmt: skip
    found = unframed(frame(given, {"text": "ہے"}))
    assert found.keys() == given.keys()
    for name, values in given.items():
        np.testing.assert_array_equal(found[name], values)
    with pytest.raises(ValueError, match="float64"):
        frame({"x": np.zeros(1)}, {})


@pytest.mark.parametrize(
    ("most", "kind"), [(0, "uint8"), (254, "uint8"), (255, "uint16"), (65534, "uint16"), (65535, "uint32")]
)
def test_whole_numbers_take_the_least_room_that_holds_them(most: int, kind: str) -> None:
    assert fitting(np.array([0, most])).dtype.name == kind


def test_blocks_are_equal_for_equal_data_and_refuse_nan_and_repeats() -> None:
    one, two = Pack(), Pack()
    for pack in (one, two):
        pack.json("x", {"text": "</script>"})
    assert one.blocks == two.blocks
    assert "</script><" not in str(one.markup()).removesuffix("</script>").replace("</script>\n<", "")
    assert json.loads(block(one, "x")) == {"text": "</script>"}
    with pytest.raises(ValueError, match="already"):
        one.json("x", 1)
    with pytest.raises(ValueError, match="JSON"):
        one.json("y", float("nan"))


def with_seeds(run: Run, seeds: tuple[int, ...], tiers: tuple[str, ...] = ("T1",)) -> Run:
    """The run as if it had been made at these seeds and tiers, always alike."""
    parts = []
    for tier in tiers:
        for seed in seeds:
            table = run.table
            for name, value in (("seed", pa.scalar(seed, pa.int32())), ("tier", pa.scalar(tier))):
                column = pa.chunked_array([pa.repeat(value, table.num_rows)])
                table = table.set_column(table.column_names.index(name), name, column)
            parts.append(table)
    return replace(run, table=pa.concat_tables(parts))


def test_conditions_are_named_by_what_tells_them_apart(sample: Sample) -> None:
    _, (alpha, beta) = sample
    both = together([alpha, beta])
    assert both is not None
    assert both.conditions == ("alpha", "beta")
    assert [one.label for one in both.passes] == ["alpha", "beta"]
    assert both.table.num_rows == alpha.table.num_rows + beta.table.num_rows
    several = together([with_seeds(alpha, (1, 2), ("T1", "T2")), alpha])
    assert several is not None
    assert several.conditions == ("alpha T1", "alpha T2", "alpha")
    assert [one.label for one in several.passes] == [
        "alpha T1, seed 1", "alpha T1, seed 2", "alpha T2, seed 1", "alpha T2, seed 2", "alpha",
    ]  # fmt: skip
    twice = together([alpha, alpha])
    assert twice is not None
    assert twice.conditions == ("alpha", "alpha (2)")
    assert together([]) is None


def test_items_are_questions_in_a_language_with_each_passes_row(sample: Sample) -> None:
    benchmark, runs = sample
    questions, scored = questions_of(benchmark), together(runs)
    assert scored is not None
    found = items(questions, scored, 10_000)
    assert len(found) == found.total == questions.num_rows
    keys = list(zip(questions["id"].take(pa.array(found.question)).to_pylist(), found.language, strict=True))
    assert len(set(keys)) == len(keys)
    table = scored.table
    for place, name in enumerate(found.passes):
        for key, row in zip(keys, found.rows[place].tolist(), strict=True):
            if row < 0:
                assert (name, key[1]) == ("alpha", "urd")
            else:
                got = table.slice(row, 1).select(["id", "language", "pass"]).to_pylist()[0]
                assert (got["id"], got["language"], got["pass"]) == (*key, name)


def test_a_limit_keeps_whole_questions_and_tables_stay_whole(sample: Sample) -> None:
    benchmark, runs = sample
    questions = questions_of(benchmark)
    found = items(questions, together(runs), 50)
    ids = [questions["id"][place].as_py() for place in found.question.tolist()]
    every = questions["id"].to_pylist()
    assert 48 <= len(found) <= 50
    assert all(ids.count(one) == every.count(one) for one in ids)
    assert max(ids) == sorted(set(every))[len(set(ids)) - 1]
    page = render(benchmark, runs, countries=[], settings=Settings(items=50))
    assert f"holds {len(found)} of {questions.num_rows} items" in page
    assert f'<td class="n">{len(runs[0].table.filter(runs[0].table["premise"]))}</td>' in page


def test_core_columns_are_those_of_the_scores(sample: Sample) -> None:
    benchmark, runs = sample
    page = render(benchmark, runs, countries=[])
    raw = re.search(r'id="data-core">([^<]+)<', page)
    assert raw is not None
    content = gzip.decompress(base64.b64decode(raw[1]))
    (length,) = struct.unpack_from("<I", content)
    head, columns = json.loads(content[4 : 4 + length]), unframed(content)
    beta = runs[1].table
    assert head["size"] == beta.num_rows
    assert [one["label"] for one in head["passes"]] == ["alpha", "beta"]
    assert int(columns["em1"].sum()) == pc.sum(beta["em"]).as_py()
    for code, status in enumerate(head["statuses"]):
        assert int((columns["status1"] == code).sum()) == pc.sum(pc.equal(beta["status"], status)).as_py(), (
            status
        )
    assert (columns["status0"] == 255).sum() == pc.sum(pc.equal(beta["language"], "urd")).as_py()
    formats = np.array(head["values"]["format"])[columns["format"]]
    assert sorted(formats.tolist()) == sorted(pc.cast(beta["format"], pa.string()).to_pylist())


def decoded(part: list[int]) -> np.ndarray[Any, Any]:
    """A part of a drawn geometry as (n, 2) degrees."""
    result: np.ndarray[Any, Any] = np.cumsum(np.array(part).reshape(-1, 2), axis=0) / 1e5
    return result


def test_geometries_of_facts_belong_to_their_entities() -> None:
    facts = pa.table(
        {
            "fact_id": pa.array([5, 6, 7, 8, 9, 10], pa.int32()),
            "triple": [
                "<x:a> <http://www.opengis.net/ont/geosparql#hasGeometry> <x:a#geometry> .",
                '<x:a#geometry> <http://www.opengis.net/ont/geosparql#asWKT> "POINT (9.5 47.25)"^^<x:wkt> .',
                "<x:b> <http://www.worldkg.org/schema/spatialObject> <x:geo1> .",
                '<x:geo1> <http://www.opengis.net/ont/geosparql#asWKT> "Point(-7.5 1)"^^<x:wkt> .',
                "<x:s#fix.3> <http://www.opengis.net/ont/geosparql#hasGeometry> <x:s#fix.3.geometry> .",
                '<x:s#fix.3.geometry> <http://www.opengis.net/ont/geosparql#asWKT> "POINT (1 2)"^^<x:wkt> .',
            ],
        }
    )
    found = places(facts)
    assert found.at == {6: 0, 8: 1, 10: 2}
    assert found.owner == ["x:a", "x:b", "x:s"]
    assert found.fix == [False, False, True]
    assert found.drawn[0] == [0, [950_000, 4_725_000]]
    assert found.point[1] == (-7.5, 1.0)


def test_thinning_keeps_the_shape_and_drops_vertices() -> None:
    circle = shapely.Point(10, 50).buffer(1.0, quad_segs=500)
    thin = thinned([circle, shapely.Point(1, 2)])
    assert shapely.get_num_coordinates(thin[0]) <= 60
    assert thin[0].symmetric_difference(circle).area / circle.area < 0.02
    assert thin[1] == shapely.Point(1, 2)
    ring = decoded(drawn(thin[0])[1])
    assert np.abs(ring - shapely.get_coordinates(thin[0].exterior)).max() < 1e-5
    assert steps(np.array([[1.0, 2.0], [1.0, 2.0], [1.5, 2.0]])) == [100_000, 200_000, 50_000, 0]


def test_answers_are_drawn_where_they_lie() -> None:
    def draw(name: str, value: Any, origin: tuple[float, float] | None = None, **params: Any) -> Any:
        question = {"format": name, "params": json.dumps(params)}
        known = outlines(
            {("h3", "871126d33ffffff"), ("s2", "46920bd"), ("geohash", "ud9wr"), ("h3", "nonsense")}
        )
        return answer(value, question, origin, known)

    assert draw("point", {"lat": 2, "lon": -1}) == [0, [-100_000, 200_000]]
    cell = draw("cell", "871126d33ffffff", system="h3")
    assert len(decoded(cell[1])) == 7
    np.testing.assert_allclose(decoded(cell[1]).mean(axis=0), [24.94, 60.17], atol=0.1)
    assert draw("cell", "nonsense", system="h3") is None
    west, south, east, north = shapely.bounds(shapely.linearrings(decoded(draw("geohash", "ud9wr")[1])))
    assert (east - west, north - south) == (
        pytest.approx(45 / 1024, abs=1e-4),
        pytest.approx(45 / 1024, abs=1e-4),
    )
    assert len(draw("composite", {"h3": "871126d33ffffff", "s2": "46920bd"})) == 3
    ray = decoded(draw("polar", {"azimuth_deg": 90.0, "distance_km": 111.32}, (10.0, 0.0))[1])
    np.testing.assert_allclose(ray[[0, -1]], [[10, 0], [11, 0]], atol=1e-3)
    assert draw("polar", {"azimuth_deg": 90.0, "distance_km": 5.0}) is None
    across = decoded(draw("polygon", {"west": 179.0, "south": -1.0, "east": -179.0, "north": 1.0})[1])
    assert np.ptp(across[:, 0]) == pytest.approx(2.0)
    assert draw("polygon", "POLYGON ((0 0, 1 0, 1 1, 0 0))")[0] == 2
    assert draw("polygon", "no shape") is None
    assert draw("distance", 5.0) is None


@pytest.mark.parametrize(
    ("name", "gold", "parsed", "words"),
    [
        ("distance", 100.0, 110.0, "d = 10 km; τ = 5 km"),
        ("area", 100.0, 90.0, "d = 10 km²; τ = 5 km²"),
        ("count", 3, 5, "d = 2; τ = 1"),
        ("date", "2020-09-18", "2020-09-20", "d = 2 days; τ = 1 day"),
        ("date", "2020-09-18", "2020", "coarser than asked"),
        ("point", {"lat": 0.0, "lon": 0.0}, {"lat": 0.0, "lon": 1.0}, "d = 111.3 km; τ = 10 km"),
        ("polar", {"azimuth_deg": 10.0, "distance_km": 10.0}, {"azimuth_deg": 20.0, "distance_km": 10.0},
         "2 times the tolerance; right below 1"),
        ("set", ["a", "b"], ["a"], "1 − Jaccard = 0.5; right at 0"),
        ("boolean", True, False, None),
    ],
)  # fmt: skip
def test_errors_are_told_in_words(name: str, gold: Any, parsed: Any, words: str | None) -> None:
    question = {"format": name, "gold": json.dumps(gold), "accepted": [], "params": "{}", "language": "eng",
                "subtemplate": "A01.a", "template": "A01"}  # fmt: skip
    assert error(parsed, question, 0.5) == words


def test_the_nearest_accepted_answer_counts() -> None:
    question = {"format": "count", "gold": "3", "accepted": ["8"], "params": "{}", "language": "eng"}
    assert error(9, question, 1.0) == "d = 1; τ = 1"


def test_breakdowns_hold_the_metrics_and_say_where_nothing_was_asked(sample: Sample) -> None:
    scored = together(sample[1])
    assert scored is not None
    table = breakdown(scored.table, scored.conditions, "language", None)
    assert [row.value for row in table.rows] == ["eng", "urd"]  # English first
    assert table.rows[1].cells[0] is None  # alpha was not asked in Urdu
    urdu = table.rows[1].cells[1]
    assert urdu is not None
    (expected,) = tabulate(scored.table.filter(pc.equal(scored.table["language"], "urd")), ())
    assert (urdu.scores.em, urdu.em.items) == (expected.em, expected.questions)
    assert urdu.delta is not None
    assert urdu.delta.pair.questions == expected.questions
    country = breakdown(
        scored.table,
        scored.conditions,
        "country",
        scored.table.filter(pc.equal(scored.table["condition"], "alpha")),
    )
    for row in country.rows:
        assert row.cells[0] is not None
        assert row.majority == row.cells[0].scores.em
        assert not row.cells[0].above  # equal is not above
    depths = breakdown(scored.table, scored.conditions, "depth", None)
    assert [row.value for row in depths.rows] == ["fact", "relation", "compound"]


def test_strata_statuses_and_diagnoses_are_counted(sample: Sample) -> None:
    benchmark, runs = sample
    scored = together(runs)
    assert scored is not None
    (heat, _) = heats(scored.table, scored.conditions, questions_of(benchmark))
    shown = {(r, c) for r, line in enumerate(heat.cells) for c, cell in enumerate(line) if cell}
    assert shown == {(0, 0), (1, 2), (2, 1), (3, 0)}  # LIC low, LMC high, UMC medium, HIC low
    by_status = dict(statuses(scored.table, scored.conditions))
    alpha = runs[0].table
    assert by_status["missing"][0] == (pc.sum(pc.equal(alpha["status"], "missing")).as_py(), alpha.num_rows)
    assert sum(line[0][0] for line in by_status.values()) == alpha.num_rows
    slips = dict(diagnoses(scored.table, scored.conditions))
    wrong = alpha.filter(
        pc.and_(alpha["premise"], pc.and_(pc.equal(alpha["em"], 0), pc.equal(alpha["status"], "answered")))
    )
    assert slips["axes_swapped"][0] == (
        pc.sum(pc.equal(wrong["diagnosis"], "axes_swapped")).as_py(),
        wrong.num_rows,
    )
    assert sum(line[0][0] for line in slips.values()) == wrong.num_rows
    assert list(slips)[-1] is None


def test_weak_cells_lie_below_their_conditions_em(sample: Sample) -> None:
    """All of Chad made wrong: the country and its family cells must come up, and no cell that is not weak."""
    _, (alpha, _) = sample
    table = alpha.table
    chad = pc.and_(pc.equal(table["country"], "TCD"), table["premise"])
    em = pc.if_else(chad, pa.scalar(0, table["em"].type), table["em"])
    ne = pc.if_else(chad, 1.0, table["ne"])
    table = table.set_column(table.column_names.index("em"), "em", em)
    table = table.set_column(table.column_names.index("ne"), "ne", ne)
    scored = together([replace(alpha, table=table)])
    assert scored is not None
    found = weak_cells(scored.table, draws=300)
    assert found.cells[0].name == "Country: Chad"
    assert found.found == len(found.cells) <= found.looked_at
    (overall,) = tabulate(table, ())
    for cell in found.cells:
        assert cell.span.high is not None
        assert cell.span.high < float(overall.em or 0)
        assert cell.span.items >= 10
    assert found.cells[0].lost == pytest.approx(float(overall.em or 0) * found.cells[0].span.items)


def test_confidently_wrong_answers_are_stated_alike_or_steady(sample: Sample) -> None:
    benchmark, (alpha, beta) = sample
    questions = questions_of(benchmark)
    scored = together([alpha, beta])
    assert scored is not None
    found = confidently_wrong(scored.table, questions, most=10_000)
    table = scored.table
    wrong = table.filter(
        pc.and_(table["premise"], pc.and_(pc.equal(table["em"], 0), pc.equal(table["status"], "answered")))
    )
    rows = wrong.select(["condition", "id", "language", "confidence", "format", "parsed"]).to_pylist()
    sure = {(r["condition"], r["id"], r["language"]) for r in rows if r["confidence"] >= 0.8}
    shared: dict[Any, set[str]] = {}
    for row in rows:
        shared.setdefault((row["id"], row["language"], row["parsed"]), set()).add(row["condition"])
    alike = {
        (r["condition"], r["id"], r["language"])
        for r in rows
        if len(shared[r["id"], r["language"], r["parsed"]]) > 1 and r["format"] != "boolean"
    }
    assert {(one.condition, one.id, one.language) for one in found} == sure | alike
    assert [one.confidence for one in found] == sorted(
        (one.confidence for one in found), key=lambda c: -(c or 0)
    )
    silent = alpha.table.set_column(
        alpha.table.column_names.index("confidence"),
        "confidence",
        pa.nulls(alpha.table.num_rows, pa.float64()),
    )
    seeds = together([with_seeds(replace(alpha, table=silent), (1, 2, 3))])
    assert seeds is not None
    steady = confidently_wrong(seeds.table, questions, most=10_000)
    assert {one.id for one in steady} == {r["id"] for r in rows if r["condition"] == "alpha"}
    assert {one.why for one in steady} == {"3 of 3 seeds"}


def test_comparisons_are_over_common_questions(sample: Sample) -> None:
    scored = together(sample[1])
    assert scored is not None
    (one,) = comparisons(scored.table, scored.conditions)
    assert (one.name_a, one.name_b) == ("alpha", "beta")
    assert one.questions == tabulate(sample[1][0].table, ())[0].questions
    assert one.difference == pytest.approx((one.only_a - one.only_b) / one.questions)  # type: ignore[operator]


def test_raw_replies_are_read_from_the_predictions(sample: Sample, tmp_path: Path) -> None:
    benchmark, (alpha, _) = sample
    ids = sorted(set(benchmark.questions["id"].to_pylist()))[:3]
    file = tmp_path / "replies.jsonl"
    lines = [{"id": ids[0], "text": 'so <b>\n{"answer": 1}'}, {"id": ids[1], "text": "ہے \ud800"}]
    file.write_text("\n".join(json.dumps(line) for line in lines), "utf-8")
    plain = alpha.table.drop_columns(["text"])
    for name in ("model", "tier"):
        column = pa.chunked_array([pa.repeat(pa.scalar(""), plain.num_rows)])
        plain = plain.set_column(plain.column_names.index(name), name, column)
    run = with_replies(replace(alpha, table=plain), file, benchmark.questions, language="eng")
    texts = dict(zip(run.table["id"].to_pylist(), run.table["text"].to_pylist(), strict=True))
    assert texts[ids[0]] == 'so <b>\n{"answer": 1}'
    assert texts[ids[1]] == "ہے ?"
    assert texts[ids[2]] is None


def test_figures_stand_in_the_page_as_pictures(sample: Sample) -> None:
    picture = '<svg xmlns="http://www.w3.org/2000/svg"><title>A & B</title></svg>'
    page = render(sample[0], sample[1][:1], countries=[], figures=[Figure("A & B", picture, "note")])
    found = re.search(r'<img src="data:image/svg\+xml;base64,([^"]+)" alt="A &amp; B"', page)
    assert found is not None
    assert base64.b64decode(found[1]).decode() == picture


def test_neighbours_on_the_world_map_share_their_border() -> None:
    drawn_map = atlas(country_surfaces())
    paths = {one["iso3"]: one["path"] for one in drawn_map["countries"]}
    assert len(paths) > 230
    assert all(path.startswith("M") and path.endswith("z") for path in paths.values())

    def vertices(iso3: str) -> set[tuple[float, float]]:
        found = set()
        for ring in paths[iso3].split("M")[1:]:
            start, _, moves = ring.rstrip("z").partition("l")
            x, y = map(float, start.split())
            numbers = [float(one) for one in moves.split()]
            found.add((round(x, 1), round(y, 1)))
            for dx, dy in zip(numbers[::2], numbers[1::2], strict=True):
                x, y = x + dx, y + dy
                found.add((round(x, 1), round(y, 1)))
        return found

    assert len(vertices("ESP") & vertices("PRT")) >= 5
    assert len(vertices("TCD") & vertices("NER")) >= 5


def test_numbers_for_people() -> None:
    assert [step(value) for value in (0, 0.19, 0.2, 0.999, 1)] == [0, 0, 1, 4, 4]
    assert [p_text(value) for value in (None, 0.0004, 0.001, 0.5)] == ["–", "< 0.001", "0.001", "0.500"]
    assert [points(value) for value in (None, -0.0312, 0.5)] == ["–", "−3.1", "+50.0"]


def test_scripts_are_whole_and_none_is_forgotten() -> None:
    folder = resources.files("multiglobeqa.report.html") / "assets"
    names = {one.name for one in folder.iterdir() if one.name.endswith(".js")}
    assert names == set(SCRIPTS)
    for name in names:
        text = (folder / name).read_text("utf-8")
        assert "</script" not in text.lower()
        assert not re.search(
            r"innerHTML|insertAdjacentHTML|document\.write|\beval\b|fetch\(|XMLHttpRequest", text
        ), name


def test_scripts_satisfy_node(tmp_path: Path) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("no node on this machine")
    folder = resources.files("multiglobeqa.report.html") / "assets"
    whole = tmp_path / "page.js"
    texts = [(folder / name).read_text("utf-8") for name in SCRIPTS]
    whole.write_text('(() => {"use strict";\n' + "\n".join(texts) + "\n})();", "utf-8")
    subprocess.run([node, "--check", str(whole)], check=True)


def test_several_seeds_show_their_spread_and_fewer_a_dagger(sample: Sample) -> None:
    benchmark, (alpha, beta) = sample
    page = render(benchmark, [with_seeds(alpha, (1, 2, 3)), beta], countries=[])
    assert "SD over 3 seeds" in page
    row = re.search(r"<tr><th scope=\"row\"><bdi>beta</bdi></th>.*?</tr>", page, re.DOTALL)
    assert row is not None
    assert "†" in row[0]
    assert "one seed" in row[0]


def test_intervals_of_the_map_are_those_of_the_metrics(sample: Sample) -> None:
    benchmark, runs = sample
    page = render(benchmark, runs[:1], countries=[])
    raw = re.search(r'id="data-atlas">([^<]+)<', page)
    assert raw is not None
    told = json.loads(gzip.decompress(base64.b64decode(raw[1])))["conditions"]["alpha"]
    assert set(told) == {"FIN", "TCD", "PAK", "BRA", "FJI"}
    scored = together(runs[:1])
    assert scored is not None
    for span in intervals(scored.table, ("condition", "country")):
        assert span.value is not None
        assert told[span.group[1]] == [span.items, float(span.value), span.low, span.high]


def test_a_run_that_was_read_back_from_its_file_is_the_same(sample: Sample, tmp_path: Path) -> None:
    benchmark, (alpha, _) = sample
    kept = ["id", "language", "status", "parsed", "em", "ne"]
    short = pa.table(
        {
            name: pc.cast(alpha.table[name], pa.string()) if name in kept[:3] else alpha.table[name]
            for name in kept
        }
    )
    pq.write_table(short, tmp_path / "alpha.parquet")
    page = render(benchmark, [read_run(benchmark, tmp_path / "alpha.parquet")], countries=[])
    assert "<bdi>alpha</bdi>" in page  # a file with the needed columns alone is enough
