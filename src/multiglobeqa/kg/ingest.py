"""Importing files into a snapshot folder: one part a file, the manifest last."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from multiglobeqa.errors import InputError
from multiglobeqa.kg import osm
from multiglobeqa.kg.finish import write_part
from multiglobeqa.kg.report import ImportReport
from multiglobeqa.kg.sources import entries
from multiglobeqa.kg.staging import publish, staging
from multiglobeqa.kg.store import MANIFEST, Part, Snapshot, open_snapshot
from multiglobeqa.kg.strata import Strata

SOURCES: Final = {"osm": "osmh3kg", "worldkg": "worldkg", "knowwheregraph": "knowwheregraph"}
"""Kind of source -> the KG it becomes."""
_PUBLIC: Final = {"osm": "planet", "worldkg": "worldkg", "knowwheregraph": "knowwheregraph"}
"""Kind of source -> the entry of ``sources.yaml`` whose licence and attribution files of that kind have."""
_SUFFIXES = re.compile(r"(\.(osm|pbf|ttl|nt|nq|rdf|csv|gz|bz2|xz))+$", re.IGNORECASE)


def import_files(
    source: str,
    files: Sequence[str | Path],
    out: str | Path,
    *,
    name: str | None = None,
    raster: str | Path | None = None,
    incomes: str | Path | None = None,
    ontology: str | Path | None = None,
    licence: str | None = None,
    attribution: str | None = None,
) -> tuple[Snapshot, list[Part]]:
    """Import files of one kind of source; returns the snapshot and the parts that were written now.

    Parts of an existing snapshot in ``out`` stay, except those of the same name. After an error ``out`` is as
    it was.

    Parameters
    ----------
    source : osm, worldkg or knowwheregraph.
    name : the part's name; by default the file's name. Needs a single file.
    raster : a population GeoTIFF for the density tiers (``kg.strata``).
    incomes : an income table in place of the embedded one (``kg.strata``).
    ontology : WorldKG's ontology (worldkg only).
    licence, attribution : of the files, where they are not those of the public source.
    """
    if source not in SOURCES:
        raise InputError(f"no importer for {source!r}.", mend=f"Known: {', '.join(SOURCES)}.")
    names = _names(files, name)
    kg, public, folder = SOURCES[source], entries()[_PUBLIC[source]], Path(out)
    kept = _existing(folder, kg)
    strata = Strata.load(raster=raster, incomes=incomes)
    with staging(folder) as stage:
        written = []
        for file, part in zip(files, names, strict=True):
            report = ImportReport(source=Path(file).name)
            raw, labels, options = _read(source, Path(file), report, ontology, strata)
            places = strata.refined(*osm.national_surfaces(file)) if source == "osm" else strata
            written.append(
                write_part(
                    stage,
                    part,
                    kg,
                    raw,
                    labels,
                    report=report,
                    licence=licence or public.licence,
                    attribution=attribution or public.attribution,
                    strata=places,
                    **options,
                )
            )
        return publish(stage, folder, kg, written, kept), written


def import_extracts(
    files: Sequence[str | Path], out: str | Path, *, raster: str | Path | None = None
) -> list[tuple[Snapshot, list[Part]]]:
    """Import OSM extracts twice: as ``OUT/osmh3kg``, and their tagged nodes as ``OUT/worldkg``.

    Both folders are written anew; other parts in them are forgotten. After an error ``out`` is as it was. An
    extract without a tagged node gives no part of worldkg; without any part there is no such snapshot.
    """
    from multiglobeqa.kg import worldkg, write_worldkg

    folder, public, written = Path(out), entries()[_PUBLIC["osm"]], []
    strata = Strata.load(raster=raster)
    with staging(folder) as stage:
        _, first = import_files("osm", files, stage / "osmh3kg", raster=raster)
        for file, part in zip(files, _names(files, None), strict=True):
            report = ImportReport(source=Path(file).name)
            with tempfile.TemporaryDirectory() as scratch:
                dump = Path(scratch) / f"{part}.nt"
                if write_worldkg.write(file, dump, report) == 0:
                    continue
                raw, labels = worldkg.read(dump, report)
                written.append(
                    write_part(
                        stage / "worldkg",
                        part,
                        "worldkg",
                        raw,
                        labels,
                        report=report,
                        licence=public.licence,
                        attribution=public.attribution,
                        coverage=osm.coverage(file),
                        strata=strata.refined(*osm.national_surfaces(file)),
                    )
                )
        (folder / "worldkg" / MANIFEST).unlink(missing_ok=True)
        done = [(publish(stage / "osmh3kg", folder / "osmh3kg", "osmh3kg", first), first)]
        if written:
            done.append((publish(stage / "worldkg", folder / "worldkg", "worldkg", written), written))
        return done


def _read(
    source: str, file: Path, report: ImportReport, ontology: str | Path | None, strata: Strata
) -> tuple[Iterator[Any], Iterator[Any], dict[str, Any]]:
    """Raw batches, label batches, and what ``write_part`` must know of this source."""
    if not file.is_file():
        raise InputError("does not exist or is no file.", source=file)
    if source == "osm":
        return (*osm.read(file, report), {"coverage": osm.coverage(file), "hierarchy": True})
    if source == "worldkg":
        from multiglobeqa.kg import worldkg

        return (*worldkg.read(file, report, ontology=ontology), {})
    from multiglobeqa.kg import knowwheregraph

    if file.suffix.lower() == ".csv":
        return (*knowwheregraph.read_csv(file, report), {})
    return (*knowwheregraph.read(file, report, country_of=strata.country), {})


def _existing(folder: Path, kg: str) -> tuple[Part, ...]:
    if not (folder / MANIFEST).is_file():
        return ()
    snapshot = open_snapshot(folder)
    if snapshot.kg != kg:
        raise InputError(
            f"already holds a snapshot of {snapshot.kg}, and this source becomes {kg}.",
            source=folder,
            mend="Name another folder with --out.",
        )
    return snapshot.parts


def _names(files: Sequence[str | Path], name: str | None) -> list[str]:
    """A name for each part: letters, digits, dot, dash and underscore."""
    if not files:
        raise InputError("no file was given.")
    if name is not None and len(files) > 1:
        raise InputError(
            "one name for several files.", mend="Leave out --name, or import the files one by one."
        )
    stems = [name] if name is not None else [_SUFFIXES.sub("", Path(file).name) for file in files]
    names = [re.sub(r"[^A-Za-z0-9._-]+", "_", stem).strip("._") for stem in stems]
    for place, part in enumerate(names):
        if not part:
            raise InputError(
                f"no part name can be made of {str(files[place])!r}.", mend="Give one with --name."
            )
        if part in names[:place]:
            raise InputError(
                f"two files give the part name {part!r}.", mend="Import them one by one with --name."
            )
    return names
