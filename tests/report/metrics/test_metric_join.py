"""Scores joined to their questions."""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa
import pytest

from multiglobeqa.errors import InputError
from multiglobeqa.report.metrics import GROUPS, JOINED, completed, grouped, joined, tabulate

TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
IRI = "https://www.openstreetmap.org/node/1"


def question(key: str, **more: Any) -> dict[str, Any]:
    row = {
        "id": key, "kg": "osmh3kg", "family": "A", "template": "A01", "subtemplate": "A01.a", "format": "distance",
        "income": "LIC", "density": "low", "country": "MLI", "continent": "Africa", "subregion": "Western Africa",
        "premise": True, "modality": "text", "depth": "relation", "source": "template", "question_type": "numeric",
        "language": "eng", "roles": json.dumps({"B": {"iri": IRI, "name": 'x "iri": "no"'}, "A": {"iri": "second"}}),
        "entities": ["e1", "e2"], "fact_ids": [0, 1, 2],
    }  # fmt: skip
    return {**row, **more}


def score(key: str, **more: Any) -> dict[str, Any]:
    return {"id": key, "status": "answered", "em": 1, "ne": 0.0, **more}


def rows(*given: dict[str, Any]) -> pa.Table:
    return pa.table({name: [row.get(name) for row in given] for row in given for name in row})


def test_a_score_takes_the_columns_of_its_question() -> None:
    questions = rows(
        question("a"),
        question("b", family="C", subtemplate="C01.a", premise=False, fact_ids=[]),
        question("c"),
    )
    table = joined(questions, rows(score("c"), score("b", em=0, ne=1.0)))
    assert set(JOINED) <= set(table.column_names)
    first, second = table.to_pylist()
    assert (first["id"], first["family"], first["cluster"], first["n_facts"]) == ("c", "A", IRI, 3)
    assert (second["id"], second["family"], second["carrier"], second["n_facts"]) == ("b", "C", True, 0)
    assert (first["carrier"], first["language"], first["script"], first["resource"]) == (
        False,
        "eng",
        "Latn",
        "high",
    )
    assert (first["run"], first["model"], first["tier"], first["seed"], first["tokens_in"]) == (
        "",
        "",
        "",
        0,
        None,
    )
    assert len(tabulate(table, GROUPS)) == 2


@pytest.mark.parametrize(
    ("change", "cluster"),
    [
        ({"roles": '{"A": {"iri": "caf\\u00e9", "name": "x"}}'}, "café"),
        ({"roles": '{"A": {"name": "x", "iri": "later"}}'}, "later"),
        ({"roles": '{"A": {"iri": null, "name": "x"}, "B": {"iri": "second"}}'}, "e1"),
        ({"roles": "{}"}, "e1"),
        ({"roles": None, "entities": []}, "q"),
    ],
)
def test_the_cluster_is_the_first_roles_entity_else_the_first_entity_else_the_question(
    change: dict[str, Any], cluster: str
) -> None:
    assert joined(rows(question("q", **change)), rows(score("q")))["cluster"].to_pylist() == [cluster]


def test_the_class_is_the_entitys_type_in_the_kgs_vocabulary() -> None:
    facts = rows(
        {"fact_id": 0, "triple": f"<{IRI}> {TYPE} <http://www.worldkg.org/schema/Cafe> ."},
        {"fact_id": 1, "triple": f'<{IRI}> <http://www.w3.org/2000/01/rdf-schema#label> "x" .'},
        {"fact_id": 2, "triple": f"<other> {TYPE} <http://www.worldkg.org/schema/School> ."},
    )
    questions = rows(question("a"), question("b", roles='{"A": {"iri": "unknown"}}'))
    assert joined(questions, rows(score("a"), score("b")), facts=facts)["class"].to_pylist() == ["cafe", None]
    assert joined(questions, rows(score("a"), score("b")))["class"].to_pylist() == [None, None]
    given = questions.append_column("class", pa.array(["pub", "lake"]))
    assert joined(given, rows(score("b")), facts=facts)["class"].to_pylist() == ["lake"]


def test_scores_in_several_languages_find_the_row_of_their_language() -> None:
    questions = rows(question("a"), question("a", language="kat", source="translated"), question("b"))
    scores = rows(
        score("a", language="kat"),
        score("a", language=None),
        score("b", language="tur"),
        score("b", language="eng"),
    )
    table = joined(questions, scores)
    assert table["source"].to_pylist() == ["translated", "template", None, "template"]
    assert table["script"].to_pylist() == ["Geor", "Latn", "Latn", "Latn"]
    assert table["resource"].to_pylist() == ["mid", "high", "mid", "high"]
    with pytest.raises(InputError, match="questions stand in several"):
        joined(questions, scores.drop_columns(["language"]))


def test_what_does_not_fit_is_named() -> None:
    questions = rows(question("a"), question("b"))
    with pytest.raises(InputError, match="scores:z: is no question of this benchmark"):
        joined(questions, rows(score("a"), score("z")))
    with pytest.raises(InputError, match="questions:a: stands twice"):
        joined(rows(question("a"), question("a")), rows(score("a")))
    with pytest.raises(InputError, match="is scored twice") as caught:
        joined(questions, rows(score("a"), score("b", seed=3), score("b", seed=3)))
    assert json.loads(str(caught.value.place)) == {
        "id": "b", "run": "", "model": "", "tier": "", "seed": 3, "language": "eng",
    }  # fmt: skip
    with pytest.raises(InputError, match="questions: has no column 'premise'"):
        joined(questions.drop_columns(["premise"]), rows(score("a")))
    with pytest.raises(InputError, match="scores: has no column 'ne'"):
        joined(questions, rows(score("a")).drop_columns(["ne"]))
    with pytest.raises(InputError, match="has no column 'lon'"):
        joined(questions, rows(score("a")), extra=("lon",))


def test_questions_without_a_reply_are_wrong_and_in_every_denominator() -> None:
    questions = rows(question("a"), question("b"), question("c", premise=False))
    scores = completed(questions, rows(score("a", run="x", seed=1), score("b", run="x", seed=2)))
    table = joined(questions, scores)
    one, two = tabulate(table, ("seed",))
    assert (one.questions, one.right, one.missing, one.false.missing, one.em) == (2, 1, 1, 1, one.coverage)
    assert (two.questions, two.right, two.missing, two.false.missing) == (2, 1, 1, 1)
    assert sorted(map(tuple, zip(table["id"].to_pylist(), table["seed"].to_pylist(), strict=True))) == [
        (key, seed) for key in "abc" for seed in (1, 2)
    ]
    several = rows(question("a"), question("a", language="fra"), question("b"))
    filled = completed(several, rows(score("a", language="fra"), score("a", language="eng")))
    missing = [(row["id"], row["language"]) for row in filled.to_pylist() if row["status"] == "missing"]
    assert missing == [("b", "eng")]  # French has no b
    nothing = completed(questions, rows(score("a")).slice(0, 0))
    assert nothing["status"].to_pylist() == ["missing"] * 3


def test_files_of_other_shapes_join_too() -> None:
    """Dictionary columns, null runs and seeds, no language anywhere, facts as a count or as lines in the row."""
    questions = rows(question("a"), question("b")).drop_columns(["language", "roles", "entities", "fact_ids"])
    scores = rows(
        score("b", run=None, seed=None, model="m", control=True), score("a", run="x", seed=2, model="m")
    )
    for name in ("id", "status", "run", "model"):
        scores = scores.set_column(scores.column_names.index(name), name, scores[name].dictionary_encode())
    scores = scores.set_column(scores.column_names.index("seed"), "seed", scores["seed"].cast(pa.int32()))
    table = joined(questions, scores)
    assert table.select(["id", "run", "seed", "language", "cluster", "n_facts", "control"]).to_pylist() == [
        {"id": "b", "run": "", "seed": 0, "language": None, "cluster": "b", "n_facts": None, "control": True},
        {
            "id": "a",
            "run": "x",
            "seed": 2,
            "language": None,
            "cluster": "a",
            "n_facts": None,
            "control": None,
        },
    ]
    counted = questions.append_column("n_facts", pa.array([7, 8]))
    assert joined(counted, scores)["n_facts"].to_pylist() == [8, 7]
    inside = questions.append_column("triples", pa.array([["x", "y"], []]))
    assert joined(inside, scores)["n_facts"].to_pylist() == [0, 2]
    assert completed(questions, scores)["status"].to_pylist() == ["answered"] * 2 + ["missing"] * 2
    with pytest.raises(InputError, match="questions:a: stands twice"):
        joined(pa.concat_tables([questions, questions]), scores)


def test_groups_that_no_count_could_hold_are_refused() -> None:
    values = pa.array([f"v{n}" for n in range(3000)])
    table = pa.table(dict.fromkeys("abcd", values))
    with pytest.raises(InputError, match="too many groups"):
        grouped(table, ("a", "b", "c", "d"))
    assert len(grouped(table, ("a", "b", "c"))) == 3000
