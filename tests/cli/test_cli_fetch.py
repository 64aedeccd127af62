"""``mgqa kg fetch`` against a server on this machine."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from multiglobeqa.kg import sources

Mgqa = Callable[..., Any]
BODY = bytes(range(256)) * 300


class Quiet(SimpleHTTPRequestHandler):
    """Serves a folder and prints nothing."""

    def log_message(self, *arguments: Any) -> None:
        """Nothing."""


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A registry with one right and one wrong checksum, served from a folder."""
    served = tmp_path / "served"
    served.mkdir()
    (served / "town.osm.pbf").write_bytes(BODY)
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(served)))
    Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/town.osm.pbf"
    table = {
        "town": {"url": url, "sha256": hashlib.sha256(BODY).hexdigest()},
        "wrong": {"url": url, "sha256": "0" * 64, "file": "wrong.pbf"},
        "gone": {"url": url + ".old"},
    }
    for name, entry in table.items():
        entry |= {"title": f"The {name} file", "licence": "ODbL-1.0", "attribution": "Somebody"}
    file = tmp_path / "sources.yaml"
    file.write_text(json.dumps(table), "utf-8")
    monkeypatch.setattr(sources, "TABLE", file)
    yield
    server.shutdown()
    server.server_close()


@pytest.mark.usefixtures("registry")
def test_fetch_writes_the_file_and_keeps_it_the_second_time(mgqa: Mgqa, tmp_path: Path) -> None:
    first = mgqa("kg", "fetch", "town", "--out", tmp_path / "in")
    assert first.code == 0, first.err
    assert (tmp_path / "in" / "town.osm.pbf").read_bytes() == BODY
    assert f"{len(BODY):,} bytes, fetched, checked against sha256" in first.out
    again = json.loads(mgqa("kg", "fetch", "town", "--out", tmp_path / "in", "--json").out)
    assert (again["fresh"], again["bytes"]) == (False, len(BODY))


@pytest.mark.usefixtures("registry")
@pytest.mark.parametrize(("name", "word"), [("wrong", "sha256"), ("gone", "404"), ("nothing", "'nothing'")])
def test_fetch_that_fails_leaves_no_file_and_says_why(
    mgqa: Mgqa, tmp_path: Path, name: str, word: str
) -> None:
    ended = mgqa("kg", "fetch", name, "--out", tmp_path / "in")
    assert ended.code == 1
    assert word in ended.err
    assert not list(tmp_path.glob("in/*.pbf"))


def test_list_prints_the_registry_with_licences(mgqa: Mgqa) -> None:
    known = json.loads(mgqa("kg", "fetch", "--list", "--json").out)
    assert known.keys() == sources.entries().keys()
    shown = mgqa("kg", "fetch", "--list").out
    for name, entry in known.items():
        assert name in shown
        assert entry["licence"] in shown


def test_fetch_without_a_name_is_wrong_usage(mgqa: Mgqa) -> None:
    assert mgqa("kg", "fetch").code == 2
