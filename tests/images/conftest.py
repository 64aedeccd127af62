"""A local web server that plays Wikidata, Commons and other sites, and picture files made on the spot."""

from __future__ import annotations

import io
import json
import socket
import struct
import threading
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image, PngImagePlugin
from PIL.ExifTags import GPS, IFD, Base

from multiglobeqa.build.schema import QUESTION_SCHEMA
from multiglobeqa.cli.main import main

SECRET = "Rue du Secret 7"
"""Stands in every kind of metadata that the made pictures carry."""

XMP = f'<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF>{SECRET}</rdf:RDF></x:xmpmeta>'.encode()


def scene(width: int = 160, height: int = 120, seed: int = 7) -> Image.Image:
    """A smooth picture whose corners differ, so that a turn is seen after JPEG."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[0:height, 0:width]
    red = 255 * x / width
    green = 255 * y / height
    blue = 128 + 40 * np.sin(x / 9) + rng.normal(0, 2, (height, width))
    return Image.fromarray(np.clip(np.stack([red, green, blue], -1), 0, 255).astype(np.uint8))


def exif(orientation: int = 1) -> Image.Exif:
    """EXIF with a place, a camera's owner and a thumbnail-less first directory."""
    tags = Image.Exif()
    tags[Base.Orientation] = orientation
    tags[Base.Artist] = SECRET
    tags[Base.Make] = "Canon"
    tags.get_ifd(IFD.GPSInfo).update(
        {
            GPS.GPSLatitudeRef: "N",
            GPS.GPSLatitude: (43.0, 44.0, 3.5),
            GPS.GPSLongitudeRef: "E",
            GPS.GPSLongitude: (7.0, 25.0, 12.5),
        }
    )
    return tags


def jpeg(image: Image.Image | None = None, orientation: int = 1, **options: Any) -> bytes:
    """A JPEG with EXIF (GPS), XMP, IPTC, a comment, and bytes after its end."""
    out = io.BytesIO()
    picture = image or scene()
    options = {"quality": 90, "comment": SECRET, "xmp": XMP, "exif": exif(orientation)} | options
    picture.save(out, "JPEG", **options)
    data = out.getvalue()
    iptc = b"Photoshop 3.0\x008BIM\x04\x04\x00\x00\x00\x00\x00\x1c\x1c\x02\x50\x00\x0f" + SECRET.encode()
    segment = b"\xff\xed" + struct.pack(">H", len(iptc) + 2) + iptc
    return data[:2] + segment + data[2:] + b"\x00trailer " + SECRET.encode()


def png(image: Image.Image | None = None, orientation: int = 1) -> bytes:
    """A PNG with text chunks, XMP, EXIF and a time."""
    text = PngImagePlugin.PngInfo()
    text.add_text("Author", SECRET)
    text.add_text("Long", SECRET * 20, zip=True)
    text.add_itxt("XML:com.adobe.xmp", XMP.decode())
    out = io.BytesIO()
    (image or scene()).save(out, "PNG", pnginfo=text, exif=exif(orientation))
    return out.getvalue()


def webp(image: Image.Image | None = None, orientation: int = 1) -> bytes:
    """A WebP with EXIF and XMP."""
    out = io.BytesIO()
    (image or scene()).save(out, "WEBP", quality=90, exif=exif(orientation), xmp=XMP)
    return out.getvalue()


def bomb(side: int = 30_000) -> bytes:
    """A PNG of few bytes that says it has side x side pixels, and has."""

    def chunk(name: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))

    packer = zlib.compressobj(9)
    line = b"\x00" * (side // 8 + 2)
    body = b"".join(packer.compress(line) for _ in range(side)) + packer.flush()
    head = struct.pack(">IIBBBBB", side, side, 1, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", body) + chunk(b"IEND", b"")


def extmetadata(
    licence: str = "CC BY-SA 4.0", author: str = '<a href="//x">A. Author</a>', **more: str
) -> dict[str, Any]:
    """What the Commons API says of a file's rights."""
    url = "https://creativecommons.org/licenses/by-sa/4.0" if licence == "CC BY-SA 4.0" else ""
    values = {
        "LicenseShortName": licence,
        "LicenseUrl": url,
        "Artist": author,
        "Credit": "<span>Own work</span>",
    } | more
    return {key: {"value": value, "source": "commons-desc-page"} for key, value in values.items() if value}


class SlowBody(bytes):
    """A body whose first half is sent at once and the rest when ``go`` is set; ``arrived`` tells of the half."""

    arrived: threading.Event
    go: threading.Event

    def __new__(cls, body: bytes) -> SlowBody:
        """A body that waits."""
        made = super().__new__(cls, body)
        made.arrived, made.go = threading.Event(), threading.Event()
        return made


@dataclass
class Site:
    """What the server serves and what it was asked.

    ``pages``: path -> (status, headers, body). ``first``: path -> answers given before the page, one a request; an
    answer is "drop" (connection closed in the middle of the body), "reset" (closed before any answer), or
    (status, headers). ``files``: Commons file name -> (extmetadata, path of its bytes). ``items``: Wikidata item ->
    entity. ``busy``: API answers given first.
    """

    url: str = ""
    pages: dict[str, tuple[int, dict[str, str], bytes]] = field(default_factory=dict)
    first: dict[str, list[Any]] = field(default_factory=dict)
    files: dict[str, tuple[dict[str, Any], str]] = field(default_factory=dict)
    moved: dict[str, str] = field(default_factory=dict)
    items: dict[str, Any] = field(default_factory=dict)
    busy: list[tuple[int, dict[str, str], bytes]] = field(default_factory=list)
    asked: Counter[str] = field(default_factory=Counter)
    forms: list[dict[str, str]] = field(default_factory=list)
    agents: set[str] = field(default_factory=set)

    def page(self, path: str, body: bytes, kind: str = "image/jpeg") -> str:
        """Serve bytes; returns their address."""
        self.pages[path] = (200, {"Content-Type": kind}, body)
        return self.url + path

    def commons(self, name: str, body: bytes, **rights: str) -> None:
        """A file of Commons: Special:FilePath redirects to its bytes, as there."""
        path = f"/upload/{len(self.files)}"
        self.page(path, body)
        self.files[name] = (extmetadata(**rights), path)

    @property
    def options(self) -> list[str]:
        """Command-line options that name this server as Commons, without pauses."""
        return ["--api", self.url + "/commons.php", "--files", self.url + "/FilePath/", "--rate", "10000"]


class Handler(BaseHTTPRequestHandler):
    """Serves a Site over HTTP/1.1."""

    protocol_version = "HTTP/1.1"
    site: Site

    def log_message(self, *arguments: Any) -> None:
        """Nothing."""

    def do_GET(self) -> None:
        path = urlsplit(self.path).path
        self.site.asked[self.path] += 1
        self.site.agents.add(self.headers.get("User-Agent", ""))
        if self.site.first.get(path):
            step = self.site.first[path].pop(0)
            if step in ("drop", "reset"):
                self._broken(path, step)
                return
            self._send(step[0], step[1], b"wait")
            return
        if path.startswith("/FilePath/"):
            name = unquote(path.removeprefix("/FilePath/")).replace("_", " ")
            name = self.site.moved.get(name, name)
            if name in self.site.files:
                self._send(302, {"Location": self.site.files[name][1]}, b"")
            else:
                self._send(404, {}, b"no such file")
            return
        status, headers, body = self.site.pages.get(path, (404, {}, b"not here"))
        self._send(status, headers, body)

    def do_POST(self) -> None:
        form = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
        values = {key: value[0] for key, value in form.items()}
        self.site.forms.append(values)
        self.site.agents.add(self.headers.get("User-Agent", ""))
        if self.site.busy:
            self._send(*self.site.busy.pop(0))
            return
        answer = self._commons(values) if self.path == "/commons.php" else self._wikidata(values)
        self._send(200, {"Content-Type": "application/json"}, json.dumps(answer).encode())

    def _commons(self, form: dict[str, str]) -> dict[str, Any]:
        titles = form["titles"].split("|")
        assert len(titles) <= 50
        redirects = [
            {"from": f"File:{a}", "to": f"File:{b}"}
            for a, b in self.site.moved.items()
            if f"File:{a}" in titles
        ]
        pages = []
        for title in titles:
            name = title.removeprefix("File:")
            name = self.site.moved.get(name, name)
            page: dict[str, Any] = {"ns": 6, "title": f"File:{name}"}
            if name in self.site.files:
                page["imageinfo"] = [
                    {"descriptionurl": f"https://commons/{name}", "extmetadata": self.site.files[name][0]}
                ]
            else:
                page["missing"] = True
            pages.append(page)
        return {"query": {"redirects": redirects, "pages": pages}}

    def _wikidata(self, form: dict[str, str]) -> dict[str, Any]:
        items = form["ids"].split("|")
        assert len(items) <= 50
        entities = {}
        for item in items:
            entity = self.site.items.get(item, {"id": item, "missing": ""})
            entities[entity["id"]] = entity
        return {"entities": entities, "success": 1}

    def _broken(self, path: str, step: str) -> None:
        if step == "drop":
            body = self.site.pages[path][2]
            head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\n\r\n".encode()
            self.connection.sendall(head + body[: len(body) // 2])
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close_connection = True

    def _send(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        if isinstance(body, SlowBody):
            self.wfile.write(body[: len(body) // 2])
            self.wfile.flush()
            body.arrived.set()
            body.go.wait(20)
            self.close_connection = True
            return
        self.wfile.write(body)


class Server(ThreadingHTTPServer):
    """A server whose clients may go away without a word."""

    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Nothing."""


@pytest.fixture
def site() -> Iterator[Site]:
    """A running server."""
    found = Site()
    handler = type("SiteHandler", (Handler,), {"site": found})
    server = Server(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    found.url = f"http://127.0.0.1:{server.server_port}"
    yield found
    server.shutdown()
    server.server_close()


Bench = Callable[..., Path]


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """Write a benchmark folder whose questions show the given pictures: (source, name) each, entities 1, 2, ..."""

    def make(*pictures: tuple[str, str], text: int = 1) -> Path:
        folder = tmp_path / "bench"
        rows: list[dict[str, Any]] = []
        for n, picture in enumerate([*pictures, *[None] * text], 1):
            row: dict[str, Any] = dict.fromkeys(QUESTION_SCHEMA.names, "")
            row |= {key: [] for key in ("accepted", "accepted_iris", "entities", "fact_ids")}
            row |= {
                "id": f"{n:016x}",
                "lon": 0.0,
                "lat": 0.0,
                "premise": True,
                "modality": "text",
                "image": None,
            }
            if picture is not None:
                image = {
                    "iri": f"https://www.openstreetmap.org/node/{n}",
                    "source": picture[0],
                    "name": picture[1],
                }
                row |= {"modality": "image", "image": json.dumps(image)}
            rows.append(row)
        folder.mkdir(exist_ok=True)
        pq.write_table(pa.Table.from_pylist(rows, schema=QUESTION_SCHEMA), folder / "questions.parquet")
        return folder

    return make


@dataclass
class Outcome:
    """What ``mgqa`` printed and its exit code."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Its output as JSON."""
        return json.loads(self.out)


Mgqa = Callable[..., Outcome]


@pytest.fixture
def mgqa(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Mgqa:
    """Run ``mgqa images`` with arguments."""
    monkeypatch.setenv("COLUMNS", "200")
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)

    def run(*arguments: Any) -> Outcome:
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main(["images", *map(str, arguments)])
        code = ended.value.code
        printed = capsys.readouterr()
        return Outcome(code if isinstance(code, int) else 0, printed.out, printed.err)

    return run
