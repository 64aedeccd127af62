"""All tables and figures of one benchmark."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from multiglobeqa import answers
from multiglobeqa.report.html.land import country_surfaces
from multiglobeqa.report.stats import continents, draw, golds, kgs, majority, maps, strata, taxonomy
from multiglobeqa.report.stats.classes import question_classes
from multiglobeqa.report.stats.languages import table3
from multiglobeqa.report.stats.questions import Questions, read
from multiglobeqa.report.stats.table import Table, write_csv
from multiglobeqa.report.stats.world import World, open_world
from multiglobeqa.taxonomy import SubTemplate, load


@dataclass(frozen=True)
class Statistics:
    """What was counted.

    ``tables``: in the order in which they are printed; figures stand among them in numbers. ``language``: the one that
    all tables but Table 3 count. ``repeated``: rows that repeat another's id, counted once. ``densities`` and
    ``sites``: the arrays behind figures 4 and 5.
    """

    path: Path
    questions: int
    language: str
    tables: list[Table]
    densities: list[maps.Density]
    sites: maps.Sites
    missing: list[str]
    repeated: int

    def table(self, name: str) -> Table:
        """The table of this name."""
        return next(table for table in self.tables if table.name == name)

    def as_dict(self) -> dict[str, Any]:
        """JSON form."""
        return {
            "questions": self.questions,
            "language": self.language,
            "rows_repeated": self.repeated,
            "snapshots_missing": self.missing,
            "tables": {table.name: table.as_dict() for table in self.tables},
        }


def collect(
    path: str | Path,
    snapshots: Sequence[Path] | None = None,
    *,
    split: str = "test",
    subs: Sequence[SubTemplate] | None = None,
) -> Statistics:
    """Count a benchmark folder, a release folder or a file of questions.

    Parameters
    ----------
    snapshots : folders of the KG snapshots; by default those beside the questions and the embedded ones.
    split : of a release: test or train.
    subs : the taxonomy; by default the package's.

    Raises InputError as `questions.read` and `world.open_world` do.
    """
    every = read(path, split)
    counted = every.counted()
    world = open_world(counted, snapshots)
    taxonomy_ = list(subs) if subs is not None else load()
    found, density = maps.sites(counted, world), maps.densities(world)
    return Statistics(
        Path(path),
        counted.table.num_rows,
        counted.language,
        _tables(every, counted, world, taxonomy_, found, density),
        density,
        found,
        world.missing,
        every.repeated,
    )


def _tables(
    every: Questions,
    counted: Questions,
    world: World,
    subs: list[SubTemplate],
    found: maps.Sites,
    density: list[maps.Density],
) -> list[Table]:
    classes = question_classes(counted, world, {sub.id: sub for sub in subs})
    cells = continents.cells(counted, classes, world)
    return [
        taxonomy.table1(counted, subs),
        strata.table2(counted),
        table3(every.by_language()),
        taxonomy.table5(counted, subs),
        kgs.table6(world),
        strata.table7(counted),
        maps.density_summary(density),
        maps.site_summary(found, world),
        strata.by_format(counted, [name for name in answers.FORMATS if name != "choice"]),
        strata.class_by_stratum(counted, classes),
        continents.class_by_continent(cells),
        continents.empty_cells(cells),
        golds.false_premises(counted, subs),
        golds.image_slice(counted, world),
        strata.variant_sizes(counted),
        golds.answer_sizes(counted),
        golds.gold_triples(counted),
        golds.slips(counted),
        majority.by_subtemplate(counted),
    ]


def write(statistics: Statistics, directory: str | Path) -> list[Path]:
    """Write every table and the figures' data as CSV and, where matplotlib is installed, the figures as PNG and SVG."""
    folder = Path(directory)
    folder.mkdir(parents=True, exist_ok=True)
    data = [maps.density_cells(statistics.densities), maps.site_table(statistics.sites)]
    written = write_csv(folder, [*statistics.tables, *data])
    if draw.available():
        formats = statistics.table("figure6_formats")
        rings = maps.outlines([country.geometry for country in country_surfaces()])
        written += draw.write_figures(folder, statistics.densities, statistics.sites, formats, rings)
    return written
