"""The dataset card: README.md with the YAML head that Hugging Face reads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import jinja2
import yaml

from multiglobeqa import __version__
from multiglobeqa.build.variants import QUOTA
from multiglobeqa.kg.rdf_labels import tag
from multiglobeqa.release.figures import Figures, size_category
from multiglobeqa.release.snapshots import ReleasedSnapshot
from multiglobeqa.release.tables import Split
from multiglobeqa.report.benchmark import BuildInfo, Verified
from multiglobeqa.report.values import percent, words

PRETTY_NAME: Final = "MultiGlobeQA"
DEFAULT_VARIANT: Final = "small"

LICENCE_IDS: Final[Mapping[str, str]] = {
    "ODbL-1.0": "odbl",
    "CC-BY-4.0": "cc-by-4.0",
    "CC-BY-SA-4.0": "cc-by-sa-4.0",
    "CC0-1.0": "cc0-1.0",
    "MIT": "mit",
    "Apache-2.0": "apache-2.0",
}
"""Licence of a part -> the Hub's name of it; parts in the public domain add none, all others are ``other``."""
_FREE: Final = "public domain"


@dataclass(frozen=True)
class CardInput:
    """All that the card tells."""

    splits: Sequence[Split]
    figures: Figures
    info: BuildInfo
    verified: Mapping[str, Verified]  # split -> questions solved again, and answers that agreed
    left_out: Mapping[str, Counter[str]]  # split -> cause -> image questions
    shared_entities: int | None  # entities that test and train share; None without a train split
    snapshots: Sequence[ReleasedSnapshot]
    sources: str | None  # the file that describes the embedded data


def front_matter(card: CardInput) -> dict[str, Any]:
    """The YAML head as a mapping."""
    configs: dict[str, list[dict[str, str]]] = {}
    for split in card.splits:
        files = {"split": split.name, "path": f"{split.folder}/{split.name}-*.parquet"}
        configs.setdefault(split.config, []).append(files)
    default = next(
        (split.config for split in card.splits if split.variant == DEFAULT_VARIANT), next(iter(configs), "")
    )
    rows = sum(split.questions.num_rows for split in card.splits if split.variant.startswith("large"))
    tasks = ["question-answering"]
    if any(split.variant.endswith("image") for split in card.splits):
        tasks.append("visual-question-answering")
    return {
        "pretty_name": PRETTY_NAME,
        "language": [tag(code) or code for code in sorted({split.language for split in card.splits})],
        "license": licence_ids(card.info),
        "task_categories": tasks,
        "size_categories": [size_category(rows)],
        "tags": ["geospatial", "knowledge-graph", "geosparql", "benchmark"],
        "configs": [
            {"config_name": name, **({"default": True} if name == default else {}), "data_files": files}
            for name, files in configs.items()
        ],
    }


def licence_ids(info: BuildInfo) -> list[str]:
    """The Hub's licence names of all parts, sorted; ``other`` where one has no such name or none is stated."""
    licences = {row.licence for row in info.licences}
    found = {LICENCE_IDS.get(licence, "other") for licence in licences if licence != _FREE}
    return sorted(found) or ["other"]


def render(card: CardInput) -> str:
    """README.md. Equal input gives equal text."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("multiglobeqa.release", "templates"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {
        "thousands": lambda value: f"{value:,}",
        "cell": _cell,
        "percent": percent,
        "words": words,
    }
    attributions = {row.attribution for row in card.info.licences}
    head = yaml.safe_dump(front_matter(card), sort_keys=False, allow_unicode=True)
    return environment.get_template("README.md.j2").render(
        card=card,
        figures=card.figures,
        info=card.info,
        head=head,
        version=__version__,
        quota=QUOTA,
        languages=sorted({split.language for split in card.splits}),
        natural_earth=any("Natural Earth" in text for text in attributions),
        openstreetmap=any("OpenStreetMap" in text for text in attributions),
        image_configs=[split for split in card.splits if split.variant.endswith("image")],
        left_out={split: counts for split, counts in card.left_out.items() if counts},
        false_questions=sum(
            split.questions.num_rows - sum(split.questions["premise"].to_pylist())
            for split in card.splits
            if split.name == "test" and split.variant.startswith("large")
        ),
    )


def _cell(value: object) -> str:
    """A text in a cell of a Markdown table."""
    return " ".join(str(value).split()).replace("|", "\\|")
