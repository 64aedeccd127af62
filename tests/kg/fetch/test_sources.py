"""The registry of addresses."""

from __future__ import annotations

from pathlib import Path

import pytest

from multiglobeqa.errors import InputError
from multiglobeqa.kg.sources import entries, resolve


def test_every_entry_states_licence_and_doubt() -> None:
    found = entries()
    assert {"geofabrik", "planet", "worldkg", "knowwheregraph", "worldpop", "naturalearth"} <= set(found)
    for name, entry in found.items():
        assert entry.licence and entry.attribution and entry.title, name
        assert entry.url.startswith("https://") or (not entry.url and entry.note), name


@pytest.mark.parametrize(
    ("name", "url", "file"),
    [
        (
            "geofabrik/europe/monaco",
            "https://download.geofabrik.de/europe/monaco-latest.osm.pbf",
            "monaco-latest.osm.pbf",
        ),
        (
            "geofabrik/north-america/us/california",
            "https://download.geofabrik.de/north-america/us/california-latest.osm.pbf",
            "california-latest.osm.pbf",
        ),
        (
            "worldpop-country/mng",
            "https://data.worldpop.org/GIS/Population/Global_2000_2020_1km/2020/MNG/mng_ppp_2020_1km_Aggregated.tif",
            "mng_ppp_2020_1km_Aggregated.tif",
        ),
        (
            "naturalearth/cultural/ne_10m_admin_0_countries",
            "https://naciscdn.org/naturalearth/10m/cultural/ne_10m_admin_0_countries.zip",
            "ne_10m_admin_0_countries.zip",
        ),
        ("planet", "https://planet.openstreetmap.org/pbf/planet-latest.osm.pbf", "planet-latest.osm.pbf"),
    ],
)
def test_names_become_addresses(name: str, url: str, file: str) -> None:
    source = resolve(name)
    assert (source.url, source.file) == (url, file)
    assert source.md5_url in (None, url + ".md5")


@pytest.mark.parametrize(
    "name",
    [
        "mars",
        "geofabrik",
        "planet/europe",
        "geofabrik/../etc",
        "geofabrik/a b",
        "naturalearth/a",
        "knowwheregraph",
        "worldpop-country/mng/extra",
        "naturalearth/a/b/c",
    ],
)
def test_odd_names_are_refused(name: str) -> None:
    with pytest.raises(InputError):
        resolve(name)


def test_broken_registry_names_the_entry(tmp_path: Path) -> None:
    file = tmp_path / "sources.yaml"
    file.write_text("mine: {title: x, url: 'https://x', licence: y, attribution: z, size: 3}\n")
    with pytest.raises(InputError, match=r"mine\.size"):
        entries(file)
    file.write_text("- a\n")
    with pytest.raises(InputError, match="not a registry"):
        entries(file)
