"""Which entities a picture stands for, and image questions made of text questions, on a hand-made town."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import shapely
from tests.images.conftest import Mgqa, Site

from multiglobeqa.build import BuildConfig, build, verify
from multiglobeqa.build.picturable import PICTURED_PLACE, Catalogue, Picture, catalogue
from multiglobeqa.build.pictures import holds_name, pictured, relabelled
from multiglobeqa.engine import DuckEngine
from multiglobeqa.errors import InputError
from multiglobeqa.kg import store
from multiglobeqa.kg.schema import ENTITY_SCHEMA, LABEL_SCHEMA
from multiglobeqa.kg.store import Part, Snapshot, sha256_of
from multiglobeqa.kg.triples import RDFS_LABEL

OSM = "https://www.openstreetmap.org/"
LABEL = f"<{RDFS_LABEL}>"


def place(
    n: int, name: str, class_: str, *, kind: str = "point", image: str | None = None, **tags: str
) -> dict[str, Any]:
    """Entity number n, on a grid of 7 by 11 places, 0.05 degrees apart."""
    x, y = 10 + 0.05 * (n % 7) + 0.001 * n, 20 + 0.05 * (n * 3 % 11)
    shape = {
        "point": shapely.Point(x, y),
        "line": shapely.LineString([(x, y), (x, y + 0.01)]),
        "surface": shapely.box(x, y, x + 0.01, y + 0.01),
    }[kind]
    x0, y0, x1, y1 = shape.bounds
    row: dict[str, Any] = dict.fromkeys(ENTITY_SCHEMA.names)
    return row | {
        "iri": f"{OSM}{'node' if kind == 'point' else 'way'}/{n}",
        "kg": "osmh3kg",
        "layer": "town",
        "name": name,
        "class": class_,
        "kind": kind,
        "geometry": shape.wkb,
        "bbox": {"xmin": x0, "ymin": y0, "xmax": x1, "ymax": y1},
        "ref_lon": (x0 + x1) / 2,
        "ref_lat": (y0 + y1) / 2,
        "main_share": 1.0,
        "area_km2": 1.16 if kind == "surface" else None,
        "length_km": 1.1 if kind == "line" else None,
        "country": "TCD",
        "continent": "Africa",
        "subregion": "Middle Africa",
        "income": "LIC",
        "density": "low",
        "admin": [],
        "h3": n,
        "attributes": json.dumps(tags, sort_keys=True),
        "image": image,
    }


TOWN = [
    place(1, "Musée d'Or", "museum", wikidata="Q1"),
    place(2, "Palais Vert", "castle", image="https://commons.wikimedia.org/wiki/Special:FilePath/Palais.jpg"),
    place(3, "Banque Verte", "bank", wikidata="Q3", **{"brand:wikidata": "Q33"}),
    place(4, "Banque Rouge", "bank", image="https://example.org/bank.jpg"),
    place(5, "Vélo Nord", "bicycle_rental", wikimedia_commons="File:Velo.jpg"),
    place(6, "Villette", "suburb", wikidata="Q6"),
    place(7, "Grand-Rue", "road", kind="line", wikidata="Q7"),
    place(8, "Zoo", "zoo", wikidata="Q8"),
    place(9, "Zoo de la Ville", "zoo", kind="surface", wikidata="Q8"),
    place(10, "Tour Haute", "building", kind="surface", wikidata="Q10"),
    place(11, "Statue", "artwork", wikimedia_commons="Category:Statues"),
    place(12, "Hôtel du Lac", "hotel", wikidata="Q12"),
    *(place(n, f"Musée {n}", "museum") for n in range(13, 25)),
    *(place(n, f"Banque {n}", "bank") for n in range(25, 40)),
]


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    """The town as a snapshot, with a Chinese and an alternative name of the museum."""
    folder = tmp_path_factory.mktemp("town")
    labels = [
        {"iri": TOWN[0]["iri"], "lang": lang, "label": label, "kind": kind}
        for lang, label, kind in (
            ("und", "Musée d'Or", "name"),
            ("zho", "黄金博物馆", "name"),
            ("und", "Gold House", "alias"),
        )
    ]
    table = pa.Table.from_pylist(TOWN, schema=ENTITY_SCHEMA)
    schema = store.geoparquet_schema(None, [row["kind"] for row in TOWN])
    store.write_table(folder / "town.entities.parquet", schema, table.to_batches())
    store.write_labels(
        folder / "town.labels.parquet", pa.Table.from_pylist(labels, LABEL_SCHEMA).to_batches()
    )
    hashes = {file.name: sha256_of(file) for file in folder.glob("*.parquet")}
    part = Part("town", len(TOWN), len(labels), "CC0-1.0", "hand-made", None, False, hashes)
    return store.write_manifest(folder, "osmh3kg", [part])


@pytest.fixture(scope="module")
def found(town: Snapshot) -> Catalogue:
    """The town's catalogue."""
    return catalogue(DuckEngine([town], threads=1), [town])


def by_iri(found: Catalogue) -> dict[str, Picture]:
    return {picture.image["iri"]: picture for picture in found.pictures.values()}


def test_who_can_be_recognised_and_why_others_are_left_out(found: Catalogue) -> None:
    shown = {iri.removeprefix(OSM): picture.words for iri, picture in by_iri(found).items()}
    assert shown == {
        "node/1": "the pictured museum",
        "node/2": PICTURED_PLACE,  # the only castle: its class would tell it
        "node/4": "the pictured bank",
        "way/10": PICTURED_PLACE,
        "node/12": PICTURED_PLACE,
    }
    assert found.left_out == {
        "item_may_show_something_else": 1,
        "looks_like_others": 1,
        "larger_than_a_picture": 1,
        "a_line": 1,
        "picture_of_several": 2,
        "no_picture_of_its_own": 1,
    }


def test_all_names_of_the_pictured_are_known(found: Catalogue) -> None:
    assert by_iri(found)[OSM + "node/1"].names == {"Musée d'Or", "黄金博物馆", "Gold House"}
    assert by_iri(found)[OSM + "way/10"].names == {"Tour Haute"}


Ask = Callable[..., tuple[dict[str, Any] | None, str | None]]


@pytest.fixture
def ask(found: Catalogue) -> Ask:
    """An image question about the museum (role A) and another place (role B)."""

    def make(
        other: str = "Banque 25",
        *,
        wording: str = "Is {A} nearer to {B} than {radius} km?",
        hint: str | None = None,
        **changes: Any,
    ) -> tuple[dict[str, Any] | None, str | None]:
        roles = {
            "A": {"iri": OSM + "node/1", "name": "Musée d'Or (Chad)"},
            "B": {"iri": OSM + "node/25", "name": other},
        }
        row: dict[str, Any] = {
            "id": "0123456789abcdef",
            "question": "?",
            "roles": json.dumps(roles),
            "format": "boolean",
            "gold": "true",
            "accepted": [],
            "accepted_iris": [],
            "derived_from": None,
        }
        values = {"A": "Musée d'Or (Chad)", "B": other, "radius": "5"}
        return pictured(
            row | changes, "A", by_iri(found)[OSM + "node/1"], wording=wording, hint=hint, values=values
        )

    return make


def test_the_name_becomes_the_picture(ask: Ask) -> None:
    row, cause = ask(
        wording="{A}, {B}: is the way from {A} short?", hint="Short from {A} is below {radius} km."
    )
    assert cause is None
    assert row is not None
    assert row["question"] == "The pictured museum, Banque 25: is the way from the pictured museum short?"
    assert row["question_en"] == row["question"]
    assert row["scale_hint"] == "Short from the pictured museum is below 5 km."
    assert json.loads(row["roles"])["A"] == {"iri": OSM + "node/1", "name": "the pictured museum"}
    assert json.loads(row["roles"])["B"]["name"] == "Banque 25"
    assert json.loads(row["image"]) == {"iri": OSM + "node/1", "source": "wikidata", "name": "Q1"}
    assert (row["modality"], row["derived_from"]) == ("image", "0123456789abcdef")
    assert row["id"] != row["derived_from"]
    assert len(row["id"]) == 16
    assert (
        ask(wording="{A}, {B}: is the way from {A} short?", hint="Short from {A} is below {radius} km.")[0]
        == row
    )
    for text in (row["question"], row["scale_hint"], row["roles"]):
        assert "Or" not in text.split()


@pytest.mark.parametrize(
    "other",
    [
        "Café du Musée d'Or",
        "MUSEE D’OR (Parking)",
        "Bank (Gold House, Chad)",
        "近黄金博物馆站",
        "musée d or",
        "The Gold-House",
    ],
)
def test_a_name_that_holds_the_pictured_name_gives_it_away(ask: Ask, other: str) -> None:
    assert ask(other) == (None, "name_in_the_question")


@pytest.mark.parametrize("other", ["Musée 13", "Or", "Gold Houses", "Musée d'Ordre"])
def test_a_name_that_holds_only_a_part_does_not(ask: Ask, other: str) -> None:
    assert ask(other)[1] is None


def test_a_name_in_the_fixed_words_or_the_hint_gives_it_away(ask: Ask) -> None:
    assert ask(wording="Is {A} near {B}, the Gold House?")[1] == "name_in_the_question"
    assert ask(hint="Count from the Gold House.")[1] == "name_in_the_question"


def test_the_pictured_place_must_not_be_the_answer(ask: Ask) -> None:
    iris = {"accepted_iris": [OSM + "node/1"]}
    assert ask(format="set", gold='["Musée d\'Or"]', **iris)[1] == "pictured_place_is_the_answer"
    assert ask(format="entity", gold='"GOLD HOUSE"')[1] == "pictured_place_is_the_answer"
    assert (
        ask(format="entity", gold='"Banque 25"', accepted=['"Musée d\'Or (Chad)"'])[1]
        == "pictured_place_is_the_answer"
    )
    assert ask(format="entity", gold='"Banque 25"', accepted_iris=[OSM + "node/25"])[1] is None
    assert ask(format="entity", gold=None)[1] is None, "a false premise has no answer"


def test_a_picture_of_another_entity_is_refused(found: Catalogue, ask: Ask) -> None:
    with pytest.raises(InputError, match="node/1"):
        pictured({"id": "x", "roles": json.dumps({"A": {"iri": OSM + "node/2", "name": "x"}})}, "A", by_iri(found)[OSM + "node/1"], wording="{A}", hint=None, values={"A": "x"})  # fmt: skip


def test_facts_call_the_pictured_place_so(found: Catalogue) -> None:
    picture = by_iri(found)[OSM + "node/1"]
    mine, other = f"<{OSM}node/1>", f"<{OSM}node/10>"
    lines = [
        f"{mine} <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://www.worldkg.org/schema/Museum> .",
        f'{mine} {LABEL} "Musée d\'Or" .',
        f'{other} {LABEL} "Tour Haute" .',
    ]
    out = relabelled(lines, picture)
    assert out == [lines[0], f'{mine} {LABEL} "the pictured place" .', lines[2]]
    assert relabelled([*lines, f'{other} {LABEL} "Jardin du Musée d\'Or" .'], picture) is None
    assert relabelled([f'<{OSM}node/100> {LABEL} "Café 100" .'], picture) == [
        f'<{OSM}node/100> {LABEL} "Café 100" .'
    ]


def test_holds_name_ignores_empty_and_article_only_names() -> None:
    assert not holds_name("the tower", ["", "!", " "])
    assert holds_name("to La Tour and back", ["Tour"])
    assert holds_name("the tour", ["La Tour"]), "without its article"
    assert holds_name("La", ["La"])


def test_a_build_makes_verified_image_questions(town: Snapshot, tmp_path: Path) -> None:
    subs = ["A04.a", "H03", "L03", "M02.c"]
    result = build(BuildConfig(tmp_path / "bench", kgs=[town.path], subtemplates=subs, per_cell=6, threads=1))
    assert result.verified.total == result.verified.agreed > 0
    rows = pq.read_table(tmp_path / "bench" / "questions.parquet").to_pylist()
    images = [row for row in rows if row["modality"] == "image"]
    assert {row["subtemplate"] for row in images} >= {"A04.a", "H03", "L03"}
    assert len({row["id"] for row in rows}) == len(rows)
    facts = pq.read_table(tmp_path / "bench" / "facts.parquet").to_pydict()
    lines = dict(zip(facts["fact_id"], facts["triple"], strict=True))
    names = {row["iri"]: row["name"] for row in TOWN}
    for row in images:
        image = json.loads(row["image"])
        seen = " ".join(
            [row["question"], row["scale_hint"] or "", row["roles"], *(lines[i] for i in row["fact_ids"])]
        )
        assert names[image["iri"]].casefold() not in seen.casefold()
        assert "pictured" in row["question"]
        assert f'<{image["iri"]}> {LABEL} "the pictured place" .' in seen
    assert verify(tmp_path / "bench", threads=1).differences == []
    texts = [row for row in rows if row["modality"] == "text"]
    assert texts
    assert all(row["image"] is None for row in texts)


def test_the_picturable_entities_of_a_snapshot_are_resolved(
    mgqa: Mgqa, site: Site, town: Snapshot, bench: Callable[..., Path]
) -> None:
    folder = bench(text=1)
    found = mgqa(
        "resolve", folder, "--kg", town.path, "--api", site.url + "/w/api.php", "--rate", 1000, "--json"
    ).json
    assert found["items"] == found["without"] == 3
    assert site.forms[0]["ids"] == "Q1|Q12|Q10"
