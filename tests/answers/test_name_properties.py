"""What folding keeps for any text, and what it does to the names of the embedded world."""

from __future__ import annotations

import csv
import unicodedata
from collections import defaultdict
from importlib import resources
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from multiglobeqa.answers import AliasIndex
from multiglobeqa.answers.names import fold, fold_many, folding_of, same_name
from multiglobeqa.build.naming import folded

WORLD = Path(str(resources.files("multiglobeqa") / "data" / "world"))
KGS = ("knowwheregraph", "osmh3kg", "worldkg")
WITH_TURKIC = ("eng", "tur")
"""One language of each folding."""

SCRIPTS = st.text(
    st.one_of(
        st.characters(max_codepoint=0x2FF),
        st.characters(min_codepoint=0x300, max_codepoint=0x6FF),
        st.characters(min_codepoint=0x10A0, max_codepoint=0x10FF),
        st.characters(min_codepoint=0x1C80, max_codepoint=0x21FF),
        st.characters(min_codepoint=0x3000, max_codepoint=0x30FF),
        st.characters(min_codepoint=0xFB00, max_codepoint=0xFFFF),
        st.sampled_from("iIıİ.'’´ \u0307\u0301\u0300\u0308\u0323\u0326еёи-=ー－゛カがoauyàọھبهσς1٣°º"),
    ),
    max_size=12,
)


@given(SCRIPTS, st.sampled_from(WITH_TURKIC))
@example("\x1b´", "eng")
@example("ho\u0300.a", "vie")
@example("カ = カ", "jpn")
@example("е.\u0308", "rus")
@settings(max_examples=500, deadline=None)
def test_a_key_is_its_own_key(text: str, language: str) -> None:
    key = fold(text, language)
    assert fold(key, language) == key
    assert unicodedata.is_normalized("NFC", key)


@given(SCRIPTS, st.sampled_from(WITH_TURKIC))
@settings(max_examples=500, deadline=None)
def test_normal_forms_have_one_key(text: str, language: str) -> None:
    key = fold(text, language)
    for form in ("NFC", "NFD"):
        assert fold(unicodedata.normalize(form, text), language) == key
    assert same_name(text, text, language)


@pytest.mark.parametrize("pattern", ["{}", "i{}\u0307", "カ{}カ"])
def test_every_character(pattern: str) -> None:
    """Keys of all characters but ideographs and syllables: their own keys, the same in both normal forms."""
    characters = [chr(code) for code in range(0x20000) if not 0xD800 <= code <= 0xDFFF]
    kinds = ("Cn", "Co", "Lo") if pattern != "{}" else ("Cn", "Co")
    texts = [pattern.format(c) for c in characters if unicodedata.category(c) not in kinds]
    for language in WITH_TURKIC:
        keys = fold_many(texts, language)
        assert fold_many(keys, language) == keys
        for form in ("NFC", "NFD"):
            assert fold_many([unicodedata.normalize(form, text) for text in texts], language) == keys


@given(st.lists(SCRIPTS, max_size=6), st.sampled_from(WITH_TURKIC))
@settings(max_examples=300, deadline=None)
def test_many_keys_are_the_keys_of_each(texts: list[str], language: str) -> None:
    assert fold_many(texts, language) == [fold(text, language) for text in texts]


@given(st.text(st.characters(max_codepoint=0x7F), max_size=20))
@settings(max_examples=300, deadline=None)
def test_ascii_folds_by_the_general_rules(text: str) -> None:
    assert fold(text + "\u200b") == fold(text)


def test_two_foldings_serve_the_17_languages() -> None:
    table = resources.files("multiglobeqa") / "data" / "languages.csv"
    languages = [row["code"] for row in csv.DictReader(table.read_text("utf-8").splitlines())]
    assert len(languages) == 17
    assert {language for language in languages if folding_of(language) == "turkic"} == {"tur"}


def label_files(kg: str) -> list[Path]:
    files = sorted((WORLD / kg).glob("*.labels.parquet"))
    if not files:
        pytest.skip(f"the embedded world holds no {kg}: run scripts/world.py")
    return files


@pytest.mark.parametrize("kg", KGS)
def test_every_label_finds_its_entity(kg: str) -> None:
    """In every language, as printed and in capitals; every 25th label of the large KGs."""
    files = label_files(kg)
    index = AliasIndex.read(files)
    table = pa.concat_tables([pq.read_table(file, columns=["iri", "label"]) for file in files])
    assert len(index) == table.num_rows
    rows = table.take(list(range(0, table.num_rows, 1 if kg == "osmh3kg" else 25)))
    iris, labels = rows["iri"].to_pylist(), rows["label"].to_pylist()
    scopes = [[iri, "p:nowhere"] for iri in iris]
    for language in WITH_TURKIC:
        found = index.resolve_many(labels, language, scopes)
        lost = [label for label, iri, found_ in zip(labels, iris, found, strict=True) if found_ != {iri}]
        assert not lost, f"{len(lost)} labels, as {lost[0]!r}"
    capitals = [label.upper() for label in labels]
    found = index.resolve_many(capitals, "eng", scopes)
    lost = [label for label, iri, found_ in zip(labels, iris, found, strict=True) if found_ != {iri}]
    assert not lost, f"{len(lost)} labels in capitals, as {lost[0]!r}"


@pytest.mark.parametrize(
    ("kg", "most"), [("knowwheregraph", 0.0009), ("osmh3kg", 0.0025), ("worldkg", 0.0018)]
)
def test_names_that_naming_holds_apart_seldom_share_a_key(
    kg: str, most: float, capsys: pytest.CaptureFixture[str]
) -> None:
    """Names that the build prints without a context because it takes them for different."""
    label_files(kg)
    files = sorted((WORLD / kg).glob("*.entities.parquet"))
    names = (
        pa.concat_tables([pq.read_table(file, columns=["name"]) for file in files])["name"]
        .unique()
        .to_pylist()
    )
    spellings: defaultdict[str, set[str]] = defaultdict(set)
    for name, key in zip(names, fold_many(names), strict=True):
        spellings[key].add(folded(name))
    shared = [sorted(each) for each in spellings.values() if len(each) > 1]
    with capsys.disabled():
        print(f"\n{kg}: {len(shared)} of {len(spellings)} keys have more than one spelling, as {shared[:3]}")
    assert 0 < len(shared) <= most * len(spellings)
    for each in shared:
        kept = {"".join(c for c in fold(name) if c.isalnum()) for name in each}
        assert len(kept) == 1, each
