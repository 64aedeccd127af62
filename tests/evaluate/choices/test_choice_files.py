"""Questions files: languages, checking, and what becomes of every item."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from multiglobeqa.errors import InputError
from multiglobeqa.evaluate.choices.faults import DISPUTED, REFUSED, WARNED
from multiglobeqa.evaluate.choices.jsonl import read_lines
from multiglobeqa.evaluate.choices.languages import read_language, short
from multiglobeqa.evaluate.choices.load import load, write

ARTICLE = {
    "id": "mgqa_swa_0012", "language": "sw", "question": "Je! ni mji gani ulio mashariki mwa Ziwa Victoria?",
    "options": ["Kisumu", "Kampala", "Mwanza", "Entebbe"], "answer": "Kisumu", "answer_index": 0,
    "question_type": "spatial_relation", "region": "East Africa", "source": "localized_original",
}  # fmt: skip


def written(path: Path, rows: list[Any]) -> Path:
    """Rows as JSON Lines: objects, or a line as it stands."""
    lines = [row if isinstance(row, bytes) else json.dumps(row, ensure_ascii=False).encode() for row in rows]
    path.write_bytes(b"\n".join(lines) + b"\n")
    return path


def row(**changes: Any) -> dict[str, Any]:
    return {**ARTICLE, **changes}


@pytest.mark.parametrize(
    ("tag", "code", "script"),
    [
        ("sw", "swa", None), ("swa", "swa", None), ("SWH", "swa", None), ("zh-Hant", "zho", "Hant"), ("zh_cn", "zho", None),
        ("cmn", "zho", None), ("pt-BR", "por", None), ("sr-Latn-RS", "srp", "Latn"), ("ger", "deu", None), ("iw", "heb", None),
        ("ka", "kat", None), ("ha", "hau", None), ("yor", "yor", None), ("xx", "xx", None), ("zh-yue-Hant-HK", "zho", "Hant"),
    ],
)  # fmt: skip
def test_language_codes(tag: str, code: str, script: str | None) -> None:
    language = read_language(tag)
    assert (language.code, language.script, language.tag) == (code, script, tag)


@pytest.mark.parametrize("tag", ["", "Swahili", "s", "12", None, 3, "zh-", "e n"])
def test_what_is_no_language_code(tag: object) -> None:
    with pytest.raises(InputError, match="no language code"):
        read_language(tag)


def test_short_codes() -> None:
    assert [short(code) for code in ("swa", "zho", "hau", "xyz")] == ["sw", "zh", "ha", "xyz"]
    assert read_language("swh").short == "sw"


def test_the_article_s_item(tmp_path: Path) -> None:
    found = load(written(tmp_path / "dev.jsonl", [{**ARTICLE, "note": [1]}]))
    (item,) = found.items
    assert (item.answer, item.language.code, item.region) == ("Kisumu", "swa", "East Africa")
    assert item.as_json() == {**ARTICLE, "note": [1]}
    assert write(tmp_path / "again.jsonl", found.items) == 1
    assert load(tmp_path / "again.jsonl").items == found.items
    assert found.summary() == {
        "file": "dev.jsonl", "total": 1, "read": 1, "disputed": [], "refused": 0, "faults": {}
    }  # fmt: skip


FAULTY: list[tuple[str, Any]] = [
    ("missing_key", row(id=None)),
    ("missing_key", {key: value for key, value in ARTICLE.items() if key not in ("answer", "answer_index")}),
    ("missing_key", row(question="")),
    ("language", row(language="Swahili")),
    ("options_not_list", row(options="Kisumu, Kampala")),
    ("options_not_list", row(options={"A": "Kisumu"})),
    ("too_few_options", row(options=["Kisumu"])),
    ("empty_option", row(options=["Kisumu", " ", "Mwanza"])),
    ("wrong_type", row(options=["Kisumu", None])),
    ("wrong_type", row(options=["Kisumu", True])),
    ("index_out_of_range", row(answer_index=4)),
    ("index_out_of_range", row(answer_index=-1)),
    ("wrong_type", row(answer_index=True)),
    ("wrong_type", row(answer_index="0")),
    ("wrong_type", row(answer_index=0.0)),
    ("answer_differs", row(answer="Kampala")),
    ("answer_differs", row(answer="Nairobi", answer_index=None)),
    ("wrong_type", row(answer=["Kisumu"])),
    ("wrong_type", row(region=7)),
    ("wrong_type", row(control="french")),
    ("wrong_type", row(id=True)),
    ("wrong_type", row(question=["?"])),
    ("wrong_type", row(labels=["A", "B"])),
    ("wrong_type", row(labels=["A", "B", "C", "C"])),
    ("wrong_type", row(order=[0, 1, 2, 2])),
    ("not_json", b'{"id": "x"'),
    ("not_json", b'{"id": NaN}'),
    ("not_object", b'"x"'),
    ("encoding", '{"id": "x", "language": "fr", "question": "É?"}'.encode("latin-1")),
    ("duplicate_right_option", row(options=["Kisumu", "kisumu", "Mwanza", "Entebbe"])),
    ("marked_disputed", row(disputed=True)),
    ("duplicate_options", row(options=["Kisumu", "Mwanza", "MWANZA", "Entebbe"])),
    ("answer_spelled_differently", row(answer="KISUMU")),
    ("unlisted_language", row(language="xyz")),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "line"), FAULTY, ids=[f"{n} {kind}" for n, (kind, _) in enumerate(FAULTY)])
def test_each_fault_is_named_with_its_line(tmp_path: Path, kind: str, line: Any) -> None:
    found = load(written(tmp_path / "q.jsonl", [row(id="good"), b"", line]))
    (fault,) = found.faults
    assert (fault.kind, fault.line, fault.file) == (kind, 3, "q.jsonl")
    assert str(fault).startswith("q.jsonl:3:")
    assert (len(found.disputed), found.refused) == (int(kind in DISPUTED), int(kind in REFUSED))
    assert len(found.items) == 1 + (kind in WARNED)
    assert found.total == len(found.items) + len(found.disputed) + found.refused
    if kind in REFUSED:
        with pytest.raises(InputError, match=r"q\.jsonl:3"):
            load(tmp_path / "q.jsonl", strict=True)
    else:
        assert load(tmp_path / "q.jsonl", strict=True).total == 2


def test_every_kind_of_fault_is_tested() -> None:
    tested = {kind for kind, _ in FAULTY} | {"torn_last_line", "byte_order_mark", "duplicate_id"}
    assert tested == {*REFUSED, *DISPUTED, *WARNED}


def test_ids_repeat_in_another_language_only(tmp_path: Path) -> None:
    rows = [row(), row(language="swa"), row(language="ha"), row(id=7), row(id="7")]
    found = load(written(tmp_path / "q.jsonl", rows))
    assert [(fault.kind, fault.line) for fault in found.faults] == [("duplicate_id", 2), ("duplicate_id", 5)]
    assert "line 1" in found.faults[0].what
    assert [item.key for item in found.items] == [
        ("mgqa_swa_0012", "swa"),
        ("mgqa_swa_0012", "hau"),
        ("7", "swa"),
    ]


def test_torn_last_line_and_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "q.jsonl"
    path.write_bytes(
        b"\xef\xbb\xbf" + json.dumps(ARTICLE).encode() + b"\n" + json.dumps(row(id="b")).encode()[:-20]
    )
    found = load(path)
    assert [(fault.kind, fault.line) for fault in found.faults] == [
        ("byte_order_mark", 1),
        ("torn_last_line", 2),
    ]
    assert (found.total, len(found.items), found.refused) == (2, 1, 1)
    path.write_bytes(json.dumps(ARTICLE).encode())  # complete, only without the newline
    assert load(path).faults == []


def test_a_json_list_is_read_too(tmp_path: Path) -> None:
    path = tmp_path / "q.json"
    path.write_text(json.dumps([ARTICLE, 3, row(id="b")], indent=1))
    found = load(path)
    assert [item.line for item in found.items] == [1, 3]
    assert [(fault.kind, fault.line) for fault in found.faults] == [("not_object", 2)]
    for broken, what in ((b'[{"id": 1}', "no JSON list"), (b'["\xff"]', "not UTF-8")):
        path.write_bytes(broken)
        with pytest.raises(InputError, match=what):
            load(path)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not exist"):
        load(tmp_path / "none.jsonl")
    path = tmp_path / "q.jsonl"
    path.write_text(json.dumps(ARTICLE), encoding="utf-16")
    with pytest.raises(InputError, match="UTF-16"):
        load(path)
    path.write_text("")
    with pytest.raises(InputError, match="holds no question"):
        load(path)
    written(path, [row(options=[])])
    with pytest.raises(InputError, match=r"First fault: q.jsonl:1: mgqa_swa_0012"):
        load(path)


def test_index_from_the_answer_and_the_answer_from_the_index(tmp_path: Path) -> None:
    rows = [row(id="a", answer_index=None, answer="Mwanza"), row(id="b", answer=None, answer_index=2)]
    rows += [
        row(id="c", options=[5, 7.5, 12], answer=7.5, answer_index=1),
        row(id="d", answer_index=None, answer="mwanza"),
    ]
    assert Counter(item.answer for item in load(written(tmp_path / "q.jsonl", rows)).items) == {
        "Mwanza": 3,
        "7.5": 1,
    }


def test_lines_are_numbered_as_an_editor_does(tmp_path: Path) -> None:
    path = tmp_path / "q.jsonl"
    path.write_bytes(b'\r\n{"a": "\xe2\x80\xa8"}\r\n\n{"b": 1}\n')
    assert [(number, value) for number, value, _ in read_lines(path)] == [(2, {"a": "\u2028"}), (4, {"b": 1})]
