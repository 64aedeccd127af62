"""The picture an entity states, and which licences allow redistribution."""

from __future__ import annotations

import json

import pytest

from multiglobeqa.errors import InputError
from multiglobeqa.images.licences import Rights, plain
from multiglobeqa.images.stated import commons_name, image_of
from multiglobeqa.images.wanted import of_json

NODE = "https://www.openstreetmap.org/node/1"
REDIRECT = "https://commons.wikimedia.org/wiki/Special:FilePath/Mus%C3%A9e_%28Nice%29.jpg"

STATED: list[tuple[str | None, dict[str, str], tuple[str, str] | None]] = [
    (REDIRECT, {}, ("commons", "Musée (Nice).jpg")),
    (
        REDIRECT,
        {"wikimedia_commons": "File:Musée (Nice).jpg", "wikidata": "Q1"},
        ("commons", "Musée (Nice).jpg"),
    ),
    (None, {"wikimediaCommons": "File:a_b.JPG"}, ("commons", "A b.JPG")),
    (None, {"wikimedia_commons": "Category:Museums;File:X.png"}, ("commons", "X.png")),
    (None, {"wikimedia_commons": "Category:Museums", "wikidata": "Q42"}, ("wikidata", "Q42")),
    (None, {"wikimedia_commons": "Category:Museums"}, None),
    (
        None,
        {"image": "https://upload.wikimedia.org/wikipedia/commons/a/ab/Old_town.jpg"},
        ("commons", "Old town.jpg"),
    ),
    ("https://www.flickr.com/photos/x/1/", {"wikidata": "Q7"}, ("wikidata", "Q7")),
    ("https://www.flickr.com/photos/x/1/", {}, ("url", "https://www.flickr.com/photos/x/1/")),
    (None, {"wikidata": "Q42"}, ("wikidata", "Q42")),
    (None, {"brand:wikidata": "Q37158", "operator:wikidata": "Q1", "architect:wikidata": "Q2"}, None),
    (None, {"brandWikidata": "Q37158"}, None),
    (None, {"wikidata": "Q1;Q2"}, None),
    (None, {"wikidata": "P18"}, None),
    (None, {"wikidata": "Q0"}, None),
    ("javascript:alert(1)", {"image": "file:///etc/passwd"}, None),
    (None, {}, None),
]


@pytest.mark.parametrize(("image", "attributes", "expected"), STATED)
def test_the_picture_an_entity_states(
    image: str | None, attributes: dict[str, str], expected: tuple[str, str] | None
) -> None:
    found = image_of(NODE, image, attributes)
    assert found == (expected and {"iri": NODE, "source": expected[0], "name": expected[1]})
    assert image_of(NODE, image, json.dumps(attributes)) == found
    assert image_of("http://www.worldkg.org/resource/1", image, attributes) == (
        found and {**found, "iri": "http://www.worldkg.org/resource/1"}
    )
    for other in ("http://stko-kwg.geog.ucsb.edu/lod/resource/x", "https://sws.geonames.org/1/"):
        assert image_of(other, image, attributes) is None


def test_broken_attributes_name_the_entity() -> None:
    for text in ("{", "[]"):
        with pytest.raises(InputError, match="node/1"):
            image_of(NODE, None, text)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("File:A.jpg", "A.jpg"),
        ("Image:é x.jpg", "É x.jpg"),
        ("https://commons.wikimedia.org/wiki/File:A_b%27s.jpg", "A b's.jpg"),
        ("https://commons.wikimedia.org/wiki/Special:Filepath/A.jpg?width=300", "A.jpg"),
        ("https://commons.wikimedia.org/wiki/Special:Redirect/file/A.jpg", None),
        ("https://commons.wikimedia.org/wiki/Category:X#/media/File:A.jpg", "A.jpg"),
        ("https://upload.wikimedia.org/wikipedia/commons/thumb/a/ab/A_b.tif/800px-A_b.tif.jpg", "A b.tif"),
        ("https://upload.wikimedia.org/wikipedia/en/a/ab/Local.jpg", None),
        ("https://en.wikipedia.org/wiki/File:Local.jpg", None),
        ("https://commons.wikimedia.org.evil.net/wiki/File:A.jpg", None),
        ("https://commons.wikimedia.org/wiki/Category:X", None),
        ("File:", None),
        ("File:a|b.jpg", None),
        ("File:no suffix", None),
        ("http://[", None),
    ],
)
def test_names_of_commons_files(text: str, name: str | None) -> None:
    assert commons_name(text) == name


@pytest.mark.parametrize(
    ("licence", "family"),
    [
        ("CC0", "CC0"), ("cc-zero", "CC0"), ("Public domain", "PD"), ("PD-old-100", "PD"), ("CC BY 2.0", "CC BY"),
        ("CC BY 2.0 fr", "CC BY"), ("CC BY 3.0 igo", "CC BY"), ("cc-by-4.0", "CC BY"), ("CC BY", "CC BY"),
        ("CC BY-SA 4.0", "CC BY-SA"), ("CC BY-SA 3.0 de", "CC BY-SA"), ("cc-by-sa-3.0,2.5,2.0,1.0", "CC BY-SA"),
        ("CC BY-SA", "CC BY-SA"), ("FAL", "FAL"), ("Free Art License 1.3", "FAL"), ("OGL 3", "OGL"), ("Attribution", "Attribution"),
        ("CC BY-NC", None), ("CC BY-NC 2.0", None), ("CC BY-ND 4.0", None), ("CC BY-NC-SA 4.0", None), ("cc-by-nc-nd-3.0", None),
        ("CC BY 2.0 nc", None), ("GFDL", None), ("Fair use", None), ("non-free: CC BY 4.0", None), ("No restrictions", None),
        ("All rights reserved", None), ("see page", None), ("", None),
    ],
)  # fmt: skip
def test_licence_families(licence: str, family: str | None) -> None:
    rights = Rights(author="Ann", licence=licence)
    assert rights.family == family
    assert rights.fault == (None if family else "licence_not_accepted" if licence else "no_licence")


def test_an_author_is_needed_where_the_licence_asks_for_one() -> None:
    assert Rights(licence="CC BY 4.0", credit="Own work").fault == "no_author"
    assert Rights(licence="CC0").fault is None
    assert Rights(licence="Public domain").fault is None


def test_a_licence_whose_address_says_otherwise_is_not_accepted() -> None:
    address = "https://creativecommons.org/licenses/by-nc/4.0/"
    assert Rights(author="Ann", licence="CC BY 4.0", licence_url=address).fault == "licence_not_accepted"
    assert Rights(author="Ann", licence="CC BY 4.0", licence_url=address.replace("-nc", "")).fault is None


def test_authors_are_plain_text() -> None:
    html = '<a href="//c/User:X" title="x">Ann &amp; <b>Bob</b></a><br><span style="display: none">hidden <i>too</i></span><p>Nice</p>'
    assert plain(html) == "Ann & Bob Nice"
    assert plain("<style>.a{}</style>Ann<img src=x> B") == "Ann B"


def test_a_broken_image_column_names_its_place() -> None:
    for text in ("", "{}", "[]", '{"iri": 1}', '{"iri": "a", "source": "ftp", "name": "x"}'):
        with pytest.raises(InputError, match="question 7"):
            of_json(text, place="question 7")
