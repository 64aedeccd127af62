"""Every form of predictions, among them logs that Inspect and lm-evaluation-harness wrote themselves."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from multiglobeqa.errors import InputError
from multiglobeqa.evaluate.predictions import Fault, Record, open_predictions, source
from multiglobeqa.evaluate.predictions import record as kinds
from multiglobeqa.evaluate.predictions.bulk import bulk_table
from multiglobeqa.evaluate.predictions.record import Costs
from multiglobeqa.evaluate.predictions.rows import record_of
from multiglobeqa.evaluate.predictions.source import Block

LOGS = Path(__file__).with_name("logs")
ROWS = [
    {"id": "q01", "text": '{"answer": 12.5}'},
    {"id": "q02", "text": 'Zażółć\nit is\n"x", I think'},
]


def read(path: Path, encoding: str | None = None) -> tuple[str, list[Record], list[Fault]]:
    opened = open_predictions(path, encoding)
    found = list(opened.read())
    return (
        opened.form,
        [one for one in found if isinstance(one, Record)],
        [one for one in found if isinstance(one, Fault)],
    )


def lines(rows: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


@pytest.mark.parametrize("name", ["inspect.eval", "inspect.json"])
def test_logs_of_inspect(name: str) -> None:
    form, records, faults = read(LOGS / name)
    assert form == "Inspect log"
    assert not faults
    by_key = {(one.id, one.seed): one for one in records}
    assert {key[0] for key in by_key} == {"q01", "q02", "q07", "q15", "q16"} | (
        {"q30"} if name.endswith("json") else set()
    )
    assert len(records) == len(by_key) == 2 * len({one.id for one in records})
    first = by_key["q01", 0]
    assert (first.kind, first.body) == (kinds.TEXT, '{"answer": 11.131949, "declined": false}')
    assert (first.model, first.language, first.tier) == ("mockllm/model", "eng", "")
    assert first.costs.tokens_in == 105, "input and cached tokens: 125 in all, 20 of them out"
    assert (first.costs.tokens_out, first.costs.tokens_reasoning, first.costs.cap_hit) == (20, 7, False)
    assert first.costs.seconds is not None
    assert 0 < first.costs.seconds < 60
    capped = by_key["q02", 0]
    assert (capped.kind, capped.otherwise, capped.costs.cap_hit) == (kinds.TEXT, kinds.BUDGET, True)
    assert by_key["q02", 1].kind == kinds.BUDGET, "no text at all, and the cap was hit"
    if name.endswith("json"):
        failed = by_key["q30", 0]
        assert (failed.kind, failed.body) == (kinds.HARNESS, None)
        assert "server gave up" in failed.reason


def test_a_zip_that_is_no_log(tmp_path: Path) -> None:
    import zipfile

    with zipfile.ZipFile(tmp_path / "a.eval", "w") as archive:
        archive.writestr("note.txt", "x")
    with pytest.raises(InputError, match=r"no log of Inspect"):
        read(tmp_path / "a.eval")
    whole = (LOGS / "inspect.eval").read_bytes()
    (tmp_path / "cut.eval").write_bytes(whole[:9000])
    with pytest.raises(InputError, match="cannot be read as a log of Inspect"):
        read(tmp_path / "cut.eval")


def test_an_eval_log_with_common_compression_and_a_broken_sample(tmp_path: Path) -> None:
    import zipfile

    with zipfile.ZipFile(tmp_path / "a.eval", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(
            "header.json", json.dumps({"version": 2, "status": "success", "eval": {"model": "m"}})
        )
        archive.writestr(
            "samples/a_epoch_1.json", json.dumps({"id": 7, "epoch": 1, "output": {"completion": "x"}})
        )
        archive.writestr("samples/b_epoch_1.json", '{"id": ')
    _, records, faults = read(tmp_path / "a.eval")
    assert [(one.id, one.number, one.model, one.body) for one in records] == [("7", True, "m", "x")]
    assert len(faults) == 1
    assert "b_epoch_1" in faults[0].what


def test_samples_of_lm_evaluation_harness() -> None:
    form, records, faults = read(LOGS / "samples_geo.jsonl")
    assert form == "lm-evaluation-harness samples"
    assert [(one.id, one.seed) for one in records] == [
        (identity, seed) for identity in ("q01", "q07", "q15", "q02", "q16") for seed in (0, 1)
    ]
    assert records[2].body == 'I think it is {"answer": "Café Due", "declined": false}'
    assert records[3].body == '{"answer": 12, "declined": false}', "the second repeat"
    assert all(one.language == "eng" for one in records)
    assert [fault.kind for fault in faults] == ["repeat"] * 5, "the same responses under the filter `number`"


def test_samples_without_an_id_have_their_number(tmp_path: Path) -> None:
    file = tmp_path / "samples_x.jsonl"
    file.write_text(lines([{"doc_id": 3, "doc": {"q": 1}, "resps": [], "filtered_resps": ["a"], "filter": "none"},
                           {"doc_id": 4, "doc": "x", "filtered_resps": ["b"]}]), "utf-8")  # fmt: skip
    _, records, faults = read(file)
    assert [(one.id, one.number, one.kind) for one in records] == [("3", True, kinds.EMPTY)]
    assert len(faults) == 1
    assert faults[0].kind == "repeat", "no filter is another filter than none"


def test_a_run_folder(tmp_path: Path) -> None:
    row = {
        "id": "a", "language": "deu", "tier": "T1", "seed": 2, "model": "m", "attempt": 1, "final": True, "text": "x",
        "tokens_in": 5, "tokens_out": 6, "tokens_reasoning": 2, "steps": 3, "tool_calls": 4, "seconds": 1.5, "cost": 0.25,
        "cap_hit": False, "confidence": 0.5,
    }  # fmt: skip
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "log.jsonl").write_text(
        lines([row, {"id": "b", "status": "overflow", "error": "too long", "attempt": 1}]), "utf-8"
    )
    form, records, faults = read(tmp_path / "run")
    assert (form, faults) == ("run log", [])
    costs = Costs(0.5, 5, 6, 2, 3, 4, 1.5, 0.25, False)
    assert records[0] == Record(1, "a", False, "deu", "m", "T1", 2, kinds.TEXT, "x", "", 0, True, 1, costs)
    assert (records[1].kind, records[1].reason) == (kinds.OVERFLOW, "too long")
    (tmp_path / "run" / "log.jsonl").unlink()
    (tmp_path / "run" / "other.csv").write_text("x", "utf-8")
    with pytest.raises(InputError, match=r"has no log.jsonl: it holds other.csv"):
        read(tmp_path / "run")


@pytest.mark.parametrize(
    ("row", "kind", "body"),
    [
        ({"text": "x"}, kinds.TEXT, "x"),
        ({"reply": "x"}, kinds.TEXT, "x"),
        ({"reply": {"answer": 5}}, kinds.TEXT, '{"answer": 5}'),
        ({"reply": 5}, kinds.TEXT, "5"),
        ({"prediction": "Paris"}, kinds.LOOSE, "Paris"),
        ({"answer": "Paris"}, kinds.ANSWER, '"Paris"'),
        ({"answer": False}, kinds.ANSWER, "false"),
        ({"answer": None, "declined": True}, kinds.DECLINED, None),
        ({"answer": 5, "declined": True}, kinds.DECLINED, None),
        ({"text": None}, kinds.EMPTY, None),
        ({"answer": None}, kinds.EMPTY, None),
        ({"answer": float("nan")}, kinds.BAD, None),
        ({"text": "\ud800"}, kinds.QUOTED, '"\\ud800"'),
        ({"status": "budget", "text": "x"}, kinds.BUDGET, None),
        ({"status": "ok", "text": "x"}, kinds.TEXT, "x"),
    ],
)
def test_what_a_row_holds(tmp_path: Path, row: dict[str, Any], kind: int, body: str | None) -> None:
    file = tmp_path / "p.jsonl"
    file.write_text(json.dumps({"id": "a", **row}) + "\n", "utf-8")
    (found,) = read(file)[1]
    assert (found.kind, found.body) == (kind, body)


@pytest.mark.parametrize("delimiter", [",", "\t", ";", "|"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_tables_with_quoted_line_breaks(tmp_path: Path, delimiter: str, encoding: str, end: str) -> None:
    file = tmp_path / "p.csv"
    quoted = [[str(row["id"]), '"' + row["text"].replace('"', '""') + '"'] for row in ROWS]
    text = end.join(delimiter.join(cells) for cells in [["ID", "Text"], *quoted])
    file.write_bytes(text.encode(encoding))
    form, records, faults = read(file)
    assert (form, faults) == ("CSV", [])
    assert [(one.id, one.body) for one in records] == [(row["id"], row["text"]) for row in ROWS]
    assert [one.place for one in records] == [2, 5], "the last line of each row"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_encodings_of_json_lines(tmp_path: Path, encoding: str) -> None:
    file = tmp_path / "p.jsonl"
    file.write_bytes(lines(ROWS).encode(encoding))
    form, records, faults = read(file)
    assert (form, faults) == ("JSON Lines", [])
    assert [one.body for one in records] == [row["text"] for row in ROWS]


def test_another_encoding_is_named(tmp_path: Path) -> None:
    file = tmp_path / "p.jsonl"
    file.write_bytes('{"id": "a", "text": "é"}\n{"id": "b", "text": "x"}\n'.encode("latin-1"))
    _, records, faults = read(file)
    assert [one.id for one in records] == ["b"]
    assert faults == [Fault(1, "byte 21 is not UTF-8", "encoding")]
    _, records, faults = read(file, "latin-1")
    assert [one.body for one in records] == ["é", "x"]
    with pytest.raises(InputError, match="'klingon' is no encoding"):
        read(file, "klingon")


@pytest.mark.parametrize("suffix", ["gz", "zst"])
def test_compressed_files_whole_and_cut(tmp_path: Path, suffix: str) -> None:
    plain = lines([{"id": f"q{n}", "text": f"{n} " * 50} for n in range(3000)]).encode()
    file = tmp_path / f"p.jsonl.{suffix}"
    if suffix == "gz":
        file.write_bytes(gzip.compress(plain))
    else:
        with pa.CompressedOutputStream(str(file), "zstd") as sink:
            sink.write(plain)
    assert len(read(file)[1]) == 3000
    file.write_bytes(file.read_bytes()[: file.stat().st_size * 2 // 3])
    _, records, faults = read(file)
    assert 0 < len(records) < 3000
    assert [fault.kind for fault in faults][-1:] == ["truncated"]


def test_a_json_array(tmp_path: Path) -> None:
    file = tmp_path / "p.json"
    file.write_text(json.dumps([*ROWS, 5], indent=2), "utf-8")
    form, records, faults = read(file)
    assert (form, [one.place for one in records], [one.place for one in faults]) == (
        "JSON array",
        [1, 2],
        [3],
    )
    file.write_text(json.dumps(ROWS)[:-5], "utf-8")
    with pytest.raises(InputError, match="is not JSON"):
        read(file)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"PAR1 and more", "is Parquet"),
        (b"just some words", "is no file of predictions; it starts with 'just some words'"),
        (b"name,value\na,1\n", "has neither an id nor a reply in its head 'name,value'"),
    ],
)
def test_files_that_are_none(tmp_path: Path, content: bytes, message: str) -> None:
    file = tmp_path / "p.x"
    file.write_bytes(content)
    with pytest.raises(InputError, match=message):
        read(file)
    with pytest.raises(InputError, match="does not exist"):
        read(tmp_path / "absent")


@pytest.mark.parametrize(
    ("line", "kind", "what"),
    [
        ("{", "broken", "is not JSON"),
        ("[1]", "broken", "is no object but a list"),
        ("[" * 100_000, "broken", "is not JSON"),
        ('{"answer": 1}', "broken", "it has no id; its keys: answer"),
        ('{"id": ["a"], "answer": 1}', "broken", "its id is"),
        ('{"id": "b"}', "broken", "neither text, answer nor declined"),
        ('{"id": "b", "id": "c", "answer": 1}', "broken", "'id' stands twice"),
        ('{"id": "b", "answer": 1, "seed": 1.5}', "broken", "seed 1.5 is no whole number"),
        ('{"id": "b", "answer": 1, "language": "German"}', "broken", "language 'German' is no ISO 639 code"),
        ('{"id": "b", "answer": 1, "cost": "dear"}', "cost", "1 costs are no numbers"),
    ],
)
def test_broken_lines_are_named(tmp_path: Path, line: str, kind: str, what: str) -> None:
    file = tmp_path / "p.jsonl"
    file.write_text('{"id": "a", "answer": 1}\n' + line + '\n{"id": "z", "answer": 1}\n', "utf-8")
    _, records, (fault,) = read(file)
    assert [one.id for one in records][:: len(records) - 1] == ["a", "z"]
    assert (fault.place, fault.kind) == (2, kind)
    assert what in fault.what


def test_a_broken_first_line_does_not_hide_the_form(tmp_path: Path) -> None:
    file = tmp_path / "p.jsonl"
    file.write_text("oops\n" + lines(ROWS), "utf-8")
    form, records, faults = read(file)
    assert (form, len(records), [fault.place for fault in faults]) == ("JSON Lines", 2, [1])


def test_a_last_line_that_breaks_off(tmp_path: Path) -> None:
    file = tmp_path / "p.jsonl"
    file.write_text(lines(ROWS) + '{"id": "c", "text": "hal', "utf-8")
    _, records, faults = read(file)
    assert (len(records), faults) == (2, [Fault(3, "the last line breaks off", "truncated")])
    table = tmp_path / "p.csv"
    table.write_text("id,model,text\na,m,x\nb,m", "utf-8")
    _, records, faults = read(table)
    assert ([one.id for one in records], [(f.place, f.kind) for f in faults]) == (["a"], [(3, "truncated")])


def test_a_quote_that_is_never_closed_costs_one_row(tmp_path: Path) -> None:
    file = tmp_path / "p.csv"
    file.write_text('id,text\na,x\nb,"open\nc,y\nd,"z"\ne,w\n', "utf-8")
    _, records, faults = read(file)
    assert [one.id for one in records] == ["a", "c", "d", "e"]
    assert [fault.place for fault in faults] == [3]


def test_languages_and_numbers_of_a_table(tmp_path: Path) -> None:
    file = tmp_path / "p.tsv"
    file.write_text("id\tlanguage\tseed\tanswer\ttokens_in\n1\tpt-BR\t3\t12,5 km\t7\n2\t\t\t\t\n", "utf-8")
    _, records, faults = read(file)
    assert faults == []
    assert [(r.id, r.language, r.seed, r.kind, r.body, r.costs.tokens_in) for r in records] == [
        ("1", "por", 3, kinds.ANSWER, '"12,5 km"', 7),
        ("2", None, 0, kinds.EMPTY, None, None),
    ]


WHOLE = {
    "id": "a1",
    "language": "de",
    "text": "x",
    "tokens_in": 3,
    "seconds": 1,
    "cap_hit": True,
    "config": {"k": [1]},
}


@pytest.mark.parametrize(
    ("row", "bulk"),
    [
        (WHOLE, True),
        ({"id": "a1", "text": ""}, True),
        ({"id": "a1", "text": "x", "answer": 5, "declined": True}, True),
        (
            {
                "id": "a1",
                "text": "x",
                "status": "ok",
                "model": None,
                "tier": None,
                "seed": None,
                "cost": None,
            },
            True,
        ),
        ({"id": "a1", "text": "x", "status": "budget", "error": "", "reason": "out of steps"}, True),
        ({"id": "a1", "status": "harness", "error": "no server", "attempt": 2, "final": True}, True),
        ({"id": "a1", "text": '\u0000\ufeff \u2028 é 😀 \\ " </think>'}, True),
        ({"id": "a1", "text": None}, False),
        ({"id": "a1", "text": 5}, False),
        ({"id": "a1", "answer": 5}, False),
        ({"id": 5, "text": "x"}, False),
        ({"id": " a1", "text": "x"}, False),
        ({"id": "", "text": "x"}, False),
        ({"question_id": "a1", "text": "x"}, False),
        ({"id": "a1", "text": "x", "seed": 1.5}, False),
        ({"id": "a1", "text": "x", "seed": "1"}, False),
        ({"id": "a1", "text": "x", "seed": 1 << 40}, False),
        ({"id": "a1", "text": "x", "language": "German"}, False),
        ({"id": "a1", "text": "x", "cost": "dear"}, False),
        ({"id": "a1", "text": "x", "cost": float("inf")}, False),
        ({"id": "a1", "text": "\ud800"}, False),
        ({"id": "a1", "text": "x", "model": {"name": "m"}}, False),
    ],
)
def test_lines_read_together_are_as_lines_read_alone(row: dict[str, Any], bulk: bool) -> None:
    data = "".join(json.dumps(one) + "\n" for one in (WHOLE, row, {**WHOLE, "id": "z9"})).encode()
    for sent in (data, data.removesuffix(b"\n"), data.replace(b"\n", b"\r\n"), b"\xef\xbb\xbf" + data):
        found = bulk_table(Block(1, 0, sent))
        assert (found is not None) is bulk
        if found is not None:
            records = [
                record_of(json.loads(line), number)[0] for number, line in enumerate(data.splitlines(), 1)
            ]
            assert found.equals(pa.concat_tables(kinds.tables(records)))


@pytest.mark.parametrize(
    "line", ["{", "", "[1]", '{"id": "b", "id": "c", "text": "x"}', '{"id": "b", "text": "x"} x', "null"]
)
def test_blocks_with_a_broken_line_are_left_to_the_lines(line: str) -> None:
    data = (json.dumps(WHOLE) + "\n" + line + "\n" + json.dumps(WHOLE) + "\n").encode()
    assert bulk_table(Block(1, 0, data)) is None
    assert bulk_table(Block(1, 0, data.replace(b"\n" + line.encode() + b"\n", b"\n"))) is not None
    assert bulk_table(Block(1, 0, data[:-20])) is None
    assert bulk_table(Block(1, 0, data.replace(b'"x"', b'"\xe9"'))) is None


def test_a_long_file_is_read_in_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows: list[dict[str, Any]] = [{"id": f"q{n}", "text": f"é {n}"} for n in range(500)]
    rows[230] = {"id": "q230", "answer": 7}
    file = tmp_path / "p.jsonl"
    file.write_text(lines(rows) + '{"id": "cut', "utf-8")
    monkeypatch.setattr(source, "_READ", 1000)
    monkeypatch.setattr(source, "_PIECE", 700)
    seen: list[Record | Fault] = []

    def see(one: Record | Fault) -> bool:
        seen.append(one)
        return isinstance(one, Record)

    table = pa.concat_tables(open_predictions(file).tables(see))
    assert table["place"].to_pylist() == list(range(1, 501))
    assert table["id"].to_pylist() == [f"q{n}" for n in range(500)]
    assert table["body"].to_pylist() == ["7" if n == 230 else f"é {n}" for n in range(500)]
    assert 1 < len([one for one in seen if isinstance(one, Record)]) < 100, "one block was read line by line"
    assert [one for one in seen if isinstance(one, Fault)] == [
        Fault(501, "the last line breaks off", "truncated")
    ]


def test_wide_files_that_break_off_or_hold_halves_of_characters(tmp_path: Path) -> None:
    whole = lines([{"id": f"q{n}", "text": "é"} for n in range(20)]).encode("utf-16-le")
    file = tmp_path / "p.jsonl"
    file.write_bytes(b"\xff\xfe" + whole[:-7])
    _, records, faults = read(file)
    assert (len(records), {fault.kind for fault in faults}) == (19, {"truncated"})
    file.write_bytes(b"\xff\xfe" + whole.replace("é".encode("utf-16-le"), b"\x00\xd8", 1))
    _, records, faults = read(file)
    assert (len(records), [(fault.place, fault.kind) for fault in faults]) == (19, [(1, "encoding")])
