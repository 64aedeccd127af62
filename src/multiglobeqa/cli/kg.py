"""``mgqa kg``: import, look at, fetch and query knowledge graphs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from multiglobeqa.cli.console import JsonFlag, OutFolder, emit, progress, say, show
from multiglobeqa.cli.targets import snapshot_path

app = typer.Typer(no_args_is_help=True, help="Knowledge graphs: import, look at, fetch, query.")

Snapshot = Annotated[
    str, typer.Argument(metavar="DIR|NAME", help="A snapshot folder, or an embedded KG's name.")
]


@app.command("import")
def import_(
    source: Annotated[str, typer.Argument(help="osm, worldkg or knowwheregraph.")],
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="The files; each becomes one part.")],
    out: OutFolder,
    raster: Annotated[
        Path | None, typer.Option(help="Population GeoTIFF (people a cell, EPSG:4326) for the density tiers.")
    ] = None,
    incomes: Annotated[
        Path | None,
        typer.Option(help="CSV with the columns iso3 and income_tier, in place of the World Bank's."),
    ] = None,
    name: Annotated[str | None, typer.Option(help="The part's name; by default the file's.")] = None,
    ontology: Annotated[Path | None, typer.Option(help="WorldKG's ontology (worldkg only).")] = None,
    licence: Annotated[
        str | None, typer.Option(help="The files' licence, where it is not the source's.")
    ] = None,
    attribution: Annotated[str | None, typer.Option(help="The attribution that goes with it.")] = None,
    json_: JsonFlag = False,
) -> None:
    """Import files into a snapshot folder and print what was read, kept and dropped.

    Parts that the folder already holds stay, except those of the same name.
    """
    from multiglobeqa.kg.ingest import import_files

    snapshot, parts = import_files(
        source,
        files,
        out,
        name=name,
        raster=raster,
        incomes=incomes,
        ontology=ontology,
        licence=licence,
        attribution=attribution,
    )
    if json_:
        emit(
            {
                "snapshot_id": snapshot.snapshot_id,
                "path": str(snapshot.path),
                "parts": {part.name: part.report for part in parts},
            }
        )
        return
    for part in parts:
        show_report(part.name, part.report)
    say(f"Snapshot {snapshot.snapshot_id} in {snapshot.path}")


def show_report(name: str, report: dict[str, Any]) -> None:
    """Print a loss report."""
    read = ", ".join(f"{count:,} {kind}" for kind, count in report["read"].items() if ":" not in kind)
    kept = ", ".join(f"{count:,} {kind}" for kind, count in report["kept"].items() if count)
    say(f"{name} ({report['source']}): read {read or 'nothing'}; kept {kept or 'nothing'}")
    if report["dropped"]:
        rows = [
            (cause, "; ".join(report["examples"].get(cause, [])), count)
            for cause, count in report["dropped"].items()
        ]
        show("Dropped", ("cause", "places, up to five", "objects"), rows, text=2)
    details: dict[str, list[str]] = {}
    for kind, count in report["read"].items():
        group, colon, member = kind.partition(":")
        if colon:
            details.setdefault(group, []).append(f"{member} {count:,}")
    for group, members in details.items():
        say(f"Read and {group}: {', '.join(members)}")
    for note in report["notes"]:
        say(f"Note: {note}")


@app.command()
def info(target: Snapshot, json_: JsonFlag = False) -> None:
    """Print what a snapshot holds."""
    from multiglobeqa.kg.store import open_snapshot
    from multiglobeqa.report.snapshots import summarize

    summary = summarize(open_snapshot(snapshot_path(target)))
    if json_:
        emit(summary.as_dict())
        return
    say(f"{summary.kg}, snapshot {summary.snapshot_id}: {summary.entities:,} entities in {summary.path}")
    show(
        "Parts",
        ("part", "complete in", "licence", "entities", "labels"),
        [
            (p.name + (" *" if p.supplement else ""), p.complete_in, p.licence, p.entities, p.labels)
            for p in summary.parts
        ],
        text=3,
    )
    if any(part.supplement for part in summary.parts):
        say("* supplement: not of the KG's own origin")
    kinds = list(summary.kinds)
    classes = [(name, *(count.get(kind, 0) for kind in kinds)) for name, count in summary.classes.items()]
    show("Classes", ("class", *kinds), classes)
    show_strata(summary.strata, kinds)
    say(f"Outside the strata: {summary.unclassified:,} in economies the World Bank leaves unclassified.")
    say(f"Countries: {len(summary.countries)}; most entities: {_most(summary.countries)}")
    say(f"Labels: {_most(summary.languages, 30)}")
    rows = [(line.cls, line.country, line.count, line.length_km) for line in summary.lines]
    show("Lines" if rows else "Lines: none", ("class", "country", "lines", "km"), rows, text=2)
    for text in sorted({f"{part.licence}: {part.attribution}" for part in summary.parts}):
        say(text)


def show_strata(rows: list[dict[str, Any]], kinds: list[str], title: str = "Strata") -> None:
    """Print entities by stratum and kind."""
    show(
        title,
        ("income", "density", *kinds),
        [(r["income"], r["density"], *(r[k] for k in kinds)) for r in rows],
        text=2,
    )


def _most(counts: dict[str, int], number: int = 10) -> str:
    return ", ".join(f"{key} {count:,}" for key, count in list(counts.items())[:number]) or "none"


@app.command()
def fetch(
    name: Annotated[
        str | None, typer.Argument(help="A name that --list prints, with its {words} filled in.")
    ] = None,
    out: Annotated[Path, typer.Option("--out", help="The folder to write.", file_okay=False)] = Path(
        "downloads"
    ),
    list_: Annotated[bool, typer.Option("--list", help="Print what can be fetched.")] = False,
    json_: JsonFlag = False,
) -> None:
    """Fetch a public dump or extract over the network: resumes, and checks sums where they are published."""
    from multiglobeqa.kg import fetch as fetcher
    from multiglobeqa.kg.sources import entries

    if list_:
        known = entries()
        if json_:
            emit({key: entry.model_dump() for key, entry in known.items()})
            return
        rows = [(key, entry.title, entry.licence, entry.note, entry.bytes) for key, entry in known.items()]
        show("Public dumps and extracts", ("name", "what", "licence", "note", "bytes, about"), rows, text=4)
        return
    if name is None:
        raise typer.BadParameter("name what to fetch, or ask for --list", param_hint="NAME")
    with progress() as callback:
        got = fetcher.fetch(name, out, progress=lambda done, total: callback(name, done, total or 0))
    if json_:
        emit({"path": str(got.path), "bytes": got.bytes, "checksum": got.checksum, "fresh": got.fresh})
        return
    state = "fetched" if got.fresh else "there already"
    checked = f"checked against {got.checksum}" if got.checksum else "no checksum is published"
    say(f"{got.path}: {got.bytes:,} bytes, {state}, {checked}")


@app.command()
def triples(
    target: Snapshot,
    out: Annotated[Path, typer.Option("--out", help="The file to write: .nt or .nt.gz.", dir_okay=False)],
) -> None:
    """Write a snapshot's facts as N-Triples."""
    from multiglobeqa.kg.export import write_triples
    from multiglobeqa.kg.store import open_snapshot

    say(f"{write_triples(open_snapshot(snapshot_path(target)), out):,} triples in {out}")


@app.command()
def sparql(
    target: Snapshot,
    query: Annotated[str, typer.Argument(help="A SELECT or ASK query. Prefixes of the three KGs are known.")],
    json_: JsonFlag = False,
) -> None:
    """Ask a SPARQL query of a snapshot's facts."""
    from multiglobeqa.kg.export import ask
    from multiglobeqa.kg.store import open_snapshot

    found = ask(open_snapshot(snapshot_path(target)), query)
    if json_:
        emit(found)
    elif isinstance(found, bool):
        say("yes" if found else "no")
    else:
        columns = list(found[0]) if found else []
        show(f"{len(found):,} rows", columns, [list(row.values()) for row in found], text=len(columns))


@app.command("write-worldkg")
def write_worldkg(
    file: Annotated[Path, typer.Argument(metavar="FILE.osm.pbf", help="An OSM file.")],
    out: Annotated[
        Path, typer.Option("--out", help="The file to write: .nt or .ttl, also .gz.", dir_okay=False)
    ],
    ontology: Annotated[Path | None, typer.Option(help="WorldKG's ontology, for more types.")] = None,
    json_: JsonFlag = False,
) -> None:
    """Write the tagged nodes of an OSM file in WorldKG's schema."""
    from multiglobeqa.kg import write_worldkg as writer
    from multiglobeqa.kg.report import ImportReport

    report = ImportReport(source=file.name)
    written = writer.write(file, out, report, ontology=ontology)
    if json_:
        emit({"path": str(out), "resources": written, "report": report.as_dict()})
        return
    show_report(out.name, report.as_dict())
    say(f"{written:,} resources in {out}")
