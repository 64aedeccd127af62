"""The HTML page, read back with an HTML parser."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path

import pytest

from multiglobeqa.report import open_benchmark, read_run, render, write

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
def html(benchmark_dir: Path, majority: Path, oracle: Path, countries: list[bytes]) -> str:
    benchmark = open_benchmark(benchmark_dir)
    return render(
        benchmark, [read_run(benchmark, majority), read_run(benchmark, oracle)], countries=countries
    )


def table_rows(root: Node, caption: str) -> list[list[str]]:
    table = next(t for t in root.all("table") if any(caption in c.content() for c in t.all("caption")))
    return [[cell.content() for cell in row.children if cell.tag in ("th", "td")] for row in table.all("tr")]


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


def test_exact_match_by_family_and_stratum_with_denominators(html: str) -> None:
    root = parse(html)
    families = {row[0][0]: row[1:] for row in table_rows(root, "By family")[1:]}
    assert families == {
        "A": ["2", "50.0 %", "100 %"],
        "C": ["2", "50.0 %", "100 %"],
        "D": ["1", "0 %", "100 %"],
    }
    strata = {row[0]: row[1:] for row in table_rows(root, "By stratum")[1:]}
    assert strata["LIC low"] == ["2", "50.0 %", "100 %"]
    assert strata["HIC high"] == ["1", "100 %", "100 %"]
    assert list(strata)[-1] == "\N{EN DASH} \N{EN DASH}"  # no stratum comes last


def test_samples_show_question_gold_facts_and_what_each_run_said(html: str) -> None:
    root = parse(html)
    article = next(a for a in root.all("article") if "A01.a" in a.content())
    text = article.content()
    assert "How far is <Ati> from Faya & Mao?" in text
    assert "1,234.5 km" in text
    assert "3 facts" in text
    runs = {
        n.all("dt")[0].content(): n.all("dd")[0].content() for n in article.all("dl", "answers")[0].children
    }
    assert runs["gold"] == "1,234.5 km"
    assert runs["majority"].endswith("wrong")
    assert runs["oracle-solver"].endswith("right")
    declined = [a.content() for a in root.all("article") if "C01.a" in a.content()]
    assert any("majority declined ✗ wrong" in text for text in declined)


def test_samples_show_entities_by_name_where_a_run_gives_iris(html: str) -> None:
    article = next(a for a in parse(html).all("article") if "D01.b" in a.content())
    runs = {
        n.all("dt")[0].content(): n.all("dd")[0].content() for n in article.all("dl", "answers")[0].children
    }
    assert runs == {
        "gold": "Chad, Niger",
        "majority": "Storm, urn:niger ✗ wrong",
        "oracle-solver": "Chad, Niger ✓ right",
    }


def test_map_puts_sites_at_both_edges_and_marks_tiers_by_shape_too(html: str) -> None:
    root = parse(html)
    svg = next(s for s in root.all("svg") if s.attributes.get("role") == "img")
    width = int(svg.attributes["viewbox"].split()[2])
    sites = {p.attributes["class"].split()[1]: p.attributes["d"] for p in svg.all("path", "site")}
    assert set(sites) == {"HIC", "LIC"}
    assert sites["HIC"].count("a") == 4  # two circles of two arcs each: 10, 5 and the place near -180
    assert sites["LIC"].count("h") == 2  # triangles: one place twice, one near +180
    starts = sorted(float(move.split()[0]) for path in sites.values() for move in path.split("M")[1:])
    assert starts[0] < 0.06 * width
    assert starts[-1] > 0.94 * width
    land = svg.all("path", "land")[0].attributes["d"]
    assert land.count("M") == 3  # the cut country has two parts


def test_page_asks_for_nothing_outside_itself(html: str) -> None:
    root = parse(html)
    for tag in ("script", "link", "img", "iframe", "object", "image", "use"):
        assert not root.all(tag), tag
    style = "".join(node.text for node in root.all("style"))
    assert "url(" not in style
    assert "@import" not in style
    assert "prefers-color-scheme: dark" in style
    for node in root.all("a"):
        assert node.attributes["href"].startswith("#")
    policy = next(
        m for m in root.all("meta") if "content-security-policy" in m.attributes.get("http-equiv", "").lower()
    )
    assert policy.attributes["content"].startswith("default-src 'none'")


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
    wanted = {node.attributes["href"][1:] for node in root.all("a")}
    wanted |= {n.attributes["aria-labelledby"] for n in root.all("section")}
    assert wanted <= set(ids)


def test_discards_are_summed_by_cause(html: str) -> None:
    root = parse(html)
    section = next(s for s in root.all("section") if s.attributes["aria-labelledby"] == "discards")
    rows = [[c.content() for c in r.children] for r in section.all("tr")][1:]
    assert rows == [["margin", "42"], ["tolerance floor", "5"]]


def test_licences_come_from_the_build_record(html: str) -> None:
    section = next(s for s in parse(html).all("section") if s.attributes["aria-labelledby"] == "licences")
    assert "ODbL-1.0" in section.content()
    assert "worldkg/osm_monaco" in section.content()


def test_equal_input_gives_equal_pages(
    benchmark_dir: Path, majority: Path, countries: list[bytes], html: str
) -> None:
    benchmark = open_benchmark(benchmark_dir)
    pages = {render(benchmark, [read_run(benchmark, majority)], countries=countries) for _ in range(2)}
    assert len(pages) == 1
    assert html not in pages


def test_page_without_runs_says_how_to_add_scores(benchmark_dir: Path, tmp_path: Path) -> None:
    html = render(open_benchmark(benchmark_dir))
    assert "mgqa report DIR --scores" in parse(html).content()
    assert write(tmp_path / "new" / "r.html", html).read_text("utf-8") == html
