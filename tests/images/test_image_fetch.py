"""``mgqa images fetch`` and ``list`` against a server on this machine."""

from __future__ import annotations

import hashlib
import json
import os
import time
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image
from tests.images.conftest import SECRET, Bench, Mgqa, Site, SlowBody, bomb, jpeg, png, scene, webp

from multiglobeqa.errors import InputError
from multiglobeqa.images.fetch import Options, fetch
from multiglobeqa.images.licences import Rights
from multiglobeqa.images.store import ImageStore
from multiglobeqa.images.wanted import Wanted, of_benchmark
from multiglobeqa.images.web import Web, WebError

NODE = "https://www.openstreetmap.org/node/"


def manifest(folder: Path) -> list[dict[str, Any]]:
    return [
        json.loads(line) for line in (folder / "images" / "manifest.jsonl").read_text("utf-8").splitlines()
    ]


def stored(folder: Path) -> list[Path]:
    return sorted(
        path for path in (folder / "images").rglob("*") if path.is_file() and path.suffix != ".jsonl"
    )


def ask(folder: Path, site: Site, web: Web | None = None, **options: Any) -> Any:
    chosen = Options(api=site.url + "/commons.php", files=site.url + "/FilePath/", **options)
    with web or Web(rate=10_000, pause=0.01) as client:
        return fetch(folder, of_benchmark(folder), client, chosen)


def test_a_jpeg_and_a_png_of_commons(mgqa: Mgqa, site: Site, bench: Bench) -> None:
    site.commons("Église (Nice) & more.jpg", jpeg())
    site.commons("Fort.png", png(scene(seed=2)), licence="CC0", author="")
    folder = bench(("commons", "Église (Nice) & more.jpg"), ("commons", "Fort.png"), text=3)
    ended = mgqa("fetch", folder, *site.options, "--contact", "me@example.org")
    assert ended.code == 0, ended.err
    assert "Usable: 2" in ended.out
    first, second = manifest(folder)
    assert (first["iri"], first["status"], first["usable"]) == (NODE + "1", "ok", True)
    assert (first["author"], first["licence"], first["licence_family"]) == (
        "A. Author",
        "CC BY-SA 4.0",
        "CC BY-SA",
    )
    assert first["licence_url"] == "https://creativecommons.org/licenses/by-sa/4.0"
    assert first["credit"] == "Own work"
    assert (first["width"], first["height"], first["type"]) == (160, 120, "JPEG")
    assert (second["type"], second["licence_family"]) == ("PNG", "CC0")
    for row in (first, second):
        suffix = {"JPEG": ".jpg", "PNG": ".png"}[row["type"]]
        path = folder / "images" / row["sha256"][:2] / (row["sha256"] + suffix)
        assert hashlib.sha256(path.read_bytes()).hexdigest() == row["sha256"]
        assert path.stat().st_size == row["bytes"]
        assert SECRET.encode() not in path.read_bytes()
        with Image.open(path) as image:
            assert image.size == (row["width"], row["height"])
    assert len(stored(folder)) == 2
    assert any(path.endswith("?width=1280") for path in site.asked)
    assert all("multiglobeqa/" in agent and "me@example.org" in agent for agent in site.agents)


def test_the_second_run_fetches_nothing(mgqa: Mgqa, site: Site, bench: Bench) -> None:
    site.commons("A.jpg", jpeg())
    folder = bench(("commons", "A.jpg"), ("commons", "Gone.jpg"))
    once = mgqa("fetch", folder, *site.options, "--json").json
    assert (once["fetched"], once["usable"], once["failed"]) == (1, 1, {"not_on_commons": 1})
    asked, forms, rows = site.asked.copy(), len(site.forms), manifest(folder)
    twice = mgqa("fetch", folder, *site.options, "--json").json
    assert (twice["kept"], twice["fetched"], twice["usable"], twice["failed"]) == (
        1,
        0,
        1,
        {"not_on_commons": 1},
    )
    assert (site.asked, len(site.forms), manifest(folder)) == (asked, forms, rows)


def test_a_lost_or_changed_picture_is_fetched_again(site: Site, bench: Bench) -> None:
    site.commons("A.jpg", jpeg())
    folder = bench(("commons", "A.jpg"))
    ask(folder, site)
    (path,) = stored(folder)
    whole = path.read_bytes()
    path.write_bytes(whole[:-1] + b"x")
    assert ask(folder, site).fetched == 1
    assert stored(folder) == [path]
    assert path.read_bytes() == whole, "a changed file of equal size is replaced"
    path.unlink()
    assert ImageStore(folder).cause(Wanted(NODE + "1", "commons", "A.jpg")) == "not_fetched"
    assert ask(folder, site).fetched == 1
    assert path.is_file()


def test_every_failure_is_counted_by_its_cause_and_leaves_no_file(
    mgqa: Mgqa, site: Site, bench: Bench
) -> None:
    bodies = {
        "Page.jpg": (b"<!DOCTYPE html><p>sign in</p>", "not_an_image"),
        "Drawing.svg": (b'<svg xmlns="http://www.w3.org/2000/svg"/>', "not_an_image"),
        "Half.jpg": (jpeg()[:2500], "truncated"),
        "Bomb.png": (bomb(), "too_many_pixels"),
        "Large.jpg": (jpeg() + b"\0" * 200_000, "too_many_bytes"),
        "Tiny.png": (png(scene(20, 20)), "too_small"),
    }
    for name, (body, _) in bodies.items():
        site.commons(name, body)
    site.commons("Deleted bytes.jpg", jpeg())
    del site.pages[site.files["Deleted bytes.jpg"][1]]
    causes = {name: cause for name, (_, cause) in bodies.items()} | {"Deleted bytes.jpg": "http_404"}
    site.commons("Not for sale.jpg", jpeg(), licence="CC BY-NC 4.0")
    site.commons("Who.jpg", jpeg(), author="")
    site.commons("Nothing said.jpg", jpeg(), licence="")
    causes |= {
        "Not for sale.jpg": "licence_not_accepted",
        "Who.jpg": "no_author",
        "Nothing said.jpg": "no_licence",
    }
    folder = bench(*(("commons", name) for name in causes), ("wikidata", "Q5"))
    found = mgqa("fetch", folder, *site.options, "--max-bytes", 150_000, "--json").json
    rows = {row["name"]: row for row in manifest(folder)}
    assert {name: rows[name]["status"] for name in causes} == causes
    assert all(not row["usable"] for row in rows.values())
    assert found["usable"] == 0
    assert sum(found["failed"].values()) == len(causes) + 1
    assert found["failed"]["not_an_image"] == 2
    assert found["failed"]["not_resolved"] == 1
    assert stored(folder) == []
    for name in ("Not for sale.jpg", "Who.jpg", "Nothing said.jpg"):
        assert not site.asked[site.files[name][1]], "what may not be redistributed is not downloaded"
    shown = mgqa("fetch", folder, *site.options, "--max-bytes", 150_000)
    assert "mgqa images resolve" in shown.out
    assert "licence not accepted" in shown.out


def test_all_downloads_what_is_not_usable_and_says_so(site: Site, bench: Bench) -> None:
    site.commons("Not for sale.jpg", jpeg(), licence="CC BY-NC 4.0")
    folder = bench(("commons", "Not for sale.jpg"))
    found = ask(folder, site, every=True)
    assert (found.fetched, found.usable, found.failed) == (1, 0, {"licence_not_accepted": 1})
    assert len(stored(folder)) == 1
    assert (
        ImageStore(folder).usable(
            json.dumps({"iri": NODE + "1", "source": "commons", "name": "Not for sale.jpg"})
        )
        is None
    )


def test_rights_that_come_later_need_no_second_download(site: Site, bench: Bench) -> None:
    address = site.page("/church", png())
    folder = bench(("url", address))
    assert ask(folder, site, every=True, local=True).failed == {"no_licence": 1}
    stated = {address: Rights(author="Ann", licence="CC BY 4.0", page=address)}
    found = ask(folder, site, rights=stated)
    assert (found.fetched, found.usable) == (0, 1)
    assert site.asked["/church"] == 1
    assert ask(folder, site).usable == 1, "the rights are in the manifest"


def test_what_a_killed_process_left_is_swept(site: Site, bench: Bench) -> None:
    folder = bench(text=1)
    old, new = (folder / "images" / "ab" / f".{name}.jpg.77.tmp" for name in ("old", "new"))
    old.parent.mkdir(parents=True)
    for path in (old, new):
        path.write_bytes(b"half")
    os.utime(old, (1e9, 1e9))
    ask(folder, site)
    assert (old.exists(), new.exists()) == (False, True), "another process may be writing the new one"


def test_a_busy_server_is_asked_again_after_the_time_it_names(mgqa: Mgqa, site: Site, bench: Bench) -> None:
    site.commons("A.jpg", jpeg())
    site.first["/upload/0"] = [
        (429, {"Retry-After": "1"}),
        (503, {"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}),
    ]
    site.busy = [(200, {"Retry-After": "0"}, b'{"error": {"code": "maxlag", "info": "lagged"}}')]
    folder = bench(("commons", "A.jpg"))
    started = time.monotonic()
    found = mgqa("fetch", folder, *site.options, "--json").json
    assert found["usable"] == 1
    assert time.monotonic() - started >= 1.0
    assert site.asked["/upload/0"] == 3
    assert len(site.forms) == 2
    assert site.forms[0]["maxlag"] == "5"


def test_pauses_double_and_a_failure_that_passes_is_tried_in_the_next_run(site: Site, bench: Bench) -> None:
    site.commons("A.jpg", jpeg())
    site.first["/upload/0"] = [(500, {})] * 4
    folder = bench(("commons", "A.jpg"))
    pauses: list[float] = []
    web = Web(rate=1e9, retries=3, pause=0.5, sleep=lambda seconds: pauses.append(seconds))
    found = ask(folder, site, web)
    assert found.failed == {"http_500": 1}
    assert [pause for pause in pauses if pause > 0.01] == [0.5, 1.0, 2.0]
    assert ask(folder, site).usable == 1


def test_a_wait_of_an_hour_is_not_waited_for(site: Site, bench: Bench) -> None:
    site.commons("A.jpg", jpeg())
    site.first["/upload/0"] = [(429, {"Retry-After": "3600"})]
    folder = bench(("commons", "A.jpg"))
    assert ask(folder, site).failed == {"http_429": 1}
    assert ask(folder, site).usable == 1


@pytest.mark.parametrize("step", ["drop", "reset"])
def test_a_connection_that_dies_once_is_made_anew(site: Site, bench: Bench, step: str) -> None:
    site.commons("A.jpg", jpeg())
    site.first["/upload/0"] = [step, step]
    folder = bench(("commons", "A.jpg"))
    assert ask(folder, site).usable == 1
    (path,) = stored(folder)
    assert hashlib.sha256(path.read_bytes()).hexdigest() == path.stem


def test_a_connection_that_always_dies_leaves_no_half_file(site: Site, bench: Bench) -> None:
    site.commons("A.jpg", jpeg())
    site.commons("B.jpg", jpeg(scene(seed=3)))
    site.first["/upload/0"] = ["drop"] * 3
    folder = bench(("commons", "A.jpg"), ("commons", "B.jpg"))
    found = ask(folder, site, Web(rate=1e4, retries=2, pause=0.01))
    assert (found.usable, found.failed) == (1, {"cut_off": 1})
    assert len(stored(folder)) == 1
    assert ask(folder, site).usable == 2


def test_without_any_network_the_run_ends_and_keeps_what_it_has(site: Site, bench: Bench) -> None:
    names = [f"{n}.jpg" for n in range(9)]
    for n, name in enumerate(names):
        site.commons(name, jpeg(scene(seed=n)))
        if n > 1:
            site.first[f"/upload/{n}"] = ["reset"] * 9
    folder = bench(*(("commons", name) for name in names))
    with pytest.raises(WebError, match="Run the command again") as caught:
        ask(folder, site, Web(rate=1e4, retries=1, pause=0.01))
    assert caught.value.cause == "no_connection"
    assert len(stored(folder)) == 2
    assert len(manifest(folder)) == 7, "two stored, five without a connection"


def test_a_dead_api_is_an_error_that_says_what_to_do(mgqa: Mgqa, site: Site, bench: Bench) -> None:
    folder = bench(("commons", "A.jpg"))
    site.busy = [(200, {}, b"<html>")] * 2
    ended = mgqa("fetch", folder, *site.options, "--retries", 0)
    assert ended.code == 1
    assert "no JSON" in ended.err
    site.busy = [(200, {}, b'{"error": {"code": "badvalue", "info": "no such prop"}}')]
    assert "no such prop" in mgqa("fetch", folder, *site.options).err


def test_a_torn_last_line_of_the_manifest_is_mended(site: Site, bench: Bench) -> None:
    site.commons("A.jpg", jpeg())
    site.commons("B.jpg", jpeg(scene(seed=3)))
    folder = bench(("commons", "A.jpg"), ("commons", "B.jpg"))
    ask(folder, site)
    file = folder / "images" / "manifest.jsonl"
    file.write_bytes(file.read_bytes()[:-40])
    site.asked.clear()
    found = ask(folder, site)
    assert (found.kept, found.fetched, found.usable) == (1, 1, 2)
    assert len(manifest(folder)) == 2
    text = file.read_text("utf-8").splitlines(keepends=True)
    file.write_text("".join(text) + '{"iri": "x"}\n', "utf-8")
    with pytest.raises(InputError, match="row 3: lacks source, name"):
        ask(folder, site)
    file.write_text("{broken}\n" + "".join(text), "utf-8")
    with pytest.raises(InputError, match=r"manifest\.jsonl:1: is no JSON object"):
        ask(folder, site)


def test_a_plain_address_needs_rights_that_the_user_states(
    mgqa: Mgqa, site: Site, bench: Bench, tmp_path: Path
) -> None:
    address = site.page("/photos/church.jpg", webp())
    folder = bench(("url", address))
    assert mgqa("fetch", folder, *site.options, "--json").json["failed"] == {"no_licence": 1}
    assert not site.asked, "nothing is downloaded"
    file = tmp_path / "rights.csv"
    file.write_text(
        f"url,author,licence,licence_url\n{address},Ann,CC BY 4.0,https://creativecommons.org/licenses/by/4.0/\n"
    )
    refused = mgqa("fetch", folder, *site.options, "--licences", file, "--json").json
    assert refused["failed"] == {"private_address": 1}
    found = mgqa("fetch", folder, *site.options, "--licences", file, "--local", "--json").json
    assert found["usable"] == 1
    row = manifest(folder)[-1]
    assert (row["author"], row["licence"], row["type"], row["page"]) == ("Ann", "CC BY 4.0", "WEBP", address)
    file.write_text(f"url,author,licence\n{address},Ann,CC BY 4.0\n")
    ended = mgqa("fetch", folder, *site.options, "--licences", file)
    assert ended.code == 1
    assert "rights.csv:1: lacks the columns licence_url" in ended.err


def test_a_redirect_into_a_private_network_and_a_loop_of_redirects(site: Site, bench: Bench) -> None:
    site.pages["/round"] = (302, {"Location": "/round"}, b"")
    with Web(rate=1e4, pause=0.01) as web:
        with pytest.raises(WebError) as caught:
            web.download(site.url + "/round", 10)
        assert caught.value.cause == "bad_address"
        for address in (
            site.url + "/a",
            "http://[::1]/a",
            "http://169.254.169.254/latest",
            "http://localhost/",
        ):
            with pytest.raises(WebError) as caught:
                web.download(address, 10, public=True)
            assert caught.value.cause == "private_address"
        for address in ("ftp://example.org/a", "file:///etc/passwd", "http://", "http://[", "nothing"):
            with pytest.raises(WebError) as caught:
                web.download(address, 10)
            assert caught.value.cause == "bad_address", address


def test_a_body_without_a_length_is_limited_too(site: Site) -> None:
    site.pages["/endless"] = (200, {"Content-Type": "image/jpeg"}, jpeg() + b"\0" * 500_000)
    with Web(rate=1e4) as web, pytest.raises(WebError) as caught:
        web.download(site.url + "/endless", 100_000)
    assert caught.value.cause == "too_many_bytes"


def test_files_that_were_moved_and_shared_pictures(site: Site, bench: Bench) -> None:
    site.commons("New name.jpg", jpeg())
    site.commons("Twice.jpg", jpeg(scene(seed=5)))
    site.moved["Old name.jpg"] = "New name.jpg"
    folder = bench(("commons", "Old name.jpg"), ("commons", "Twice.jpg"), ("commons", "Twice.jpg"))
    found = ask(folder, site)
    assert (found.fetched, found.usable) == (2, 1)
    assert found.failed == {"picture_of_several": 2}
    assert site.asked[site.files["Twice.jpg"][1]] == 1, "one file is fetched once"


def test_the_rate_is_kept(site: Site, bench: Bench) -> None:
    for n in range(4):
        site.commons(f"{n}.jpg", jpeg(scene(seed=n)))
    folder = bench(*(("commons", f"{n}.jpg") for n in range(4)))
    started = time.monotonic()
    assert ask(folder, site, Web(rate=20)).usable == 4
    assert time.monotonic() - started >= 8 / 20, "one API request and four pairs of redirect and file"


def test_list_counts_questions_left_out(mgqa: Mgqa, site: Site, bench: Bench) -> None:
    site.commons("A.jpg", jpeg())
    folder = bench(("commons", "A.jpg"), ("commons", "Gone.jpg"), ("wikidata", "Q1"), text=5)
    before = mgqa("list", folder, "--json").json
    assert (before["questions"], before["usable_questions"], before["left_out"]) == (3, 0, {"not_fetched": 3})
    ask(folder, site)
    after = mgqa("list", folder, "--json").json
    assert (after["questions"], after["usable_questions"]) == (3, 1)
    assert after["left_out"] == {"not_on_commons": 1, "not_resolved": 1}
    assert after["licences"] == {"CC BY-SA 4.0": 1}
    assert "CC BY-SA 4.0" in mgqa("list", folder).out
    store = ImageStore(folder)
    picture = store.usable(json.dumps({"iri": NODE + "1", "source": "commons", "name": "A.jpg"}))
    assert picture is not None
    assert picture.path.is_file()


def test_a_folder_that_is_no_benchmark(mgqa: Mgqa, tmp_path: Path) -> None:
    for command in ("fetch", "resolve", "list"):
        ended = mgqa(command, tmp_path)
        assert ended.code == 1
        assert "questions.parquet" in ended.err
    pq.write_table(pa.table({"id": ["a"]}), tmp_path / "questions.parquet")
    assert "no column `image`" in mgqa("list", tmp_path).err
    (tmp_path / "questions.parquet").write_bytes(b"PAR1 and then nothing")
    assert "no whole Parquet file" in mgqa("fetch", tmp_path).err


def test_a_killed_download_leaves_neither_picture_nor_row(site: Site, bench: Bench) -> None:
    """The process dies while the body arrives; the next run begins anew and is whole."""
    import subprocess
    import sys

    body = jpeg(scene(400, 300))
    site.commons("A.jpg", body)
    folder = bench(("commons", "A.jpg"))
    slow = SlowBody(body)
    site.page("/upload/0", slow)
    command = [sys.executable, "-m", "multiglobeqa.cli.main", "images", "fetch", str(folder), *site.options]
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    assert slow.arrived.wait(20)
    child.kill()
    child.wait()
    slow.go.set()
    assert stored(folder) == []
    assert not (folder / "images" / "manifest.jsonl").exists()
    site.page("/upload/0", body)
    assert ask(folder, site).usable == 1
