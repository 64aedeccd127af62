"""Fetching from a real local server that breaks off, ignores ranges, changes the file, or is busy."""

from __future__ import annotations

import hashlib
import json
import shutil
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from multiglobeqa.kg.fetch import Fetched, FetchError, fetch
from multiglobeqa.kg.sources import Source

BODY = bytes(range(256)) * 8192  # 2 MiB
OTHER = bytes(reversed(BODY))


@dataclass
class Behaviour:
    """What the server does; ``break_after`` holds bytes of body to send before each connection is cut."""

    body: bytes = BODY
    etag: str | None = '"one"'
    ranges: bool = True
    length: bool = True
    break_after: list[int] = field(default_factory=list)
    statuses: list[tuple[int, dict[str, str]]] = field(default_factory=list)
    change_to: bytes | None = None
    lie_about_range: bool = False
    files: dict[str, bytes] = field(default_factory=dict)
    requests: list[tuple[str, dict[str, str]]] = field(default_factory=list)


class Handler(BaseHTTPRequestHandler):
    behaviour: Behaviour

    def do_GET(self) -> None:
        rules = self.behaviour
        rules.requests.append((self.path, dict(self.headers)))
        if self.path in rules.files:
            self._answer(200, rules.files[self.path], {})
            return
        if self.path != "/data.bin":
            self._answer(404, b"", {})
            return
        if rules.statuses:
            status, headers = rules.statuses.pop(0)
            self._answer(status, b"", headers)
            return
        wanted = self.headers.get("Range")
        matches = self.headers.get("If-Range") in (None, rules.etag)
        if wanted and rules.ranges and matches:
            start = int(wanted.removeprefix("bytes=").rstrip("-"))
            if start >= len(rules.body):
                self._answer(416, b"", {"Content-Range": f"bytes */{len(rules.body)}"})
                return
            said = start + 1 if rules.lie_about_range else start
            headers = {"Content-Range": f"bytes {said}-{len(rules.body) - 1}/{len(rules.body)}"}
            self._answer(206, rules.body[start:], headers)
        else:
            self._answer(200, rules.body, {})

    def _answer(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        rules = self.behaviour
        self.send_response(status)
        if rules.etag:
            self.send_header("ETag", rules.etag)
        for name, value in headers.items():
            self.send_header(name, value)
        if rules.length:
            self.send_header("Content-Length", str(len(body)))
        self.send_header("Connection", "close")
        self.end_headers()
        if self.path == "/data.bin" and status in (200, 206) and rules.break_after:
            self.wfile.write(body[: rules.break_after.pop(0)])
            self.wfile.flush()
            if rules.change_to is not None:
                rules.body, rules.etag, rules.change_to = rules.change_to, '"two"', None
            self.connection.shutdown(socket.SHUT_RDWR)
            return
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Quiet."""


@pytest.fixture
def served() -> Iterator[tuple[Behaviour, str]]:
    rules = Behaviour()
    handler = type("BoundHandler", (Handler,), {"behaviour": rules})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        yield rules, f"http://127.0.0.1:{server.server_address[1]}/data.bin"
        server.shutdown()
        thread.join()


def source(url: str, **fields: Any) -> Source:
    return Source(name="test", url=url, file="data.bin", licence="x", attribution="x", **fields)


def run(url: str, folder: Path, waits: list[float] | None = None, retries: int = 4, **fields: Any) -> Fetched:
    pauses = waits if waits is not None else []
    return fetch(source(url, **fields), folder, retries=retries, timeout=5, sleep=pauses.append)


def ranges(rules: Behaviour) -> list[str | None]:
    return [headers.get("Range") for path, headers in rules.requests if path == "/data.bin"]


def leftovers(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_whole_file_with_checksum_and_progress(served: tuple[Behaviour, str], tmp_path: Path) -> None:
    rules, url = served
    seen: list[tuple[int, int | None]] = []
    digest = hashlib.sha256(BODY).hexdigest()
    got = fetch(source(url, sha256=digest), tmp_path, progress=lambda done, total: seen.append((done, total)))
    assert got == Fetched(tmp_path / "data.bin", len(BODY), f"sha256 {digest}", True)
    assert got.path.read_bytes() == BODY
    assert leftovers(tmp_path) == ["data.bin"]
    assert seen[-1] == (len(BODY), len(BODY))
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    again = fetch(source(url, sha256=digest), tmp_path)
    assert not again.fresh
    assert len(rules.requests) == 1


def test_broken_connections_are_resumed_where_they_broke(
    served: tuple[Behaviour, str], tmp_path: Path
) -> None:
    rules, url = served
    rules.break_after = [300_000, 500_000, 1]
    got = run(url, tmp_path, md5=hashlib.md5(BODY).hexdigest())
    assert got.path.read_bytes() == BODY
    assert ranges(rules) == [None, "bytes=300000-", "bytes=800000-", "bytes=800001-"]
    assert [headers.get("If-Range") for _, headers in rules.requests[1:]] == ['"one"'] * 3


def test_a_later_run_goes_on_from_the_part(served: tuple[Behaviour, str], tmp_path: Path) -> None:
    rules, url = served
    rules.break_after = [400_000]
    with pytest.raises(FetchError, match="kept; run the command again") as caught:
        run(url, tmp_path, retries=0)
    assert caught.value.place == "byte 400000"
    assert leftovers(tmp_path) == ["data.bin.part", "data.bin.part.json"]
    assert run(url, tmp_path).path.read_bytes() == BODY
    assert ranges(rules)[-1] == "bytes=400000-"


def test_server_without_ranges_begins_anew(served: tuple[Behaviour, str], tmp_path: Path) -> None:
    rules, url = served
    rules.ranges = False
    rules.break_after = [300_000]
    assert run(url, tmp_path).path.read_bytes() == BODY
    assert len(rules.requests) == 2


def test_server_without_ranges_that_always_breaks_stops(
    served: tuple[Behaviour, str], tmp_path: Path
) -> None:
    rules, url = served
    rules.ranges = False
    rules.break_after = [300_000] * 50
    with pytest.raises(FetchError, match="in 4 tries"):
        run(url, tmp_path, retries=3)
    assert len(rules.requests) == 4  # only the first got further; no endless loop


@pytest.mark.parametrize("ranges_kept", [True, False])
def test_file_that_changes_between_tries(
    served: tuple[Behaviour, str], tmp_path: Path, ranges_kept: bool
) -> None:
    rules, url = served
    rules.ranges = ranges_kept
    rules.break_after = [700_000]
    rules.change_to = OTHER
    assert run(url, tmp_path).path.read_bytes() == OTHER  # not the head of one and the tail of the other


def test_changed_file_behind_a_server_that_ignores_if_range(
    served: tuple[Behaviour, str], tmp_path: Path
) -> None:
    rules, url = served
    rules.break_after = [700_000]
    with pytest.raises(FetchError):
        run(url, tmp_path, retries=0)
    rules.body, memory = OTHER, tmp_path / "data.bin.part.json"
    content = json.loads(memory.read_text())
    rules.etag = '"two"'
    original = Handler.do_GET

    def stubborn(self: Handler) -> None:  # a 206 of the new version though If-Range names the old one
        del self.headers["If-Range"]
        original(self)

    Handler.do_GET = stubborn  # type: ignore[method-assign]
    try:
        assert run(url, tmp_path).path.read_bytes() == OTHER
    finally:
        Handler.do_GET = original  # type: ignore[method-assign]
    assert content["validator"] == '"one"'


def test_shrunk_file_gives_416_and_begins_anew(served: tuple[Behaviour, str], tmp_path: Path) -> None:
    rules, url = served
    rules.break_after = [700_000]
    with pytest.raises(FetchError):
        run(url, tmp_path, retries=0)
    rules.body = BODY[:1000]  # same tag: the server says the range cannot be satisfied
    assert run(url, tmp_path).path.read_bytes() == BODY[:1000]


def test_wrong_range_is_not_stitched(served: tuple[Behaviour, str], tmp_path: Path) -> None:
    rules, url = served
    rules.break_after = [300_000]
    rules.lie_about_range = True
    assert run(url, tmp_path).path.read_bytes() == BODY
    assert ranges(rules) == [None, "bytes=300000-", None]


def test_without_validator_nothing_is_resumed(served: tuple[Behaviour, str], tmp_path: Path) -> None:
    rules, url = served
    rules.etag = None
    rules.break_after = [300_000]
    assert run(url, tmp_path).path.read_bytes() == BODY
    assert ranges(rules) == [None, None]


def test_weak_tag_is_no_validator(served: tuple[Behaviour, str], tmp_path: Path) -> None:
    rules, url = served
    rules.etag = 'W/"one"'
    rules.break_after = [300_000]
    assert run(url, tmp_path).path.read_bytes() == BODY
    assert ranges(rules) == [None, None]


def test_busy_server_is_asked_again_after_its_time(served: tuple[Behaviour, str], tmp_path: Path) -> None:
    rules, url = served
    rules.statuses = [
        (503, {"Retry-After": "7"}),
        (429, {"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}),
        (500, {}),
    ]
    waits: list[float] = []
    assert run(url, tmp_path, waits).path.read_bytes() == BODY
    assert waits == [7.0, 0.0, 4.0]  # stated, past date, third pause of 1, 2, 4


def test_too_long_a_wait_stops(served: tuple[Behaviour, str], tmp_path: Path) -> None:
    rules, url = served
    rules.statuses = [(503, {"Retry-After": "86400"})]
    with pytest.raises(FetchError, match="86400 s"):
        run(url, tmp_path)


def test_retries_have_a_limit(served: tuple[Behaviour, str], tmp_path: Path) -> None:
    rules, url = served
    rules.statuses = [(502, {})] * 20
    waits: list[float] = []
    with pytest.raises(FetchError, match="in 5 tries: status 502"):
        run(url, tmp_path, waits)
    assert waits == [1.0, 2.0, 4.0, 8.0]


def test_missing_file_is_not_retried(served: tuple[Behaviour, str], tmp_path: Path) -> None:
    rules, url = served
    with pytest.raises(FetchError, match="status 404"):
        run(url.replace("data.bin", "gone.bin"), tmp_path)
    assert len(rules.requests) == 1


def test_wrong_checksum_removes_the_part(served: tuple[Behaviour, str], tmp_path: Path) -> None:
    _, url = served
    wrong = hashlib.sha256(OTHER).hexdigest()
    with pytest.raises(FetchError, match=f"expected {wrong}"):
        run(url, tmp_path, sha256=wrong)
    assert not (tmp_path / "data.bin").exists()
    assert not (tmp_path / "data.bin.part").exists()


def test_wrong_file_on_disk_is_told_and_kept(served: tuple[Behaviour, str], tmp_path: Path) -> None:
    _, url = served
    (tmp_path / "data.bin").write_bytes(OTHER)
    with pytest.raises(FetchError, match="Remove it to fetch it anew"):
        run(url, tmp_path, sha256=hashlib.sha256(BODY).hexdigest())
    assert (tmp_path / "data.bin").read_bytes() == OTHER


def test_checksum_file_beside_the_data(served: tuple[Behaviour, str], tmp_path: Path) -> None:
    rules, url = served
    digest = hashlib.md5(BODY).hexdigest()
    rules.files["/data.bin.md5"] = f"{digest}  monaco-latest.osm.pbf\n".encode()
    got = run(url, tmp_path / "a", md5_url=url + ".md5")
    assert got.checksum == f"md5 {digest}"
    rules.files["/data.bin.md5"] = f"{hashlib.md5(OTHER).hexdigest()}  x\n".encode()
    with pytest.raises(FetchError, match="has md5"):
        run(url, tmp_path / "b", md5_url=url + ".md5")
    rules.files["/data.bin.md5"] = b"<html>not found</html>"
    with pytest.raises(FetchError, match="is not an MD5 file"):
        run(url, tmp_path / "c", md5_url=url + ".md5")


def test_body_without_length(served: tuple[Behaviour, str], tmp_path: Path) -> None:
    rules, url = served
    rules.length = False
    assert run(url, tmp_path, sha256=hashlib.sha256(BODY).hexdigest()).path.read_bytes() == BODY


def test_full_disk_is_told_before_the_body(
    served: tuple[Behaviour, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, url = served
    usage = type("Usage", (), {"free": 1000})
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage)
    with pytest.raises(FetchError, match="the disk has 1,000"):
        run(url, tmp_path)
    assert not (tmp_path / "data.bin").exists()


def test_no_server_and_no_host(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(FetchError, match="in 2 tries: no answer"):
        run(f"http://127.0.0.1:{port}/data.bin", tmp_path, retries=1)
    with pytest.raises(FetchError, match="not an http"):
        run("file:///etc/hostname", tmp_path)
