"""The report in a real headless Chromium."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow.compute as pc
import pytest

from multiglobeqa.report import render, write
from multiglobeqa.report.benchmark import Benchmark
from multiglobeqa.report.scores import Run

Sample = tuple[Benchmark, list[Run]]
SECTIONS = ("overview", "breakdowns", "map", "questions", "compare", "review", "benchmark", "data")


@pytest.fixture(scope="session")
def report(sample: Sample) -> Path:
    benchmark, runs = sample
    return write(benchmark.path / "report.html", render(benchmark, runs))


@pytest.fixture
def opened(chromium: Any, report: Path) -> Iterator[Callable[..., Any]]:
    """Opens the page at a hash; at the end no error may have been printed and nothing asked of a network."""
    contexts: list[Any] = []
    problems: list[str] = []

    def note(text: str, fine: bool) -> None:
        if not fine:
            problems.append(text)

    def open_page(hash_: str = "", width: int = 1280, scheme: str = "light", before: str = "") -> Any:
        context = chromium.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: note(message.text, own(message.text)))
        page.on("pageerror", lambda fault: note(str(fault), False))
        page.on("request", lambda request: note(request.url, request.url.startswith("file:")))
        if before:
            page.add_init_script(before)
        page.goto(f"{report.as_uri()}{hash_}")
        page.wait_for_selector("html[data-ready]", state="attached")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert problems == []


def own(text: str) -> bool:
    """Whether a message comes of what a test reads, not of the page."""
    return "willReadFrequently" in text


def joined(run: Run) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = run.table.select(
        ["id", "language", "status", "em", "premise", "family", "format", "country", "diagnosis"]
    ).to_pylist()
    return rows


def found(page: Any) -> int:
    return int(page.text_content("#found").split(" of ")[0].replace(",", ""))


def wait_for(page: Any, count: int) -> None:
    page.wait_for_function(
        "n => document.getElementById('found').textContent.startsWith(n + ' of ')", arg=f"{count:,}"
    )


def test_sections_come_one_at_a_time_and_the_address_names_them(opened: Callable[..., Any]) -> None:
    page = opened()
    shown = "[...document.querySelectorAll('main > section')].filter(s => !s.hidden).map(s => s.id)"
    assert page.evaluate(shown) == ["overview"]
    for name in SECTIONS:
        page.click(f"nav a[href='#{name}']")
        page.wait_for_function("n => !document.getElementById(n).hidden", arg=name)
        assert page.evaluate(shown) == [name]
        assert page.get_attribute(f"nav a[href='#{name}']", "aria-current") == "page"
        assert page.evaluate("scrollY") == 0
    page.go_back()
    page.wait_for_function("() => !document.getElementById('benchmark').hidden")


def test_filters_give_the_counts_of_the_scores(opened: Callable[..., Any], sample: Sample) -> None:
    alpha, beta = (joined(run) for run in sample[1])
    page = opened("#questions")
    total = len({(row["id"], row["language"]) for row in alpha + beta})
    assert found(page) == total == len(beta)
    for outcome, wanted in {
        "right": lambda r: r["em"] == 1,
        "wrong answer": lambda r: r["status"] == "answered" and r["em"] == 0 and r["premise"],
        "refused": lambda r: r["status"] == "declined" and r["premise"],
        "no readable answer": lambda r: r["status"] in ("unparseable", "budget"),
        "no reply": lambda r: r["status"] == "missing",
        "false premise refused": lambda r: r["status"] == "declined" and not r["premise"],
        "false premise answered": lambda r: r["status"] == "answered" and not r["premise"],
    }.items():
        expected = sum(map(wanted, alpha))
        assert expected > 0
        label = page.locator("#filter-outcome option", has_text=outcome).first.text_content()
        page.select_option("#filter-outcome", label=label)
        assert found(page) == expected, outcome
    page.click("#more-filters summary")
    page.click("#filter-fields button")
    assert found(page) == total
    page.select_option("#filter-family", "0")
    page.select_option("#filter-country", label="Fiji")
    expected = [r for r in beta if r["family"] == "A" and r["country"] == "FJI"]
    assert found(page) == len(expected)
    true = [r for r in expected if r["premise"]]
    tally = page.text_content("#found-scores")
    assert f"({sum(r['em'] == 1 for r in true)} of {len(true)})" in tally
    page.click("#filter-fields button")
    page.select_option("#filter-pass", label="beta")
    page.select_option("#filter-diagnosis", label="axes swapped")
    assert found(page) == sum(r["diagnosis"] == "axes_swapped" for r in beta) > 0


def test_two_runs_are_filtered_together(opened: Callable[..., Any], sample: Sample) -> None:
    alpha, beta = ({(r["id"], r["language"]): r for r in joined(run)} for run in sample[1])
    page = opened("#compare")
    keys = [key for key in alpha if alpha[key]["premise"]]
    cells = Counter((alpha[key]["em"], beta[key]["em"]) for key in keys)
    shown = [int(text) for text in page.locator("#versus .square tbody td").all_text_contents()]
    assert shown == [cells[1, 1], cells[1, 0], cells[0, 1], cells[0, 0]]
    expected = sum(
        alpha[k]["em"] == 1 and beta[k]["em"] == 0 and beta[k]["status"] == "answered" for k in keys
    )
    page.locator("#versus li a").first.click()
    wait_for(page, expected)
    assert page.evaluate("location.hash").startswith("#questions/pass=0")


def test_search_finds_words_and_ids_in_any_script(opened: Callable[..., Any], sample: Sample) -> None:
    texts = sample[0].questions["question"].to_pylist()
    page = opened("#questions")
    for words in ("BY GEOHASH", "شہر"):
        page.fill("#search", words)
        expected = sum(words.lower() in text.lower() for text in texts)
        assert expected > 0
        wait_for(page, expected)
    page.fill("#search", "000000000000001a")
    wait_for(page, sum(one == "000000000000001a" for one in sample[0].questions["id"].to_pylist()))


def test_only_visible_entries_are_in_the_document_and_keys_move_through_all(
    opened: Callable[..., Any],
) -> None:
    page = opened("#questions")
    total = found(page)
    assert page.locator(".entry").count() < 40 < total
    page.focus("#list")
    page.keyboard.press("End")
    last = page.locator('.entry[aria-selected="true"]')
    assert last.get_attribute("aria-posinset") == last.get_attribute("aria-setsize") == str(total)
    assert page.get_attribute("#list", "aria-activedescendant") == last.get_attribute("id")
    page.keyboard.press("ArrowUp")
    assert page.locator('.entry[aria-selected="true"]').get_attribute("aria-posinset") == str(total - 1)
    page.keyboard.press("Home")
    page.keyboard.press("Enter")
    page.wait_for_selector("#item .question")
    assert page.evaluate("document.activeElement.id") == "item"
    assert page.locator(".entry").count() < 40


def test_texts_of_questions_and_replies_stay_texts(opened: Callable[..., Any]) -> None:
    page = opened("#item/0000000000000000/eng")
    page.wait_for_selector("#item .question")
    assert page.text_content("#item .question").startswith("<img src=x onerror=")
    assert "</script><script>" in page.text_content("#item .reply .raw")
    assert page.locator("#item img, #item b").count() == 0
    assert page.title().startswith("MultiGlobeQA")


def test_urdu_runs_from_right_to_left_and_json_inside_it_from_left(
    opened: Callable[..., Any], sample: Sample
) -> None:
    questions = sample[0].questions
    urdu = questions.filter(pc.equal(questions["language"], "urd"))["id"][0].as_py()
    page = opened(f"#item/{urdu}/urd")
    page.wait_for_selector("#item .question[lang=ur]")
    direction = "e => getComputedStyle(e).direction"
    assert page.eval_on_selector("#item .question", direction) == "rtl"
    assert page.eval_on_selector('.entry[aria-selected="true"] .q', direction) == "rtl"
    english = page.locator("#item .note[lang=en]")
    assert english.evaluate(direction) == "ltr"
    assert page.eval_on_selector_all(
        "#item .raw > div", "all => all.map((e) => getComputedStyle(e).direction)"
    ) == ["rtl", "ltr"]
    left, right = page.evaluate(
        """() => { const node = document.querySelector("#item .raw").lastChild.firstChild, at = node.data.indexOf("{");
        const box = (from, to) => { const r = document.createRange(); r.setStart(node, from); r.setEnd(node, to); return r.getBoundingClientRect().left; };
        return [box(at, at + 1), box(node.length - 1, node.length)]; }"""
    )
    assert left < right  # the braces of the JSON line are not exchanged
    page.goto(page.url.split("#")[0] + "#item/0000000000000002/eng")
    page.wait_for_selector("#item .question[lang=en]")
    assert page.eval_on_selector("#item .question", direction) == "ltr"


def test_an_item_shows_gold_answers_error_diagnosis_map_and_facts(
    opened: Callable[..., Any], sample: Sample
) -> None:
    beta = joined(sample[1][1])
    point = next(r["id"] for r in beta if r["format"] == "point" and r["diagnosis"])
    page = opened(f"#item/{point}/eng")
    page.wait_for_selector("#item svg.mini")
    text = page.text_content("#item")
    assert "Gold: lat 60.1700, lon 24.9400" in text
    assert "lat 24.9400, lon 60.1700" in text
    assert "\N{GREEK SMALL LETTER TAU} = 10 km; NE = 1.000" in text
    assert "Latitude and longitude are exchanged." in text
    marks = page.evaluate(
        "[...document.querySelectorAll('.mini .dot.guess, .mini .dot.gold')].map(n => n.classList.value)"
    )
    assert any("guess wrong" in one for one in marks)
    assert any("gold" in one for one in marks)
    assert page.locator(".mini .land").count() == 1  # the answer lies thousands of km away
    page.click("#item > details summary")
    page.wait_for_selector(".triples li")
    assert page.locator(".triples li").count() == 4
    assert "hasGeometry" in page.text_content(".triples li")


def test_countries_tell_n_and_interval_to_pointer_and_keyboard(
    opened: Callable[..., Any], sample: Sample
) -> None:
    rows = [r for r in joined(sample[1][0]) if r["country"] == "BRA" and r["premise"]]
    right = sum(r["em"] for r in rows)
    page = opened("#map")
    classes = page.get_attribute("path[data-iso=BRA]", "class").split()
    assert f"s{min(4, int(5 * right / len(rows)))}" in classes
    page.evaluate("document.querySelector('path[data-iso=BRA]').focus()")
    tip = page.text_content("#tip")
    assert tip.startswith(f"BrazilEM {100 * right / len(rows):.1f} %, 95 % interval ")
    assert tip.endswith(f"n {len(rows)}")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.dataset.name") != "Brazil"
    page.evaluate("document.querySelector('path[data-iso=BRA]').focus()")
    page.keyboard.press("Enter")
    wait_for(page, sum(r["country"] == "BRA" for r in joined(sample[1][1])))


def test_single_questions_on_the_map_lead_to_the_questions(
    opened: Callable[..., Any], sample: Sample
) -> None:
    page = opened("#map")
    page.check("input[value=points]")
    assert page.is_visible("#dots")
    box = page.locator("#world").bounding_box()
    place = page.evaluate(
        "() => { const c = document.querySelector('path[data-iso=PAK]').ownerSVGElement.viewBox.baseVal; return [c.width, c.height]; }"
    )
    assert place[0] == 2000
    ink = "() => { const c = document.getElementById('dots'); const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data; let n = 0; for (let i = 3; i < d.length; i += 4) n += d[i] > 0; return n; }"
    drawn = page.evaluate(ink)
    assert drawn > 50
    for check in page.locator("#map-outcomes input").all():
        check.uncheck()
    assert page.evaluate(ink) == 0
    page.locator("#map-outcomes input").nth(0).check()
    karachi = page.evaluate(
        """() => { const d = document.getElementById('dots'), c = d.getContext('2d').getImageData(0, 0, d.width, d.height).data;
        for (let i = 3; i < c.length; i += 4) if (c[i]) { const p = (i - 3) / 4; return [(p % d.width) / d.width, Math.floor(p / d.width) / d.height]; } }"""
    )
    page.mouse.click(box["x"] + karachi[0] * box["width"], box["y"] + karachi[1] * box["height"])
    page.wait_for_function("() => location.hash === '#questions'")
    right = [r for r in joined(sample[1][0]) if r["country"] == "FIN" and r["em"]]  # the northernmost place
    wait_for(page, len(right))


def test_weak_cells_and_breakdowns_lead_to_their_questions(
    opened: Callable[..., Any], sample: Sample
) -> None:
    page = opened("#breakdowns")
    page.click("#by-format ~ div a[href='#questions/format=polar']")
    wait_for(page, sum(r["format"] == "polar" for r in joined(sample[1][1])))
    page = opened("#review")
    page.locator("#review table.answers a").first.click()
    page.wait_for_selector("#item .question")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 400])
def test_every_section_fits_in_light_and_dark(
    opened: Callable[..., Any], tmp_path: Path, width: int, scheme: str
) -> None:
    page = opened(width=width, scheme=scheme)
    for name in (*SECTIONS, "item/0000000000000002/eng"):
        page.evaluate("name => { location.hash = name; }", name)
        page.wait_for_timeout(120)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), name
        page.screenshot(path=tmp_path / f"{name.partition('/')[0]}.png")
    light = (
        sum(
            map(
                int,
                page.evaluate("getComputedStyle(document.body).backgroundColor").strip("rgb()").split(", "),
            )
        )
        > 384
    )
    assert light == (scheme == "light")


def test_the_switch_overrides_the_system_and_is_remembered(opened: Callable[..., Any]) -> None:
    page = opened(scheme="dark")
    colour = "getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(colour)
    page.click("button[data-theme-choice=light]")
    assert page.evaluate(colour) == "rgb(255, 255, 255)" != dark
    page.reload()
    page.wait_for_selector("html[data-ready]", state="attached")
    assert page.evaluate(colour) == "rgb(255, 255, 255)"
    assert page.get_attribute("button[data-theme-choice=light]", "aria-pressed") == "true"
    page.click("button[data-theme-choice=auto]")
    assert page.evaluate(colour) == dark


def test_text_has_contrast_in_both_schemes(opened: Callable[..., Any]) -> None:
    """WCAG 2: 4.5 to 1 for text on the page and on panels, and inside the cells of the strata."""
    for scheme in ("light", "dark"):
        page = opened(scheme=scheme)
        ratios = page.evaluate(
            """() => {
            const pen = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
            const light = (colour) => { pen.fillStyle = colour; pen.fillRect(0, 0, 1, 1);
              const [r, g, b] = [...pen.getImageData(0, 0, 1, 1).data].map((v) => v / 255).map((v) => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
              return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
            const ratio = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); };
            const style = getComputedStyle(document.documentElement), of = (name) => style.getPropertyValue("--" + name).trim();
            const found = {};
            for (const text of ["text", "soft", "accent", "right", "wrong", "refused", "other", "gold"])
              for (const ground of ["page", "panel"]) found[text + " on " + ground] = ratio(of(text), of(ground));
            for (let s = 0; s < 5; s++) { const n = document.createElement("i"); n.className = "s" + s; document.body.append(n);
              const c = getComputedStyle(n); found["s" + s] = ratio(c.getPropertyValue("--ink").trim(), c.getPropertyValue("--fill").trim()); n.remove(); }
            return found; }"""
        )
        assert min(ratios.values()) >= 4.5, {key: value for key, value in ratios.items() if value < 4.5}


def test_print_shows_all_tables_and_no_controls(opened: Callable[..., Any]) -> None:
    page = opened(scheme="dark")
    page.emulate_media(media="print")
    for name in ("overview", "breakdowns", "review", "data"):
        assert page.is_visible(f"#{name} h2")
    for hidden in ("nav", ".theme", "#filters", "#list"):
        assert not page.is_visible(hidden)
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"


def test_browsers_without_base64_methods_read_the_data_too(
    opened: Callable[..., Any], sample: Sample
) -> None:
    page = opened("#questions", before="delete Uint8Array.fromBase64")
    assert found(page) == len(joined(sample[1][1]))


def test_narrow_screens_go_from_the_list_to_the_item_and_back(opened: Callable[..., Any]) -> None:
    page = opened("#questions", width=400)
    page.locator(".entry").nth(2).click()
    page.wait_for_selector("#item .question")
    assert not page.is_visible("#list")
    page.click("#item .back")
    assert page.is_visible("#list")
    assert page.evaluate("document.activeElement.id") == "list"
    assert page.locator(".entry").count() > 3
