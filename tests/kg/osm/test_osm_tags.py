"""Names in languages, aliases, attributes, pictures."""

from __future__ import annotations

import json

import pytest

from multiglobeqa.kg.osm import tags
from multiglobeqa.kg.osm.languages import PAPER_LANGUAGES, Suffix, parse_suffix


@pytest.mark.parametrize(
    ("suffix", "code"),
    [
        ("en", "eng"), ("fr", "fra"), ("it", "ita"), ("pt", "por"), ("ro", "ron"), ("es", "spa"),
        ("bg", "bul"), ("ru", "rus"), ("de", "deu"), ("ur", "urd"), ("sq", "sqi"), ("el", "ell"),
        ("ja", "jpn"), ("ka", "kat"), ("tr", "tur"), ("vi", "vie"), ("zh", "zho"),
    ],
)  # fmt: skip
def test_languages_of_the_paper(suffix: str, code: str) -> None:
    assert parse_suffix(suffix) == Suffix(code, "") and code in PAPER_LANGUAGES


@pytest.mark.parametrize(
    ("suffix", "expected"),
    [
        ("gsw", Suffix("gsw", "")), ("ar", Suffix("ara", "")), ("no", Suffix("nor", "")),
        ("zh-Hant", Suffix("zho", "hant")), ("pt-BR", Suffix("por", "br")), ("ja_rm", None),
        ("ja-Latn", None),
        ("zh_pinyin", None), ("old", None), ("left", None), ("etymology:wikidata", None), ("EN", None),
        ("qq", None), ("", None), ("be-tarask", None),
    ],
)  # fmt: skip
def test_suffixes(suffix: str, expected: Suffix | None) -> None:
    assert parse_suffix(suffix) == expected


def test_script_form_is_the_name_only_where_the_plain_form_is_absent() -> None:
    both = {"name": "东方", "name:zh": "东方", "name:zh-Hant": "東方", "name:zh-Hans": "东方"}
    assert set(tags.labels(both)) == {
        ("und", "东方", "name"),
        ("zho", "东方", "name"),
        ("zho", "東方", "alias"),
    }
    only = {"name": "X", "name:zh-Hant": "東方", "name:zh-Hans": "东方", "name:ja-Latn": "Toho"}
    assert set(tags.labels(only)) == {("und", "X", "name"), ("zho", "东方", "name"), ("zho", "東方", "alias")}


def test_alias_keys_in_languages_and_lists() -> None:
    found = tags.labels(
        {"name": "A", "short_name": "a; b ;", "official_name:ka": "ა", "int_name": "A", "loc_name": "no",
         "old_name:x": "y"}
    )  # fmt: skip
    assert set(found) == {
        ("und", "A", "name"),
        ("und", "a", "alias"),
        ("und", "b", "alias"),
        ("kat", "ა", "alias"),
    }


def test_names_are_normalised() -> None:
    assert tags.names("Cafe\u0301\u200e  du\tPort ;; Bar\x07 ") == ["Caf\u00e9 du Port", "Bar"]
    assert tags.display_name({"name": "Ωmega", "name:en": "Omega"}) == "Omega"
    assert tags.display_name({"name": "Ωmega", "name:en": " "}) == "Ωmega"
    assert tags.display_name({"name:fr": "Oméga"}) is None


def test_attributes_leave_out_names_and_notes() -> None:
    text = tags.attributes(
        {"name": "A", "name:de": "B", "old_name": "C", "amenity": "cafe", "note:de": "?", "tiger:cfcc": "A41",
         "source": "x", "addr:housename": "H", "ele": "3"}, osm_ways=[1], osm_cut=None,
    )  # fmt: skip
    assert json.loads(text) == {"addr:housename": "H", "amenity": "cafe", "ele": "3", "osm_ways": [1]}
    assert list(json.loads(text)) == sorted(json.loads(text))


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"image": "https://a.org/x.jpg"}, "https://a.org/x.jpg"),
        ({"image": "File:X y.jpg"}, "https://commons.wikimedia.org/wiki/Special:FilePath/X_y.jpg"),
        ({"wikimedia_commons": "Category:X"}, None),
        (
            {"wikimedia_commons": "Category:X;File:Z.png"},
            "https://commons.wikimedia.org/wiki/Special:FilePath/Z.png",
        ),
        ({"image": "x.jpg"}, None),
        ({}, None),
    ],
)
def test_picture(given: dict[str, str], expected: str | None) -> None:
    assert tags.image(given) == expected


@pytest.mark.parametrize(
    ("text", "level"), [("8", 8), ("2", 2), ("12", 12), ("13", None), ("8;9", None), ("", None), ("²", None)]
)
def test_admin_level(text: str, level: int | None) -> None:
    assert tags.admin_level({"admin_level": text}) == level
