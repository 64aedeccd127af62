"""The pictures that a benchmark's image questions, or a KG snapshot, ask for."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pyarrow.compute as pc
import pyarrow.parquet as pq

from multiglobeqa.errors import InputError
from multiglobeqa.kg.store import Snapshot, require_parquet

FOLDER: Final = "images"
"""The folder of a benchmark that holds its pictures."""

SOURCES: Final = ("commons", "wikidata", "url")


@dataclass(frozen=True, order=True)
class Wanted:
    """One entity's picture as the KG states it; see `images.stated.image_of`."""

    iri: str
    source: str
    name: str


def of_json(text: str, *, place: str) -> Wanted:
    """A question's column ``image``. Raises InputError naming the question."""
    try:
        image = json.loads(text)
        found = Wanted(str(image["iri"]), str(image["source"]), str(image["name"]))
    except (ValueError, KeyError, TypeError) as error:
        raise InputError("has an image that is no object of iri, source and name.", place=place) from error
    if found.source not in SOURCES:
        raise InputError(f"has an image of the unknown source {found.source!r}.", place=place)
    return found


def of_benchmark(directory: str | Path) -> list[Wanted]:
    """The pictures of the image questions of a benchmark folder, sorted, each once.

    Raises InputError where the folder is no benchmark.
    """
    return sorted({of_json(text, place=f"{directory}, image {text}") for text in set(questions(directory))})


def questions(directory: str | Path) -> list[str]:
    """The column ``image`` of the image questions of a benchmark folder, one a question, in the file's order."""
    file = Path(directory) / "questions.parquet"
    if not file.is_file():
        raise InputError(
            "is no benchmark: it has no questions.parquet.",
            source=directory,
            mend="Make one with `mgqa build`.",
        )
    require_parquet(file, mend="Build the benchmark again.")
    if "image" not in pq.read_schema(file).names:
        raise InputError("has no column `image`.", source=file, mend="Build the benchmark again.")
    column = pq.read_table(file, columns=["image"])["image"]
    return [str(text) for text in pc.drop_null(column).to_pylist()]


def of_snapshots(snapshots: Iterable[Snapshot]) -> list[Wanted]:
    """The pictures of the picturable entities of KG snapshots (`build.picturable.catalogue`), sorted, each once."""
    from multiglobeqa.build.picturable import catalogue
    from multiglobeqa.engine import DuckEngine

    found: set[Wanted] = set()
    for snapshot in snapshots:
        pictures = catalogue(DuckEngine([snapshot]), [snapshot]).pictures
        found.update(Wanted(**picture.image) for picture in pictures.values())
    return sorted(found)
