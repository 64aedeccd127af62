"""The alias index: lookups one by one and many at once, foldings beside the default, the cache file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from multiglobeqa.answers import AliasIndex
from multiglobeqa.answers.alias_cache import read_arrays, write_arrays
from multiglobeqa.answers.keys import KeyTable
from multiglobeqa.answers.names import same_name
from multiglobeqa.errors import InputError

ROWS = [
    ("p:1", "Diyarbakır", "name"),
    ("p:1", "Amed", "alias"),
    ("p:2", "ISPARTA", "name"),
    ("p:3", "Isparta", "alias"),
    ("p:4", "ΑΓΟΡΑ", "name"),
    ("p:5", "Αγορά", "alias"),
    ("p:6", "ΑΓΟΡΆ", "alias"),
    ("p:7", "Irmak", "name"),
    ("p:7", "irmak", "alias"),
    ("p:8", "!!!", "name"),
    ("p:9", "Amed", "name"),
]
LANGUAGES = ("eng", "tur", "ell")


def labels_table(rows: list[tuple[str, str, str]]) -> pa.Table:
    columns = map(list, zip(*rows, strict=True))
    return pa.table(dict(zip(("iri", "label", "kind"), columns, strict=True)))


def test_capitals() -> None:
    index = AliasIndex.from_rows(ROWS)
    assert index.resolve("DIYARBAKIR") == index.resolve("DİYARBAKIR", "tur") == {"p:1"}
    assert index.resolve("DIYARBAKIR", "tur") == index.resolve("DİYARBAKİR", "tur") == frozenset()
    assert index.resolve("diyarbakir") == frozenset()
    assert index.resolve("ΑΓΟΡΑ", "ell") == {"p:4", "p:5", "p:6"}
    assert index.resolve("Αγορά", "ell") == {"p:4", "p:5", "p:6"}
    assert index.resolve("αγορα", "ell") == {"p:4", "p:6"}, "labels in capitals leave the accent open"
    assert index.resolve("ΑΓΟΡΑ", "ell", names_only=True) == {"p:4"}


def test_turkic() -> None:
    index = AliasIndex.from_rows(ROWS)
    assert index.resolve("ısparta", "tur") == {"p:2", "p:3"}
    assert index.resolve("ısparta", "tur", names_only=True) == {"p:2"}
    assert index.resolve("isparta", "tur") == frozenset()
    assert index.resolve("irmak", "tur") == {"p:7"}
    assert index.resolve("irmak", "tur", names_only=True) == frozenset(), "the name is Irmak, read as ırmak"
    assert index.resolve("irmak", "eng", names_only=True) == {"p:7"}


def test_many_take_their_scopes() -> None:
    index = AliasIndex.from_rows(ROWS)
    texts = ["amed", "Amed", "AMED", "ΑΓΟΡΑ", "nowhere", "Amed"]
    scopes = [None, ["p:9"], ["p:1", "p:nowhere", "p:\n"], {"p:5"}, None, []]
    found = [{"p:1", "p:9"}, {"p:9"}, {"p:1"}, {"p:5"}, set(), set()]
    assert index.resolve_many(texts, "eng", scopes) == found
    assert index.resolve_many(texts[:3], "eng", names_only=True) == [{"p:9"}] * 3
    assert index.resolve_many([], "eng", []) == []
    assert index.resolve_many(["ISPARTA", "irmak"], "tur", names_only=True) == [{"p:2"}, set()]


def test_an_empty_index() -> None:
    index = AliasIndex.from_rows([])
    assert len(index) == index.entities == 0
    assert index.resolve_many(["a", "ΑΓΟΡΑ"], "tur", [None, ["p:1"]]) == [frozenset(), frozenset()]


@given(
    st.lists(st.text("aIıiİſΑάΆσς.-' é", min_size=1, max_size=4), min_size=1, max_size=8),
    st.lists(st.text("aIıiİſΑάΆσς.-' é", min_size=1, max_size=4), min_size=1, max_size=8),
    st.sampled_from(LANGUAGES),
)
@settings(max_examples=200, deadline=None)
def test_looking_up_is_comparing(labels: list[str], texts: list[str], language: str) -> None:
    index = AliasIndex.from_rows([(f"p:{number}", label, "name") for number, label in enumerate(labels)])
    compared = [
        {f"p:{number}" for number, label in enumerate(labels) if same_name(text, label, language)}
        for text in texts
    ]
    assert [index.resolve(text, language) for text in texts] == compared
    assert index.resolve_many(texts, language) == compared


def test_cache(tmp_path: Path) -> None:
    file, cache = tmp_path / "a.labels.parquet", tmp_path / "cache"
    pq.write_table(labels_table(ROWS), file)
    first = AliasIndex.read([file], cache=cache)
    (kept,) = cache.iterdir()
    second = AliasIndex.read([file], cache=cache)
    assert list(cache.iterdir()) == [kept]
    for index in (first, second, AliasIndex.read([file])):
        assert len(index) == len(ROWS) and index.entities == 9
        assert index.resolve("ΑΓΟΡΑ", "ell") == {"p:4", "p:5", "p:6"}
        assert index.resolve_many(["amed", "!!!"]) == [{"p:1", "p:9"}, {"p:8"}]
    assert second.state_bytes == first.state_bytes > 0
    pq.write_table(labels_table([("p:1", "Elsewhere", "name")]), file)
    assert AliasIndex.read([file], cache=cache).resolve("amed") == frozenset(), "other content, other index"
    assert len(list(cache.iterdir())) == 2


@pytest.mark.parametrize("content", [b"", b"ARROW1", b"not a file of arrays" * 10])
def test_a_broken_cache_is_made_again(content: bytes, tmp_path: Path) -> None:
    file, cache = tmp_path / "a.labels.parquet", tmp_path / "cache"
    pq.write_table(labels_table(ROWS), file)
    AliasIndex.read([file], cache=cache)
    (kept,) = cache.iterdir()
    whole = kept.read_bytes()
    for broken in (content, whole[: len(whole) // 2], whole[:-1]):
        kept.write_bytes(broken)
        assert read_arrays(kept) is None
        assert AliasIndex.read([file], cache=cache).resolve("irmak") == {"p:7"}
        assert kept.read_bytes() == whole


def test_a_file_of_other_arrays_is_no_index(tmp_path: Path) -> None:
    path = tmp_path / "table.arrow"
    table = pa.table({"a": [1, 2]})
    with pa.ipc.new_file(str(path), table.schema) as writer:
        writer.write_table(table)
    assert read_arrays(path) is None
    with pa.ipc.new_file(str(path), table.schema):
        pass
    assert read_arrays(path) is None
    write_arrays(path, {"a": np.array([1, 2], np.int32), "empty": np.zeros(0, np.int64)})
    arrays = read_arrays(path)
    assert arrays is not None
    assert arrays["a"].tolist() == [1, 2] and arrays["empty"].tolist() == []


def test_labels_without_a_value_are_an_error() -> None:
    for column in ("iri", "label", "kind"):
        table = labels_table(ROWS[:2])
        holes = pa.array([None, "x"], pa.string())
        table = table.set_column(table.column_names.index(column), column, holes)
        with pytest.raises(InputError, match=column):
            AliasIndex(table)


def test_a_crowded_bucket() -> None:
    """Keys of one bucket, found by trying: some of equal length."""
    prime = 1021
    crowd = [f"k{i}" for i in range(200_000) if int.from_bytes(f"k{i}".encode(), "little") % prime == 7][:150]
    assert len({len(key) for key in crowd}) < len(crowd) > 100
    table, numbers = KeyTable.build(pa.array(crowd, pa.large_string()))
    assert table.largest_bucket() == len(crowd)
    assert [table.find(key) for key in crowd] == table.find_many(crowd).tolist() == numbers.tolist()
    assert [table.text(number) for number in numbers.tolist()] == table.texts(numbers) == crowd
    assert table.find("k") == table.find("\ud800") == -1
    assert table.find_many(["k", "", "\ud800"]).tolist() == [-1, -1, -1]


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=12), unique=True, max_size=20))
@settings(max_examples=100, deadline=None)
def test_key_table_is_a_dictionary(texts: list[str]) -> None:
    table, numbers = KeyTable.build(pa.array(texts[::2], pa.large_string()))
    expected = dict(zip(texts[::2], numbers.tolist(), strict=True))
    assert len(table) == len(expected)
    assert [table.find(text) for text in texts] == [expected.get(text, -1) for text in texts]
    assert table.find_many(texts).tolist() == [expected.get(text, -1) for text in texts]
