"""Other benchmarks: read through a mapping, refused with file and row, scored and reported."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from multiglobeqa.build import verify
from multiglobeqa.errors import InputError
from multiglobeqa.release import Released, import_benchmark
from multiglobeqa.release.mapping import COLUMNS, read_mapping, shipped

MAPPING = """
columns:
  id: key
  question: text
  format:
    column: type
    values: {Yes/No: boolean, Metres: distance, Name: entity, Names: set, Hash: geohash, Spot: point, Number: count}
  gold: answer
  family: {column: kind, values: {Metric distance: A, Elsewhere: N}}
  country: {column: iso3, optional: true}
  kg: {constant: worldkg}
  premise: {column: answerable, values: {ja: true, nein: false}, default: true}
gold: {units: {distance: m}, point: longitude_latitude, separator: "|"}
licence: CC-BY-4.0
attribution: Somebody
"""
ROWS: list[dict[str, Any]] = [
    {"key": "a", "text": "How far?", "type": "Metres", "answer": "12500", "kind": "metric distance ", "answerable": "Ja"},
    {"key": "b", "text": "Is it?", "type": "yes/no", "answer": "No", "kind": "E", "answerable": ""},
    {"key": "c", "text": "Hash?", "type": "Hash", "answer": "8e5", "kind": "H", "answerable": "ja"},
    {"key": "d", "text": "Name?", "type": "Name", "answer": "1984", "kind": "F", "answerable": "ja"},
    {"key": "e", "text": "Where?", "type": "Spot", "answer": "16.37, 48.2", "kind": "Elsewhere", "answerable": "ja"},
    {"key": "f", "text": "Where?", "type": "Spot", "answer": "POINT (16.37 48.2)", "kind": "N", "answerable": "ja"},
    {"key": "g", "text": "Which?", "type": "Names", "answer": "Niger|Chad", "kind": "B", "answerable": "ja"},
    {"key": "h", "text": "How many?", "type": "count", "answer": "007", "kind": "b", "answerable": "ja"},
    {"key": "i", "text": "How far?", "type": "Metres", "answer": "", "kind": "A", "answerable": "nein"},
]  # fmt: skip
GOLDS = {
    "a": 12.5,
    "b": False,
    "c": "8e5",
    "d": "1984",
    "e": {"lat": 48.2, "lon": 16.37},
    "f": {"lat": 48.2, "lon": 16.37},
    "g": ["Chad", "Niger"],
    "h": 7,
    "i": None,
}


@pytest.fixture
def mapping(tmp_path: Path) -> Path:
    path = tmp_path / "my.yaml"
    path.write_text(MAPPING)
    return path


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    match path.suffix:
        case ".csv":
            with path.open("w", newline="") as stream:
                writer = csv.DictWriter(stream, list(rows[0]))
                writer.writeheader()
                writer.writerows(rows)
        case ".jsonl":
            path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        case _:
            pq.write_table(pa.Table.from_pylist(rows), path)
    return path


def golds(folder: Path) -> dict[str, Any]:
    rows = pq.read_table(folder / "questions.parquet").to_pylist()
    return {row["id"]: row["gold"] and json.loads(row["gold"]) for row in rows}


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet"])
def test_golds_become_canonical(tmp_path: Path, mapping: Path, suffix: str) -> None:
    rows: list[dict[str, Any]] = [dict(row) for row in ROWS]
    if suffix != ".csv":
        rows = [row | {"answerable": row["answerable"] or None} for row in rows]
    done = import_benchmark(write(tmp_path / f"t{suffix}", rows), mapping, tmp_path / "o")
    assert golds(tmp_path / "o") == GOLDS
    assert (done.questions, done.facts, dict(done.dropped)) == (9, 0, {})
    table = {row["id"]: row for row in pq.read_table(tmp_path / "o/questions.parquet").to_pylist()}
    assert [table[key]["premise"] for key in "abi"] == [True, True, False]
    assert [table[key]["family"] for key in "abh"] == ["A", "E", "B"]
    assert (table["a"]["unit"], table["a"]["kg"], table["a"]["country"]) == ("km", "worldkg", None)


def test_values_of_json_types(tmp_path: Path, mapping: Path) -> None:
    rows: list[dict[str, Any]] = [dict(ROWS[0]), dict(ROWS[1]), dict(ROWS[4]), dict(ROWS[6]), dict(ROWS[0])]
    values = [12500, False, [16.37, 48.2], ["Niger", "Chad"], "12.5 km"]
    for number, value in enumerate(values):
        rows[number] |= {"answer": value, "key": number}
    import_benchmark(write(tmp_path / "t.jsonl", rows), mapping, tmp_path / "o")
    assert golds(tmp_path / "o") == {
        "0": 12.5,
        "1": False,
        "2": {"lat": 48.2, "lon": 16.37},
        "3": ["Chad", "Niger"],
        "4": 12.5,
    }


def test_unit_of_a_column(tmp_path: Path, mapping: Path) -> None:
    mapping.write_text(
        MAPPING.replace("{units: {distance: m}, ", "{").replace("  kg:", "  unit: unit\n  kg:")
    )
    rows = [ROWS[0] | {"key": unit, "answer": "10", "unit": unit} for unit in ("km", "miles", "m", "furlong")]
    done = import_benchmark(write(tmp_path / "t.csv", rows), mapping, tmp_path / "o")
    assert golds(tmp_path / "o") == {"km": 10, "miles": pytest.approx(16.09344), "m": 0.01}
    assert done.dropped == {"gold is no distance": 1}
    assert set(pq.read_table(tmp_path / "o/questions.parquet")["unit"].to_pylist()) == {"km"}


@pytest.mark.parametrize("language", ["eng", "deu"])
def test_a_number_in_a_table_has_a_decimal_point(tmp_path: Path, mapping: Path, language: str) -> None:
    mapping.write_text(MAPPING.replace("  kg:", f"  language: {{constant: {language}}}\n  kg:"))
    import_benchmark(write(tmp_path / "t.csv", [ROWS[0] | {"answer": "1.234"}]), mapping, tmp_path / "o")
    assert golds(tmp_path / "o") == {"a": 0.001234}


def test_a_bom_and_quoted_line_feeds_keep_their_line(tmp_path: Path, mapping: Path) -> None:
    table = write(
        tmp_path / "t.csv", [ROWS[0] | {"text": "How\nfar?"}, ROWS[0] | {"key": "x", "answer": "far"}]
    )
    table.write_bytes(b"\xef\xbb\xbf" + table.read_bytes())
    done = import_benchmark(table, mapping, tmp_path / "o")
    assert golds(tmp_path / "o") == {"a": 12.5}
    assert done.examples["gold is no distance"][0].startswith("t.csv:4: ")


def test_drops_are_counted_with_their_place(tmp_path: Path, mapping: Path) -> None:
    bad = [
        ROWS[0] | {"key": "x", "answer": "far away"},
        ROWS[0] | {"key": "y", "answer": ""},
        ROWS[0],
        ROWS[0] | {"key": "z", "text": " "},
    ]
    done = import_benchmark(write(tmp_path / "t.csv", ROWS + bad), mapping, tmp_path / "o")
    assert done.dropped == {"gold is no distance": 1, "no gold answer": 1, "repeated id": 1, "no question": 1}
    assert done.examples["gold is no distance"][0].startswith("t.csv:11: ")
    assert done.examples["repeated id"] == ["t.csv:13: the id a stands twice"]
    assert golds(tmp_path / "o") == GOLDS
    summary = json.loads((tmp_path / "o/build.json").read_text())
    assert {row["cause"]: row["count"] for row in summary["discards"]} == dict(done.dropped)


@pytest.mark.parametrize(
    ("change", "row", "message"),
    [
        (("question: text", "question: prompt"), {}, r"t\.csv: has no column 'prompt'.*for 'question'.*Its columns: key, text"),
        (("", ""), {"type": "Essay"}, r"t\.csv:3: column 'type' holds 'Essay', which stands for no format.*ours: area"),
        (("", ""), {"kind": "Z"}, r"t\.csv:3: column 'kind' holds 'Z', which stands for no family"),
        (("Yes/No: boolean", "Yes/No: bool"), {}, r"t\.csv:3: .*'bool', which stands for no format"),
        (("", ""), {"answerable": "vielleicht"}, r"t\.csv:3: column 'answerable' holds 'vielleicht'"),
        (("columns:", "colums:"), {}, r"my\.yaml"),
        (("  gold: answer\n", ""), {}, r"our column 'gold' is not mapped"),
        (("gold: answer", "golden: answer"), {}, r"my\.yaml:columns: .*'golden' is none of our columns"),
        (("distance: m}", "point: m}"), {}, r"my\.yaml:gold\.units: .*'point' is no format of one number"),
        (("kg: {constant: worldkg}", "kg: {constant: a, column: b}"), {}, r"my\.yaml:columns\.kg: .*either column or constant"),
        (("columns:", "columns: ["), {}, r"my\.yaml:\d+: is not YAML"),
    ],
)  # fmt: skip
def test_errors_name_file_and_row(
    tmp_path: Path, mapping: Path, change: tuple[str, str], row: dict[str, str], message: str
) -> None:
    mapping.write_text(MAPPING.replace(*change) if change[0] else MAPPING)
    table = write(tmp_path / "t.csv", [ROWS[0], ROWS[1] | row])
    with pytest.raises(InputError, match=message):
        import_benchmark(table, mapping, tmp_path / "o")
    assert not (tmp_path / "o").exists()


def test_broken_files(tmp_path: Path, mapping: Path) -> None:
    cases: dict[str, tuple[bytes, str]] = {
        "a.csv": (
            b"key,text,type,answer,kind,answerable\na,b\n",
            r"a\.csv:2: has 2 cells, and the head has 6",
        ),
        "b.jsonl": (json.dumps(ROWS[0]).encode() + b"\n{broken\n", r"b\.jsonl:2: is not JSON"),
        "c.jsonl": (b"[1]\n", r"c\.jsonl:1: is no object"),
        "d.parquet": (b"PAR1 no", r"d\.parquet: cannot be read as Parquet"),
        "e.csv": (b"key,text,type,answer,kind,answerable\n\xff,,,,,\n", r"e\.csv: cannot be read as CSV"),
        "f.txt": (b"", r"f\.txt: is no table"),
    }
    for name, (content, message) in cases.items():
        (tmp_path / name).write_bytes(content)
        with pytest.raises(InputError, match=message):
            import_benchmark(tmp_path / name, mapping, tmp_path / "o")
    with pytest.raises(InputError, match="does not exist"):
        import_benchmark(tmp_path / "none.csv", mapping, tmp_path / "o")
    with pytest.raises(InputError, match="one of: paper, release"):
        import_benchmark(write(tmp_path / "t.csv", ROWS), tmp_path / "no.yaml", tmp_path / "o")
    with pytest.raises(InputError, match=r"has no row that can be used: t\.csv:2: "):
        import_benchmark(write(tmp_path / "t.csv", [ROWS[0] | {"answer": "?"}]), mapping, tmp_path / "o")


def test_shipped_mappings_can_be_read() -> None:
    assert set(shipped()) == {"paper", "release"}
    for name in shipped():
        assert set(read_mapping(name).rules()) <= set(COLUMNS)
    head = shipped()["paper"].read_text()[:400]
    assert "COLUMNS ARE NOT KNOWN" in head


def test_paper_mapping_reads_a_table_with_its_guessed_columns(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"question": "How far?", "answer": "12.5", "kg": "OSMH3KG", "sfid": "Metric distance and proximity", "answer_type": "Distance"},
        {"question": "Which cell?", "answer": "8928308280fffff", "kg": "WorldKG", "sfid": "H", "answer_type": "H3/S2 cell"},
        {"question": "Why?", "answer": None, "kg": "KnowWhereGraph", "sfid": "F", "answer_type": "Entity name", "answerable": False},
    ]  # fmt: skip
    done = import_benchmark(write(tmp_path / "t.jsonl", rows), "paper", tmp_path / "o")
    table = pq.read_table(tmp_path / "o/questions.parquet").to_pylist()
    assert (done.questions, dict(done.dropped)) == (3, {})
    assert [row["family"] for row in table] == ["A", "H", "F"]
    assert [row["gold"] for row in table] == ["12.5", '"8928308280fffff"', None]
    assert len({row["id"] for row in table}) == 3 and all(len(row["id"]) == 16 for row in table)


def test_own_release_comes_back_whole(released: Released, benchmark: Path, tmp_path: Path) -> None:
    """Release, import, verify: the same rows and facts, and every answer solved again."""
    done = import_benchmark(released.path / "data/eng/small", "release", tmp_path / "o")
    original = {row["id"]: row for row in pq.read_table(benchmark / "questions.parquet").to_pylist()}
    rows = pq.read_table(tmp_path / "o/questions.parquet").to_pylist()
    assert len(rows) == done.questions == released.rows["eng-small", "test"]
    assert all(row == original[row["id"]] for row in rows)
    facts = {row["fact_id"]: row for row in pq.read_table(benchmark / "facts.parquet").to_pylist()}
    taken = pq.read_table(tmp_path / "o/facts.parquet").to_pylist()
    assert all(row == facts[row["fact_id"]] for row in taken) and len(taken) == done.facts > 20
    result = verify(tmp_path / "o", threads=1)
    assert (result.agreed, result.total, result.differences) == (len(rows), len(rows), [])


def test_facts_that_contradict_stop_the_import(tmp_path: Path) -> None:
    rows = [
        {"question": f"Q{n}?", "gold": "1.0", "family": "A", "format": "distance", "fact_ids": [0], "triples": [f"<a> <b> <{n}> ."]}
        for n in range(2)
    ]  # fmt: skip
    with pytest.raises(InputError, match=r"t\.jsonl:2: fact 0 is another triple"):
        import_benchmark(write(tmp_path / "t.jsonl", rows), "release", tmp_path / "o")


def test_imported_folder_is_scored_and_reported(
    tmp_path: Path, mapping: Path, run: Callable[..., tuple[int, str]]
) -> None:
    table, folder = write(tmp_path / "t.csv", ROWS), tmp_path / "o"

    def mgqa(*arguments: object) -> str:
        code, said = run(*arguments)
        return f"{code}: {said}"

    assert "9 questions in" in (
        said := mgqa("import-benchmark", table, "--mapping", mapping, "--out", folder)
    )
    assert "no triples" in said
    replies = tmp_path / "r.jsonl"
    answers = [{"id": key, "answer": gold} if gold is not None else {"id": key, "declined": True} for key, gold in GOLDS.items()]  # fmt: skip
    replies.write_text("".join(json.dumps(row) + "\n" for row in answers))
    scores = tmp_path / "s.parquet"
    assert "EM r: 100 % of 8 questions" in mgqa("score", replies, "--benchmark", folder, "--out", scores)
    assert mgqa("report", scores, "--benchmark", folder, "--html", tmp_path / "r.html").startswith("0: ")
    page = (tmp_path / "r.html").read_text()
    assert "CC-BY-4.0" in page and "Somebody" in page
    assert "without triples no answer can be computed again" in mgqa("verify", folder)
    assert "facts.parquet" in mgqa("baseline", "oracle-solver", folder, "--out", tmp_path / "b.jsonl")
    shown = mgqa("import-benchmark", "--show-mapping", "release")
    assert shown == "0: " + shipped()["release"].read_text()
    assert "There are: paper, release" in mgqa("import-benchmark", "--show-mapping", "nothing")


def test_release_command(benchmark: Path, tmp_path: Path, run: Callable[..., tuple[int, str]]) -> None:
    code, said = run("release", benchmark, "--out", tmp_path / "o", "--no-snapshots", "--threads", 1)
    assert code == 0
    assert "no licence" in said and "eng-small-image" in said
    code, said = run(
        "release",
        benchmark,
        "--out",
        tmp_path / "o",
        "--no-snapshots",
        "--no-images",
        "--threads",
        1,
        "--json",
    )
    told = json.loads(said)
    assert code == 0
    assert {row["config"] for row in told["questions"]} == {"eng-large", "eng-small"}
    assert told["left_out"] == [{"split": "test", "cause": "left_out_on_request", "questions": 4}]
    code, said = run("release", benchmark, "--out", tmp_path / "p", "--threads", 1)
    assert code == 1 and "not at hand" in said and "--no-snapshots" in said
