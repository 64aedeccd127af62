"""The HTML page, read back with an HTML parser."""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import dataclass, field, replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from multiglobeqa.report import open_benchmark, read_run, render, write
from multiglobeqa.report.html import Country

VOID = {"meta", "path", "br", "link", "img", "input"}


@dataclass
class Node:
    tag: str
    attributes: dict[str, str]
    text: str = ""
    children: list[Node] = field(default_factory=list)

    def all(self, tag: str, css: str | None = None) -> list[Node]:
        found = []
        for child in self.children:
            if child.tag == tag and (css is None or css in child.attributes.get("class", "").split()):
                found.append(child)
            found.extend(child.all(tag, css))
        return found

    def content(self) -> str:
        return " ".join((self.text + " " + " ".join(child.content() for child in self.children)).split())


class Page(HTMLParser):
    """Builds a tree and fails where tags do not nest."""

    def __init__(self) -> None:
        super().__init__()
        self.root = Node("", {})
        self.stack = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        node = Node(tag, {name: value or "" for name, value in attrs})
        self.stack[-1].children.append(node)
        if tag not in VOID or (tag == "path" and not self.get_starttag_text().endswith("/>")):  # type: ignore[union-attr]
            self.stack.append(node)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.stack[-1].children.append(Node(tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self.stack[-1].tag == tag, f"</{tag}> closes <{self.stack[-1].tag}>"
        self.stack.pop()

    def handle_data(self, data: str) -> None:
        self.stack[-1].text += data


def parse(html: str) -> Node:
    page = Page()
    page.feed(html)
    page.close()
    assert len(page.stack) == 1, f"never closed: {[node.tag for node in page.stack[1:]]}"
    return page.root


@pytest.fixture
def html(benchmark_dir: Path, majority: Path, oracle: Path, countries: list[Country]) -> str:
    benchmark = open_benchmark(benchmark_dir)
    return render(
        benchmark, [read_run(benchmark, majority), read_run(benchmark, oracle)], countries=countries
    )


def table_rows(root: Node, caption: str) -> list[list[str]]:
    table = next(t for t in root.all("table") if any(caption in c.content() for c in t.all("caption")))
    return [[cell.content() for cell in row.children if cell.tag in ("th", "td")] for row in table.all("tr")]


def section(root: Node, name: str) -> Node:
    return next(s for s in root.all("section") if s.attributes["id"] == name)


def test_overview_states_counts_verified_share_snapshots_and_seed(html: str) -> None:
    root = parse(html)
    facts = next(node for node in root.all("dl", "facts"))
    tiles = {tile.all("dt")[0].content(): tile.all("dd")[0].content() for tile in facts.children}
    assert tiles == {
        "Questions": "6",
        "Verified": "100 %",
        "EM, majority": "40.0 %",  # 2 of the 5 with a true premise
        "EM, oracle-solver": "100 %",
        "Seed": "2026",
    }
    rows = table_rows(root, "Snapshots")
    assert ["knowwheregraph", "knowwheregraph-00000000000000aa", "4"] in rows
    assert ["worldkg", "worldkg-00000000000000bb", "2"] in rows


def test_overview_states_scope_and_warns(html: str) -> None:
    text = section(parse(html), "overview").content()
    assert "A score is not readiness." in text
    assert "6 questions in 1 language: English (eng)" in text
    assert "6 items (a question in a language), by 2 conditions in 2 passes" in text


def test_headline_has_denominators_rates_and_the_majority_line(html: str) -> None:
    rows = {row[0]: row[1:] for row in table_rows(parse(html), "All questions")}
    majority, oracle = rows["majority"], rows["oracle-solver"]
    # n, EM, SD, NE (1 + 0 + 0 + 1 + 1 of 5), Cov, EM_cov, FRR, NRR, n of false premises
    assert majority[0] == "5"
    assert majority[1].startswith("40.0 %")
    assert majority[2].startswith("\N{EN DASH}")
    assert majority[3:] == ["0.600", "80.0 %", "50.0 %", "20.0 %", "0 %", "1"]
    assert oracle[3:] == ["0.000", "100 %", "100 %", "0 %", "100 %", "1"]
    assert rows["majority baseline"][1].startswith("40.0 %")


def test_matrix_has_twelve_strata_and_names_the_causes_of_empty_cells(html: str) -> None:
    root = parse(html)
    rows = table_rows(root, "knowwheregraph: 4 questions")
    assert len(rows[0]) == 1 + 12 + 1  # one column more for the question without a stratum
    assert rows[0][1:3] == ["LIC low", "LIC medium"]
    metric = next(row for row in rows if row[0].startswith("A "))
    assert metric[1] == "2"  # LIC low
    assert metric[12] == "1"  # HIC high
    causes = {
        n.all("dt")[0].content(): n.all("dd")[0].content() for n in root.all("dl", "causes")[0].children
    }
    named = {causes[letter] for letter in metric[4].split(", ")}  # LMC low
    assert named == {"no two points", "fewer than 3 members <in scope>"}
    assert len(table_rows(root, "worldkg: 2 questions")[0]) == 1 + 12


def test_exact_match_by_family_with_denominators(html: str) -> None:
    families = {row[0][0]: row[1:] for row in table_rows(parse(html), "Family")[2:]}
    # n, majority, then the oracle's EM, NE, Cov; the majority run is the line, not a column
    assert {key: (row[0], row[1], row[2].split(" %")[0]) for key, row in families.items()} == {
        "A": ("2", "50.0 %", "100"),
        "C": ("2", "50.0 %", "100"),
        "D": ("1", "0 %", "100"),
    }


def test_strata_without_a_question_have_no_number(html: str) -> None:
    rows = {row[0]: row[1:] for row in table_rows(section(parse(html), "breakdowns"), "oracle-solver")}
    assert rows["LIC"][0].startswith("100 %")
    assert rows["LIC"][0].endswith("n 2")  # the false premise does not count
    assert rows["HIC"][2].endswith("n 1")
    assert rows["LMC"] == ["no question"] * 3


def test_review_links_what_conditions_answer_alike(
    benchmark_dir: Path, majority: Path, tmp_path: Path
) -> None:
    benchmark = open_benchmark(benchmark_dir)
    runs = [read_run(benchmark, majority), read_run(benchmark, majority, "again")]
    root = section(parse(render(benchmark, runs, countries=[])), "review")
    rows = [r for r in root.all("tr") if "conditions alike" in r.content()]
    links = {a.attributes["href"] for row in rows for a in row.all("a")}
    assert links == {"#item/0000000000000001/eng", "#item/0000000000000006/eng"}


def test_world_map_holds_both_parts_of_a_cut_country(html: str) -> None:
    root = parse(html)
    svg = next(s for s in root.all("svg") if "data-width" in s.attributes)
    width = int(svg.attributes["viewbox"].split()[2])
    paths = {p.attributes.get("data-iso"): p.attributes["d"] for p in svg.all("path", "country")}
    assert set(paths) == {"TCD", "FJI"}
    starts = sorted(float(move.split()[0]) for move in paths["FJI"].split("M")[1:])
    assert len(starts) == 2
    assert starts[0] < 0.06 * width
    assert starts[1] > 0.94 * width


def test_page_asks_for_nothing_outside_itself(html: str) -> None:
    root = parse(html)
    for tag in ("link", "iframe", "object", "image", "use", "embed"):
        assert not root.all(tag), tag
    for tag in ("script", "img"):
        assert all(
            "src" not in n.attributes or n.attributes["src"].startswith("data:") for n in root.all(tag)
        )
    style = "".join(node.text for node in root.all("style"))
    assert re.findall(r"url\((.*?)\)", style) == ["#few"]
    assert "@import" not in style
    assert "prefers-color-scheme: dark" in style
    for node in root.all("a"):
        assert node.attributes["href"].startswith("#")
    policy = next(
        m for m in root.all("meta") if "content-security-policy" in m.attributes.get("http-equiv", "").lower()
    ).attributes["content"]
    assert policy.startswith("default-src 'none'")
    (script,) = (n for n in root.all("script") if "type" not in n.attributes)
    digest = base64.b64encode(hashlib.sha256(script.text.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in policy
    assert "unsafe-eval" not in policy


def test_anchors_lead_somewhere_and_ids_are_unique(html: str) -> None:
    root = parse(html)
    ids: list[str] = []

    def collect(node: Node) -> None:
        if "id" in node.attributes:
            ids.append(node.attributes["id"])
        for child in node.children:
            collect(child)

    collect(root)
    assert len(ids) == len(set(ids))
    wanted = {node.attributes["href"][1:].partition("/")[0] for node in root.all("a")} - {"item"}
    wanted |= {n.attributes["aria-labelledby"] for n in root.all("section")}
    assert wanted <= set(ids)


def test_discards_are_summed_by_cause(html: str) -> None:
    assert table_rows(parse(html), "Discards")[1:] == [["margin", "42"], ["tolerance floor", "5"]]


def test_licences_come_from_the_build_record(html: str) -> None:
    text = section(parse(html), "data").content()
    assert "ODbL-1.0" in text
    assert "worldkg/osm_monaco" in text


def test_intake_is_counted_and_named(benchmark_dir: Path, majority: Path, countries: list[Country]) -> None:
    benchmark = open_benchmark(benchmark_dir)
    run = read_run(benchmark, majority)
    told = {"read": 9, "scored": 6, "unknown": 2, "broken": 1, "asked": "all questions",
            "named": {"unknown": ["line 3: ffff", "line 4: <b>"], "broken": ["line 7: no JSON"]}}  # fmt: skip
    root = parse(render(benchmark, [replace(run, info={"intake": told})], countries=countries))
    rows = {row[0]: row[1:] for row in table_rows(root, "What was read")}
    assert rows["replies read"] == ["9"]
    assert rows["replies to no question of this benchmark"] == ["2"]
    assert rows["questions without a reply: they count as wrong"] == ["0"]
    text = section(root, "data").content()
    assert "line 4: <b>" in text
    assert "Denominator: all questions." in text


def test_equal_input_gives_equal_pages(
    benchmark_dir: Path, majority: Path, countries: list[Country], html: str
) -> None:
    benchmark = open_benchmark(benchmark_dir)
    pages = {render(benchmark, [read_run(benchmark, majority)], countries=countries) for _ in range(2)}
    assert len(pages) == 1
    assert html not in pages


def test_page_without_runs_says_how_to_add_scores(benchmark_dir: Path, tmp_path: Path) -> None:
    html = render(open_benchmark(benchmark_dir))
    root = parse(html)
    assert "No scores were given." in root.content()
    assert [s.attributes["id"] for s in root.all("section")] == [
        "overview",
        "map",
        "questions",
        "benchmark",
        "data",
    ]
    assert write(tmp_path / "new" / "r.html", html).read_text("utf-8") == html
