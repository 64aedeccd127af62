"""Every table of the statistics against values counted by hand (see conftest.py)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from multiglobeqa.report.stats import Statistics, collect
from multiglobeqa.report.stats.languages import languages
from multiglobeqa.taxonomy.load import TEMPLATES
from multiglobeqa.taxonomy.model import CLUSTERS, FAMILIES


@pytest.fixture(scope="module")
def stats(benchmark: Path) -> Statistics:
    return collect(benchmark)


def by_key(stats: Statistics, name: str, text: int = 1) -> dict[Any, tuple[Any, ...]]:
    """The rows of a table by their first column or columns."""
    rows = stats.table(name).rows
    found = {row[0] if text == 1 else row[:text]: row[text:] for row in rows}
    assert len(found) == len(rows)
    return found


def test_translations_are_counted_in_the_table_of_languages_alone(stats: Statistics) -> None:
    assert (stats.questions, stats.language) == (10, "eng")
    assert stats.table("table3_languages").rows == [
        ("eng", "English", "Indo-European", "Germanic", "Latin", "high", 10),
        ("fra", "French", "Indo-European", "Romance", "Latin", "high", 1),
    ]


def test_languages_are_17_in_six_families_seven_scripts_and_three_tiers() -> None:
    known = languages()
    assert len(known) == 17
    assert len({entry.family for entry in known.values()}) == 6
    assert len({entry.script for entry in known.values()}) == 7
    assert {entry.tier for entry in known.values()} == {"high", "mid", "low"}
    assert [code for code, entry in known.items() if entry.direction == "rtl"] == ["urd"]
    assert all(len(code) == 3 and code.islower() for code in known)


def test_each_family_belongs_to_one_cluster() -> None:
    listed = [family for families in CLUSTERS.values() for family in families]
    assert sorted(listed) == list(FAMILIES)
    assert len(CLUSTERS) == 6


def test_table1_counts_the_taxonomy_and_what_of_it_is_asked(stats: Statistics) -> None:
    rows = by_key(stats, "table1_taxonomy", 2)
    metric = rows["Metric", "A Metric distance and proximity"]
    assert (*metric[:2], *metric[3:]) == (9, 23, 1, 1, 2, 2)
    within = rows["Metric", "B Metric containment"]
    assert (*within[:2], *within[3:]) == (3, 6, 2, 2, 2, 2)
    assert rows["Comparison", "F Comparison and ordering"][3:] == (1, 1, 1, 2)
    assert rows["Topology and hierarchy", "C Topological relationships"][3:] == (0, 0, 0, 0)
    every = rows["all", ""]
    assert every[:2] == (65, 138)
    assert every[2] == wordings_of_the_files()
    assert every[3:] == (8, 8, 9, 10)
    assert len(rows) == 15
    _, narrow = stats.table("table1_taxonomy").narrow or ((), [])
    assert narrow[-1] == ("all", "8 / 65", "8 / 138", f"9 / {every[2]}", 10)


def wordings_of_the_files() -> int:
    """The paraphrases of the template files, read without the loader."""
    count = 0
    for file in TEMPLATES.glob("*/*.yaml"):
        content = yaml.safe_load(file.read_text("utf-8"))
        for own in content["subtemplates"].values():
            count += len((own or {}).get("paraphrases", content.get("paraphrases", [])))
    return count


def test_table2_counts_strata_shares_and_countries(stats: Statistics) -> None:
    assert stats.table("table2_strata").columns[1:4] == ("low", "medium", "high")
    assert stats.table("table2_strata").rows == [
        ("HIC", 0, 1, 2, 3, 30.0, 2),
        ("UMC", 1, 0, 0, 1, 10.0, 1),
        ("LMC", 0, 0, 0, 0, 0.0, 0),
        ("LIC", 5, 0, 0, 5, 50.0, 1),
        ("no stratum", None, None, None, 1, 10.0, 0),
        ("all", 6, 1, 2, 10, 100.0, 4),
        ("share, %", 60.0, 10.0, 20.0, 100.0, None, None),
    ]


def test_table5_lists_all_templates_with_an_example_of_the_benchmark(stats: Statistics) -> None:
    rows = by_key(stats, "table5_templates", 2)
    assert len(rows) == 65
    assert rows["A", "A01"] == ("Distance between two entities", "Question 1?", "distance", 2, 2)
    # of the two questions one has a false premise
    assert rows["F", "F01"][1:] == ("Question 5?", "entity", 4, 2)
    assert rows["N", "N01"] == ("Coordinates of an entity", None, "point", 2, 1)  # only in the image slice
    assert rows["A", "A02"][1] is None
    assert rows["A", "A02"][-1] == 0
    (note,) = stats.table("table5_templates").notes
    assert "A02" in note
    assert "A01" not in note


def test_table6_reads_the_manifests(stats: Statistics, benchmark: Path) -> None:
    table = stats.table("table6_kgs")
    assert table.rows == [
        ("knowwheregraph", "north", "own", "the world", "CC0-1.0", "hand-made", 5, 2, 7, 14),
        ("knowwheregraph", "all", None, None, None, None, 5, 2, 7, 14),
    ]
    assert table.notes[0].startswith("knowwheregraph: snapshot knowwheregraph-")
    assert "worldkg-00000000000000bb is not at hand" in table.notes[1]
    assert stats.missing == ["worldkg-00000000000000bb"]


def test_table7_sets_image_slice_and_false_premises_apart(stats: Statistics) -> None:
    table = stats.table("table7_families")
    assert table.columns == (
        "family", "worldkg true", "worldkg false", "worldkg image",
        "knowwheregraph true", "knowwheregraph false", "knowwheregraph image", "questions",
    )  # fmt: skip
    rows = {row[0][0]: row[1:] for row in table.rows}
    assert rows["A"] == (0, 0, 0, 2, 0, 0, 2)
    assert rows["F"] == (0, 0, 0, 1, 1, 0, 2)
    assert rows["N"] == (0, 0, 1, 0, 0, 0, 1)
    assert rows["C"] == (0, 0, 0, 0, 0, 0, 0)
    assert table.rows[-1] == ("all", 0, 0, 1, 8, 1, 0, 10)
    assert len(table.rows) == 15


def test_figure6_counts_all_15_formats(stats: Statistics) -> None:
    rows = by_key(stats, "figure6_formats")
    assert len(rows) == 15
    assert rows["distance"] == (2, 20.0)
    assert rows["entity"] == (2, 20.0)
    assert rows["count"] == (2, 20.0)
    assert {name for name, (count, _) in rows.items() if count == 1} == {"set", "point", "area", "boolean"}
    assert sum(count for count, _ in rows.values()) == 10
    counts = [row[1] for row in stats.table("figure6_formats").rows]
    assert counts == sorted(counts, reverse=True)


def test_class_of_a_question_is_the_one_it_names_else_its_anchors(stats: Statistics) -> None:
    table = stats.table("class_by_stratum")
    found = {
        row[:2]: {name: n for name, n in zip(table.columns[2:-1], row[2:-1], strict=True) if n}
        | {"all": row[-1]}
        for row in table.rows
    }
    assert found == {
        ("worldkg", "cafe"): {"HIC medium": 1, "all": 1},  # by its rdf:type: the snapshot is not at hand
        ("knowwheregraph", "city15000"): {"HIC high": 1, "LIC low": 4, "all": 5},
        ("knowwheregraph", "iata_airport"): {"HIC high": 1, "all": 1},  # the class asked, not the region's
        ("knowwheregraph", "country"): {"LIC low": 1, "all": 1},  # `classes` names several: the anchor's
        ("knowwheregraph", "admin1"): {"UMC low": 1, "all": 1},
        ("knowwheregraph", "unknown"): {"no stratum": 1, "all": 1},
    }
    _, narrow = table.narrow or ((), [])
    assert ("knowwheregraph", "city15000", "0 / 0 / 1", "0 / 0 / 0", "0 / 0 / 0", "4 / 0 / 0", 0, 5) in narrow


def test_class_by_continent_names_the_empty_cells(stats: Statistics) -> None:
    table = stats.table("class_by_continent")
    rows = {row[:2]: dict(zip(table.columns[2:], row[2:], strict=True)) for row in table.rows}
    cities = rows["knowwheregraph", "city15000"]
    assert {name: n for name, n in cities.items() if n} == {"Africa": 4, "Asia": 1, "questions": 5}
    assert rows["knowwheregraph", "unknown"]["no continent"] == 1
    cells = {row[:3]: row[3:] for row in stats.table("empty_cells").rows}
    assert cells["knowwheregraph", "city15000", "Africa"] == (4, 3, "asked")
    assert cells["knowwheregraph", "admin1", "Africa"] == (
        0,
        3,
        "entities, no question",
    )  # Westland, Hole, Plug
    assert cells["knowwheregraph", "admin1", "Europe"] == (0, 0, "no entity")
    assert cells["knowwheregraph", "iata_airport", "Asia"] == (1, 0, "asked")
    assert cells["worldkg", "cafe", "Asia"] == (0, None, "snapshot not at hand")
    assert ("knowwheregraph", "unknown", "Asia") not in cells
    columns, narrow = stats.table("empty_cells").narrow or ((), [])
    assert columns == ("kg", "cell", "continents", "classes")
    bare = "Antarctica, Europe, North America, Seven seas (open ocean), South America"
    assert narrow == [
        (
            "worldkg",
            "snapshot not at hand",
            f"Africa, Antarctica, Asia, {bare[20:33]}, Oceania, {bare[35:]}",
            "all",
        ),
        ("knowwheregraph", "entities, no question", "Africa", "admin1 (3), road (2), natural_earth_lake (1)"),
        ("knowwheregraph", "entities, no question", "Asia", "admin1 (1)"),
        ("knowwheregraph", "no entity", bare, "all"),
        ("knowwheregraph", "no entity", "Asia, Oceania", "country, natural_earth_lake, road"),
        ("knowwheregraph", "no entity", "Africa, Oceania", "iata_airport"),
        ("knowwheregraph", "no entity", "Oceania", "city15000"),
    ]


def test_false_premises_stand_beside_the_true_ones(stats: Statistics) -> None:
    rows = by_key(stats, "false_premises", 2)
    assert rows["F01.a", "no member"] == (1, 1, 50.0)
    assert rows["G02", "not inside"] == (0, 0, None)
    assert rows["all questions", ""] == (8, 1, 11.1)
    assert len(rows) == 13 + 1


def test_image_slice_counts_the_class_of_the_pictured_place(stats: Statistics) -> None:
    assert stats.table("image_slice").rows == [("worldkg", "cafe", 1, 1, 1), ("all", "", 1, 1, 1)]


def test_sizes_of_sets_counts_and_people(stats: Statistics) -> None:
    rows = by_key(stats, "answer_sizes")
    assert {size: row for size, row in rows.items() if any(row)} == {
        "3": (1, 0, 0),
        "4 to 5": (0, 1, 0),
        "31 or more": (0, 0, 1),
        "questions": (1, 1, 1),
        "median": (3.0, 5.0, 123456.0),
    }


def test_gold_triples_by_income(stats: Statistics) -> None:
    # LIC: 4, 10, 6, 10, 5; HIC: 2, 3, 2
    assert stats.table("gold_triples").rows == [
        ("HIC", 3, 2, 2.0, 2.3, 3),
        ("UMC", 1, 4, 4.0, 4.0, 4),
        ("LIC", 5, 4, 6.0, 7.0, 10),
        ("none", 1, 9, 9.0, 9.0, 9),
        ("all", 10, 2, 4.5, 5.5, 10),
    ]


def test_slips_by_family_among_true_premises(stats: Statistics) -> None:
    rows = {row[0][0]: row[1:] for row in stats.table("slips").rows[:-1]}
    assert rows["A"] == (2, 1, 50.0)
    assert rows["F"] == (1, 0, 0.0)
    assert rows["C"] == (0, 0, None)
    assert stats.table("slips").rows[-1] == ("all", 9, 1, 11.1)


def test_variants(stats: Statistics) -> None:
    assert stats.table("variants").rows == [
        ("worldkg", "image", 1, 1),
        ("knowwheregraph", "text", 9, 9),
        ("all", "", 10, 10),
    ]


def test_majority_by_subtemplate(stats: Statistics) -> None:
    """Two distances of A01.a: the constant is one of them, so half; the false F01.a is not asked of."""
    rows = {row[0]: row for row in stats.table("majority").rows}
    assert rows["A01.a"][2:] == (2, 50.0)
    assert rows["F01.a"][2:] == (1, 100.0)
    assert "N01.b" not in rows, "an image question"
    assert rows["all"][2] == sum(row[2] for name, row in rows.items() if name != "all")
