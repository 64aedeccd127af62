"""``mgqa images resolve`` against a server that plays Wikidata."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.images.conftest import Bench, Mgqa, Site, jpeg

from multiglobeqa.images.resolve import names, resolve, table
from multiglobeqa.images.wanted import Wanted
from multiglobeqa.images.web import Web, WebError

NODE = "https://www.openstreetmap.org/node/"


def statement(name: str | None, rank: str = "normal") -> dict[str, Any]:
    snak: dict[str, Any] = {"snaktype": "somevalue", "property": "P18"}
    if name is not None:
        snak = {"snaktype": "value", "property": "P18", "datavalue": {"value": name, "type": "string"}}
    return {"mainsnak": snak, "rank": rank, "type": "statement"}


def item(identifier: str, *statements: dict[str, Any]) -> dict[str, Any]:
    return {"id": identifier, "type": "item", "claims": {"P18": list(statements)} if statements else {}}


def test_ranks_gaps_and_deleted_items(mgqa: Mgqa, site: Site, bench: Bench) -> None:
    site.items = {
        "Q1": item("Q1", statement("Plain.jpg"), statement("Second.jpg")),
        "Q2": item("Q2", statement("Old.jpg"), statement("Best_one.jpg", "preferred")),
        "Q3": item("Q3", statement("Wrong.jpg", "deprecated")),
        "Q4": item("Q4", statement(None), statement("Known.jpg")),
        "Q5": item("Q5"),
    }
    folder = bench(*(("wikidata", f"Q{n}") for n in range(1, 7)), ("commons", "A.jpg"))
    found = mgqa("resolve", folder, "--api", site.url + "/w/api.php", "--json").json
    assert found == {"items": 6, "asked": 6, "with_picture": 3, "without": 3}
    assert names(folder) == {
        "Q1": "Plain.jpg",
        "Q2": "Best one.jpg",
        "Q3": None,
        "Q4": "Known.jpg",
        "Q5": None,
        "Q6": None,
    }
    rows = list(table(folder).rows())
    assert {row["iri"]: row["item"] for row in rows} == {NODE + str(n): f"Q{n}" for n in range(1, 7)}
    assert site.forms[0]["action"] == "wbgetentities"
    assert site.forms[0]["maxlag"] == "5"


def test_asked_once_in_batches_of_fifty(site: Site, tmp_path: Path) -> None:
    site.items = {f"Q{n}": item(f"Q{n}", statement(f"{n}.jpg")) for n in range(1, 121)}
    wanted = [Wanted(NODE + str(n), "wikidata", f"Q{n}") for n in range(1, 121)]
    seen: list[tuple[int, int]] = []
    with Web(rate=1e4) as web:
        first = resolve(tmp_path, wanted[:60], web, api=site.url, progress=lambda a, b: seen.append((a, b)))
        assert (first.asked, first.with_picture) == (60, 60)
        assert seen == [(50, 60), (60, 60)]
        second = resolve(tmp_path, [*wanted, Wanted(NODE + "999", "wikidata", "Q7")], web, api=site.url)
        third = resolve(tmp_path, wanted, web, api=site.url)
    assert (second.asked, second.items, third.asked) == (60, 120, 0)
    assert [len(form["ids"].split("|")) for form in site.forms] == [50, 10, 50, 10]
    assert {"iri": NODE + "999", "file": "7.jpg"}.items() <= list(table(tmp_path).rows())[60].items()


def test_again_asks_for_items_without_a_picture(site: Site, tmp_path: Path) -> None:
    site.items = {"Q1": item("Q1", statement("A.jpg")), "Q2": item("Q2")}
    wanted = [Wanted(NODE + "1", "wikidata", "Q1"), Wanted(NODE + "2", "wikidata", "Q2")]
    with Web(rate=1e4) as web:
        resolve(tmp_path, wanted, web, api=site.url)
        site.items["Q2"] = item("Q2", statement("New.jpg"))
        assert resolve(tmp_path, wanted, web, api=site.url).without == 1
        assert resolve(tmp_path, wanted, web, api=site.url, again=True).without == 0
    assert site.forms[-1]["ids"] == "Q2"


def test_a_merged_item_is_answered_by_its_successor(site: Site, tmp_path: Path) -> None:
    """The answer names the successor only; it stands beside other items and alone."""
    site.items = {"Q1": item("Q1", statement("One.jpg")), "Q8": item("Q9", statement("Nine.jpg"))}
    wanted = [Wanted(NODE + "1", "wikidata", "Q1"), Wanted(NODE + "8", "wikidata", "Q8")]
    with Web(rate=1e4) as web:
        resolve(tmp_path, wanted, web, api=site.url)
    assert names(tmp_path) == {"Q1": "One.jpg", "Q8": "Nine.jpg"}
    assert [form["ids"] for form in site.forms] == ["Q1|Q8", "Q8"]


def test_busy_answers_wait_and_refusals_end(site: Site, tmp_path: Path) -> None:
    site.items = {"Q1": item("Q1", statement("A.jpg"))}
    site.busy = [
        (429, {"Retry-After": "7"}, b""),
        (
            200,
            {"Retry-After": "5"},
            b'{"error": {"code": "maxlag", "info": "Waiting for a database server"}}',
        ),
        (502, {}, b"<html>"),
    ]
    wanted = [Wanted(NODE + "1", "wikidata", "Q1")]
    pauses: list[float] = []
    with Web(rate=1e9, pause=0.25, sleep=pauses.append) as web:
        assert resolve(tmp_path, wanted, web, api=site.url).with_picture == 1
        assert [pause for pause in pauses if pause > 0.01] == [7.0, 5.0, 1.0]
        site.busy = [(200, {}, json.dumps({"error": {"code": "param-illegal", "info": "bad ids"}}).encode())]
        with pytest.raises(WebError, match="bad ids") as caught:
            resolve(tmp_path, [Wanted(NODE + "2", "wikidata", "Q2")], web, api=site.url)
        assert caught.value.lasting


def test_an_interrupted_run_keeps_its_batches(site: Site, tmp_path: Path) -> None:
    site.items = {f"Q{n}": item(f"Q{n}", statement(f"{n}.jpg")) for n in range(1, 71)}
    wanted = [Wanted(NODE + str(n), "wikidata", f"Q{n}") for n in range(1, 71)]

    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with Web(rate=1e4) as web:
        with pytest.raises(KeyboardInterrupt):
            resolve(tmp_path, wanted, web, api=site.url, progress=stop)
        file = table(tmp_path).path
        file.write_bytes(file.read_bytes()[:-9])
        assert resolve(tmp_path, wanted, web, api=site.url).asked == 21, "20 were left, one line was torn"
    assert len(names(tmp_path)) == 70
    assert [row["item"] for row in table(tmp_path).rows()].count("Q1") == 1


def test_resolved_items_are_fetched(mgqa: Mgqa, site: Site, bench: Bench) -> None:
    site.commons("Tower.jpg", jpeg())
    site.items = {"Q1": item("Q1", statement("Tower.jpg")), "Q2": item("Q2")}
    folder = bench(("wikidata", "Q1"), ("wikidata", "Q2"))
    before = mgqa("fetch", folder, *site.options, "--json").json
    assert before["failed"] == {"not_resolved": 2}
    assert mgqa("resolve", folder, "--api", site.url + "/w/api.php").code == 0
    after = mgqa("fetch", folder, *site.options, "--json").json
    assert (after["usable"], after["failed"]) == (1, {"no_picture_on_wikidata": 1})
