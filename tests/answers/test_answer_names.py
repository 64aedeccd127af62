"""Folding and the alias store."""

from __future__ import annotations

import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from multiglobeqa.answers import AliasIndex
from multiglobeqa.answers.names import fold, same_name

ROWS = [
    ("p:1", "Athens", "name"),
    ("p:1", "Αθήνα", "name"),
    ("p:2", "Athens", "alias"),
    ("p:2", "Athens, Georgia", "name"),
    ("p:3", "Isparta", "name"),
    ("p:4", "Nomós", "name"),
]


def test_resolve() -> None:
    index = AliasIndex.from_rows(ROWS)
    assert len(index) == 6
    assert index.resolve("athens") == {"p:1", "p:2"}
    assert index.resolve("Athens", scope=["p:2", "p:3"]) == {"p:2"}
    assert index.resolve("Athens", names_only=True) == {"p:1"}
    assert index.resolve("ΑΘΗΝΑ", "ell") == {"p:1"}
    assert index.resolve("αθηνα", "ell") == frozenset()
    assert index.resolve("isparta", "eng") == {"p:3"}
    assert index.resolve("isparta", "tur") == frozenset()
    assert index.resolve("ISPARTA", "tur") == {"p:3"}
    assert index.resolve("Athen") == index.resolve("") == frozenset()


def test_empty_index() -> None:
    assert AliasIndex.from_rows([]).resolve("Athens") == frozenset()
    assert AliasIndex.read([]).resolve("Athens") == frozenset()


def test_read_label_files(tmp_path: Path) -> None:
    files = []
    for number, rows in enumerate((ROWS[:3], ROWS[3:])):
        columns = dict(zip(("iri", "label", "kind"), map(list, zip(*rows, strict=True)), strict=True))
        path = tmp_path / f"{number}.labels.parquet"
        pq.write_table(pa.table({**columns, "lang": ["und"] * len(rows)}), path)
        files.append(path)
    assert AliasIndex.read(files).resolve("ATHENS") == {"p:1", "p:2"}


@given(st.text(min_size=1, max_size=30), st.sampled_from(["eng", "tur", "ell", "urd", "zho"]))
@settings(max_examples=300, deadline=None)
def test_folding_twice_changes_nothing(text: str, language: str) -> None:
    key = fold(text, language)
    assert fold(key, language) == key
    assert same_name(text, text, language)


@given(st.text(alphabet=st.characters(max_codepoint=0x7F), max_size=30))
@settings(max_examples=300, deadline=None)
def test_ascii_path_is_the_general_path(text: str) -> None:
    """A non-ASCII word at the end forces the general path; the rest must fold alike."""
    general = fold(text + " é", "eng")
    assert general == (fold(text + " e", "eng")[:-1] + "é")


@pytest.mark.parametrize(
    ("a", "b", "language"),
    [
        ("Nomos", "Nomós", "ell"),
        ("Wood Side", "Woodside", "eng"),
        ("Sankt Pölten", "Sankt Polten", "deu"),
        ("Νόμος", "Νομός", "ell"),
        ("K-5", "K-6", "eng"),
        ("東京", "京都", "jpn"),
    ],
)
def test_different_names(a: str, b: str, language: str) -> None:
    assert not same_name(a, b, language)


def test_speed() -> None:
    """200,000 labels of 100,000 entities, a third of them outside ASCII: a third of a real store."""
    count = 200_000
    labels = pa.array(
        [f"Rue Nº {i} Église" if i % 3 == 0 else f"Station {i % 130_000}" for i in range(count)]
    )
    iris = pa.array([f"p:{i % 100_000}" for i in range(count)])
    table = pa.table({"iri": iris, "label": labels, "kind": pa.array(["name"] * count)})
    start = time.perf_counter()
    index = AliasIndex(table)
    assert index.resolve("rue nº 3 église", "fra") == {"p:3"}
    built = time.perf_counter() - start
    start = time.perf_counter()
    for i in range(1, 2000):
        index.resolve(f"STATION {i}")
    assert built < 10, f"{built:.1f} s to index {count} labels"
    assert time.perf_counter() - start < 2
