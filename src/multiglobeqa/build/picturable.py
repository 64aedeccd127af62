"""Which entities of a KG a picture can stand for.

The rule follows one question: could someone who knows the place recognise it in the picture? docs/images.md gives it
in words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import pyarrow as pa
import pyarrow.dataset as ds

from multiglobeqa.engine import Engine
from multiglobeqa.images.stated import OWN_IRIS, image_of
from multiglobeqa.kg import classes
from multiglobeqa.kg.store import Snapshot

PICTURED_PLACE: Final = "the pictured place"
"""The label of the pictured entity in the facts, and its words where its class would give it away."""

COMMON: Final = 5
"""A class of which fewer members stand in the layer is not named: the class alone would tell the place."""

ALIKE: Final = frozenset(
    {
        "atm", "bicycle_rental", "border_crossing", "bus_stop", "car_rental", "car_wash", "charging_station",
        "fuel_station", "motorway_junction", "parking", "playground", "sports_pitch", "subway_entrance", "toll_booth",
        "tram_stop",
    }
)  # fmt: skip
"""Street furniture and grounds that look alike: a picture of one could be of another."""

STRUCTURES: Final = frozenset(
    {
        "airport", "apartment_building", "arts_centre", "building", "casino", "cemetery", "courthouse", "garden",
        "hospital", "hotel", "library", "mall", "marina", "office_building", "park", "pier", "railway_station",
        "stadium", "townhall", "university", "water_tower",
    }
)  # fmt: skip
"""Classes that are not salient and whose Wikidata item is the building or the ground itself. The item of a company,
an embassy or a restaurant may show its products, a person or a meal."""

_LARGE_SCALES: Final = ("settlement", "region")
_OWN: Final = " OR ".join(f"iri LIKE '{prefix}%'" for prefix in OWN_IRIS)
_KEYS: Final = " OR ".join(
    f"attributes LIKE '%\"{key}\"%'" for key in ("wikidata", "wikimedia_commons", "wikimediaCommons", "image")
)
_PICTURES: Final = (
    "SELECT id, iri, layer, class, kind, scale, salient, image, attributes FROM entity "
    f"WHERE (image IS NOT NULL OR {_KEYS}) AND ({_OWN}) ORDER BY id"
)


@dataclass(frozen=True)
class Picture:
    """An entity that a picture can stand for.

    ``image``: see `image_of`. ``words``: what the question calls it, such as "the pictured restaurant".
    ``names``: all its names and aliases, which the question must not hold.
    """

    entity: int
    image: dict[str, str]
    words: str
    names: frozenset[str]


@dataclass
class Catalogue:
    """The picturable entities of one KG by engine id, and how many with a picture were left out, by cause."""

    pictures: dict[int, Picture] = field(default_factory=dict)
    left_out: Counter[str] = field(default_factory=Counter)


def catalogue(engine: Engine, snapshots: Sequence[Snapshot]) -> Catalogue:
    """The picturable entities of a KG.

    ``snapshots`` are those the engine holds; their labels give the names that questions must not hold. Causes of
    ``left_out``: looks_like_others (street furniture), a_line, larger_than_a_picture (settlements and regions that
    are not salient), item_may_show_something_else (a Wikidata item of another class), picture_of_several (entities
    that share one picture), no_picture_of_its_own (a Commons category, a malformed item).
    """
    found = Catalogue()
    rows = engine.query(_PICTURES).to_pylist()
    images: dict[int, dict[str, str]] = {}
    shown: Counter[tuple[str, str]] = Counter()
    for row in rows:
        image = image_of(row["iri"], row["image"], row["attributes"])
        if image is None:
            found.left_out["no_picture_of_its_own"] += 1
            continue
        shown[(image["source"], image["name"])] += 1
        if (cause := _unseen(row, image["source"])) is None:
            images[row["id"]] = image
        else:
            found.left_out[cause] += 1
    kept = [row for row in rows if row["id"] in images]
    several = {e for e, image in images.items() if shown[(image["source"], image["name"])] > 1}
    found.left_out.update({"picture_of_several": len(several)} if several else {})
    members = _members(engine, {row["layer"] for row in kept})
    names = _names(snapshots, [row["iri"] for row in kept])
    for row in kept:
        if (entity := row["id"]) not in several:
            words = _words(row["class"], members[(row["layer"], row["class"])])
            found.pictures[entity] = Picture(
                entity, images[entity], words, frozenset(names.get(row["iri"], ()))
            )
    return found


def _unseen(row: Mapping[str, Any], source: str) -> str | None:
    """Why an entity cannot be recognised in its picture; None where it can."""
    if row["class"] in ALIKE:
        return "looks_like_others"
    if row["kind"] == "line" and not row["salient"]:
        return "a_line"
    if row["salient"]:
        return None
    if row["scale"] in _LARGE_SCALES:
        return "larger_than_a_picture"
    if source == "wikidata" and row["class"] not in STRUCTURES:
        return "item_may_show_something_else"
    return None


def _members(engine: Engine, layers: set[str]) -> Counter[tuple[str, str]]:
    table = engine.query("SELECT layer, class, count(*) AS n FROM entity GROUP BY layer, class")
    rows = zip(*(table[column].to_pylist() for column in ("layer", "class", "n")), strict=True)
    return Counter({(layer, class_): n for layer, class_, n in rows if layer in layers})


def _names(snapshots: Sequence[Snapshot], iris: list[str]) -> dict[str, set[str]]:
    names: dict[str, set[str]] = {}
    for snapshot in snapshots if iris else ():
        wanted = ds.field("iri").isin(pa.array(iris, pa.string()))
        for files, column in ((snapshot.label_files, "label"), (snapshot.entity_files, "name")):
            table = ds.dataset(files, format="parquet").to_table(columns=["iri", column], filter=wanted)
            for iri, name in zip(table["iri"].to_pylist(), table[column].to_pylist(), strict=True):
                names.setdefault(iri, set()).add(name)
    return names


def _words(class_: str, members: int) -> str:
    entry = classes.load()[class_]
    if members < COMMON or (entry.generic and class_ != "building"):
        return PICTURED_PLACE
    return f"the pictured {entry.label}"
