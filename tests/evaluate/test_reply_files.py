"""Replies as JSON Lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from multiglobeqa.answers import Reply
from multiglobeqa.errors import InputError
from multiglobeqa.evaluate.files import read_replies, write_replies


def test_three_forms_of_a_reply(tmp_path: Path) -> None:
    file = tmp_path / "replies.jsonl"
    file.write_text(
        '{"id": "a", "text": "<think>7?</think> It is {\\"answer\\": 5, \\"declined\\": false}"}\n\n'
        '{"id": "b", "answer": ["x"]}\n'
        '{"id": "c", "declined": true, "reason": "no such place"}\n'
        '{"id": "d", "text": null}\n'
        '{"id": "e", "answer": false}\n'
        '{"id": 7, "answer": NaN}\n',
        "utf-8",
    )
    replies = read_replies(file)
    assert (replies["a"].status, replies["a"].value) == ("answered", 5)
    assert (replies["b"].status, replies["b"].value) == ("answered", ["x"])
    assert (replies["c"].status, replies["c"].reason) == ("declined", "no such place")
    assert replies["d"].status == "unparseable"
    assert (replies["e"].status, replies["e"].value) == ("answered", False)
    assert (replies["7"].status, replies["7"].value) == ("unparseable", None)


def test_written_replies_read_back_the_same_and_sorted(tmp_path: Path) -> None:
    replies = {
        "b": Reply("answered", {"lat": 1.5, "lon": -2.0}),
        "a": Reply("declined", reason="Zażółć"),
        "c": Reply("answered", False),
    }
    file = tmp_path / "replies.jsonl"
    write_replies(file, replies)
    assert read_replies(file) == replies
    assert list(read_replies(file)) == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "2: is not JSON"),
        ("[" * 100_000, "2: is not JSON"),
        ("[1]", "2: is no object"),
        ('{"answer": 1}', "2: is no reply"),
        ('{"id": "b"}', "2: is no reply: it has neither"),
        ('{"id": "a", "answer": 2}', "2: answers a a second time"),
    ],
)
def test_broken_lines_are_named(tmp_path: Path, line: str, message: str) -> None:
    file = tmp_path / "replies.jsonl"
    file.write_text('{"id": "a", "answer": 1}\n' + line + "\n", "utf-8")
    with pytest.raises(InputError, match=message):
        read_replies(file)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not exist"):
        read_replies(tmp_path / "none.jsonl")
    (tmp_path / "latin.jsonl").write_bytes(b'{"id": "a", "answer": "\xe9"}\n')
    with pytest.raises(InputError, match="1: byte 23 is not UTF-8"):
        read_replies(tmp_path / "latin.jsonl")
