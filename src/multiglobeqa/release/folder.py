"""Writing a release: a Hugging Face dataset folder out of a benchmark folder."""

from __future__ import annotations

import os
import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from multiglobeqa.build.variants import small
from multiglobeqa.build.verify import verify
from multiglobeqa.errors import InputError, VerificationError
from multiglobeqa.kg.store import Snapshot
from multiglobeqa.release.card import CardInput, render
from multiglobeqa.release.croissant import croissant
from multiglobeqa.release.figures import figures
from multiglobeqa.release.slice import features_metadata, image_rows
from multiglobeqa.release.snapshots import SUMS, ReleasedSnapshot, check_used, write_snapshots, write_sums
from multiglobeqa.release.tables import SHARD_ROWS, Source, Split, read_source, with_triples, write_split
from multiglobeqa.report.benchmark import Verified, open_benchmark

CARD: Final = "README.md"
CROISSANT: Final = "croissant.json"
SOURCES: Final = "SOURCES.md"
_DATE: Final = re.compile(r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])")


@dataclass
class ReleaseConfig:
    """What to release. ``snapshots``: those the questions come from; None leaves the KGs out."""

    directory: Path
    out: Path
    train: Path | None = None
    snapshots: Sequence[Snapshot] | None = None
    images: bool = True
    date: str | None = None  # of publication, YYYY-MM-DD, for the Croissant file
    threads: int = 2
    shard_rows: int = SHARD_ROWS
    progress: Callable[[str, int, int], None] | None = None


@dataclass(frozen=True)
class Released:
    """What was written: the folder, rows by (config, split), image questions left out by (split, cause), bytes."""

    path: Path
    rows: dict[tuple[str, str], int]
    left_out: dict[tuple[str, str], int]
    size: int
    snapshots: list[ReleasedSnapshot] = field(default_factory=list)


def release(config: ReleaseConfig) -> Released:
    """Verify a benchmark anew and write it as a dataset folder, under a temporary name that is renamed at the end.

    The same input gives the same bytes. A release that stands there already is replaced.

    Raises
    ------
    VerificationError : an answer differs from the solver's; nothing is written.
    InputError : the input is no benchmark, test and train share a question, a snapshot is missing, or OUT is a
        folder of something else.
    """
    _check_out(config)
    if config.date is not None and not _DATE.fullmatch(config.date):
        raise InputError(f"{config.date!r} is no date.", source="--date", mend="Write YYYY-MM-DD.")
    info = open_benchmark(config.directory).info
    sources = {"test": read_source(config.directory)}
    if config.train is not None:
        sources["train"] = read_source(config.train)
        own = open_benchmark(config.train).info.licences
        info = info.model_copy(
            update={"licences": info.licences + [row for row in own if row not in info.licences]}
        )
    shared = _shared_entities(sources)
    if config.snapshots is not None:
        used = {
            text
            for source in sources.values()
            for text in source.questions["snapshot_id"].unique().to_pylist()
        }
        check_used(config.snapshots, used)
    verified = {name: _verify(config, name, source) for name, source in sources.items()}
    splits: list[Split] = []
    left_out: dict[str, Counter[str]] = {}
    for name, source in sources.items():
        made, left_out[name] = split_up(source, name, images=config.images)
        splits += made
    if not splits:
        raise InputError("holds no question.", source=config.directory, mend="Build the benchmark again.")
    splits.sort(key=lambda split: (split.language != "eng", split.language, _VARIANTS.index(split.variant)))
    with _replacing_folder(config.out) as root:
        written = [(split, write_split(root, split, shard_rows=config.shard_rows)) for split in splits]
        snapshots = write_snapshots(root, config.snapshots or ())
        shutil.copyfile(str(files("multiglobeqa") / "data" / SOURCES), root / SOURCES)
        card = CardInput(splits, figures(splits), info, verified, left_out, shared, snapshots, SOURCES)
        (root / CARD).write_text(render(card), "utf-8")
        others = sorted(path for path in (root / "kg").rglob("*") if path.is_file())
        licences = sorted({row.licence for row in info.licences})
        (root / CROISSANT).write_text(croissant(root, written, others, licences, config.date), "utf-8")
        write_sums(root)
        size = sum(path.stat().st_size for path in root.rglob("*") if path.is_file())
    rows = {(split.config, split.name): split.questions.num_rows for split in splits}
    causes = {(name, cause): count for name, counts in left_out.items() for cause, count in counts.items()}
    return Released(config.out, rows, causes, size, snapshots)


_VARIANTS: Final = ("large", "small", "large-image", "small-image")


def split_up(source: Source, name: str, *, images: bool = True) -> tuple[list[Split], Counter[str]]:
    """A source's splits by language and variant, and the image questions left out by cause.

    The test gets every variant, the train split ``large`` alone. A variant without a question has no split.
    """
    text = source.questions.filter(pc.equal(source.questions["modality"], "text"))
    pictured = image_rows(source.questions, source.path, wanted=images)
    tables = {"large": text, "large-image": pictured.questions}
    if name == "test":
        tables |= {"small": small(text), "small-image": small(pictured.questions)}
    splits = []
    for variant, table in tables.items():
        metadata = None
        if variant.endswith("image") and table.num_rows:
            metadata = features_metadata(with_triples(table.slice(0, 0), source.facts).schema)
        for language in sorted(table["language"].unique().to_pylist()):
            rows = table.filter(pc.equal(table["language"], language))
            splits.append(Split(language, variant, name, rows, source.facts, metadata))
    return splits, pictured.left_out


def _verify(config: ReleaseConfig, name: str, source: Source) -> Verified:
    total = source.questions.num_rows
    told = config.progress
    result = verify(
        source.path, config.threads, (lambda done: told(f"verify {name}", done, total)) if told else None
    )
    if result.differences:
        raise VerificationError(result.differences)
    return Verified(questions=result.total, agreed=result.agreed)


def _shared_entities(sources: dict[str, Source]) -> int | None:
    """Entities that test and train share; raises InputError where they share a question."""
    if "train" not in sources:
        return None
    test, train = sources["test"].questions, sources["train"].questions
    for key in (_ids, _wordings):
        both = train.filter(pc.is_in(key(train), value_set=key(test)))
        if both.num_rows:
            raise InputError(
                f"{both.num_rows} questions of train stand in the test too, the first: {both['question'][0]}",
                source=sources["train"].path,
                place=both["id"][0].as_py(),
                mend="Build the train split with entities of its own.",
            )
    sets = [table["entities"].combine_chunks().flatten().unique() for table in (test, train)]
    return int(pc.sum(pc.is_in(sets[0], value_set=sets[1])).as_py() or 0)


def _ids(table: pa.Table) -> pa.ChunkedArray:
    return table["id"]


def _wordings(table: pa.Table) -> pa.ChunkedArray:
    """What is asked: the text, and the picture where there is one."""
    return pc.binary_join_element_wise(table["question"], pc.fill_null(table["image"], ""), "\n")


def _check_out(config: ReleaseConfig) -> None:
    out = config.out
    if out.exists() and not (out.is_dir() and ((out / SUMS).is_file() or not any(out.iterdir()))):
        raise InputError(
            "stands there already and is no release.", source=out, mend="Name a new folder with --out."
        )
    inside = out.resolve()
    for source in (config.directory, config.train):
        if source is not None and source.resolve() in (inside, *inside.parents):
            raise InputError("lies in the benchmark folder.", source=out, mend="Name a folder beside it.")


@contextmanager
def _replacing_folder(out: Path) -> Iterator[Path]:
    """Yield a temporary folder beside ``out``, which takes its place when the block ends without error."""
    out.parent.mkdir(parents=True, exist_ok=True)
    temporary = out.with_name(f".{out.name}.{os.getpid()}.tmp")
    old = out.with_name(f".{out.name}.{os.getpid()}.old")
    shutil.rmtree(temporary, ignore_errors=True)
    temporary.mkdir()
    try:
        yield temporary
        if out.exists():
            out.rename(old)
        try:
            temporary.rename(out)
        except OSError:
            if old.exists():
                old.rename(out)
            raise
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
        if out.exists():
            shutil.rmtree(old, ignore_errors=True)
