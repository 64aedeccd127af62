"""Streaming RDF: formats, compressions, broken lines and statements, block boundaries."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyoxigraph as ox
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from multiglobeqa.errors import InputError
from multiglobeqa.kg import rdf, triples
from multiglobeqa.kg.rdf_columns import columns
from multiglobeqa.kg.report import ImportReport

TURTLE = """@prefix w: <http://w/> .
w:1 a w:Cafe ; w:n "x" .
w:2 a w:Cafe ; w:n "broken ;
   w:k "v" .
w:3 w:n \"\"\"long.\u0020
line .
"quoted" \"\"\" , "ü\\u00e9\\"q\\" a@^^<b"@en-GB , 12 .
w:4 w:n z:unknown .
w:5 a w:Cafe ; ; w:n ]] .
w:6 w:n "hash # here .
w:7 a w:Cafe .
"""


def read(path: Path) -> tuple[list[tuple[str, str, str]], ImportReport]:
    report = ImportReport(path.name)
    table = pa.Table.from_batches(rdf.read(path, report))
    rows = [(row["s"], row["p"], row["o"]) for row in table.to_pylist()]
    assert report.read["triple"] == len(rows)
    return rows, report


def test_case_k083_a_broken_line_is_counted_with_its_number(shared: Path, tmp_path: Path) -> None:
    cases = (json.loads(line) for line in (shared / "cases" / "cases.jsonl").read_text("utf-8").splitlines())
    case = next(case for case in cases if case["id"] == "K083")
    file = tmp_path / "k083.nt"
    file.write_text("\n".join(case["input"]["lines"]) + "\n", "utf-8")
    rows, report = read(file)
    assert len(rows) == case["expected"]["triples"]
    assert report.dropped["syntax_error"] == case["expected"]["skipped"]
    assert report.examples["syntax_error"] == [f"k083.nt:{case['expected']['reported_line']}"]


def test_broken_lines_lose_nothing_around_them(tmp_path: Path) -> None:
    file = tmp_path / "lines.nt"
    good = '<http://a/{}> <http://b> "x" .\n'
    bad = [
        '<http://a> <http://b> "open .\n',
        "garbage\n",
        '<http://a> <http://b> "two" . extra\n',
        "<a> <b> <c> .\n",
    ]
    text = "".join(good.format(n) + (bad[n // 10] if n % 10 == 5 and n < 40 else "") for n in range(60))
    file.write_text("# comment\n\n" + text)
    rows, report = read(file)
    assert [row[0] for row in rows] == [f"http://a/{n}" for n in range(60)]
    assert report.examples["syntax_error"] == [f"lines.nt:{n}" for n in (9, 20, 31, 42)]


def test_turtle_goes_on_after_a_broken_statement(tmp_path: Path) -> None:
    file = tmp_path / "t.ttl"
    file.write_text(TURTLE, "utf-8")
    rows, report = read(file)
    assert [row[0][-1] for row in rows] == ["1", "1", "3", "3", "3", "7"]
    assert rows[2][2] == 'long. \nline .\n"quoted" '
    assert rows[3][2] == 'üé"q" a@^^<b'
    assert report.dropped["syntax_error"] == 4
    assert report.examples["syntax_error"] == ["t.ttl:3", "t.ttl:8", "t.ttl:9", "t.ttl:10"]


def test_turtle_cut_off_in_a_statement(tmp_path: Path) -> None:
    file = tmp_path / "cut.ttl"
    file.write_text("@prefix w: <http://w/> .\nw:1 a w:Cafe .\n\nw:2 a\n  w:Ca")
    rows, report = read(file)
    assert len(rows) == 1
    assert report.examples["syntax_error"] == ["cut.ttl:4"]


def test_broken_prefix_stops(tmp_path: Path) -> None:
    file = tmp_path / "prefix.ttl"
    file.write_text("@prefix w: <http://w/> .\nw:1 a w:Cafe .\n@prefix x <http://x/> .\nw:2 a w:Cafe .\n")
    with pytest.raises(InputError, match=r"prefix\.ttl:3.*broken prefix"):
        read(file)


@pytest.mark.parametrize("block", [7, 64, 1000])
def test_blocks_make_no_difference(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block: int) -> None:
    text = TURTLE + "".join(
        f'w:{n} w:n """a.\n\nb {n} .\n""" ; # comment.\n w:k <http://x/#{n}> .\n' for n in range(30)
    )
    text += "@prefix w: <http://other/> .\nw:1 w:n 'it''s' , 'x.\\n' .\n".replace("''", "\\'")
    file = tmp_path / "blocks.ttl"
    file.write_text(text, "utf-8")
    whole, whole_report = read(file)
    monkeypatch.setattr(rdf, "BLOCK", block)
    parts, report = read(file)
    assert parts == whole
    assert report.as_dict() == whole_report.as_dict()
    assert whole[-1] == ("http://other/1", "http://other/n", "x.\n")
    assert len(whole) == 6 + 60 + 2


@pytest.mark.parametrize("name", ["x.nt", "x.nt.gz", "x.nt.bz2", "x.NT.xz", "x.nq", "x.ttl.gz"])
def test_names_say_format_and_compression(tmp_path: Path, name: str) -> None:
    data = b'<http://a> <http://b> "x" .\n' * 3
    packers: dict[str, Callable[[bytes], bytes]] = {
        ".gz": gzip.compress,
        ".bz2": bz2.compress,
        ".xz": lzma.compress,
    }
    (tmp_path / name).write_bytes(packers.get(Path(name).suffix, bytes)(data))
    assert read(tmp_path / name)[0] == [("http://a", "http://b", "x")] * 3


def test_bad_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not named as an RDF file"):
        read(tmp_path / "x.csv")
    with pytest.raises(InputError, match=r"none\.nt: is not a file"):
        read(tmp_path / "none.nt")
    (tmp_path / "empty.nt").write_bytes(b"\n# nothing\n")
    with pytest.raises(InputError, match="holds no triple"):
        read(tmp_path / "empty.nt")
    (tmp_path / "html.ttl").write_text("<html>\n<body>not found.</body>\n</html>\n")
    with pytest.raises(InputError, match="holds no triple"):
        read(tmp_path / "html.ttl")
    packed = gzip.compress(b"".join(b'<http://a> <http://b> "%d" .\n' % n for n in range(5000)))
    (tmp_path / "cut.nt.gz").write_bytes(packed[: len(packed) // 2])
    with pytest.raises(InputError, match=r"cut\.nt\.gz.*cut off"):
        read(tmp_path / "cut.nt.gz")
    (tmp_path / "bad.rdf").write_text("<rdf:RDF><open></rdf:RDF>")
    with pytest.raises(InputError, match="RDF/XML"):
        read(tmp_path / "bad.rdf")


def test_bytes_that_are_no_utf8_are_one_broken_line(tmp_path: Path) -> None:
    (tmp_path / "latin.nt").write_bytes(b'<http://a> <http://b> "caf\xe9" .\n<http://a> <http://b> "ok" .\n')
    rows, report = read(tmp_path / "latin.nt")
    assert rows == [("http://a", "http://b", "ok")]
    assert report.examples["syntax_error"] == ["latin.nt:1"]


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.text(st.characters(exclude_categories=["Cs"])), min_size=1, max_size=5),
    st.sampled_from(["", "@en", "int"]),
)
def test_literals_pass_through_unchanged(texts: list[str], kind: str) -> None:
    tail = "^^<http://www.w3.org/2001/XMLSchema#string2>" if kind == "int" else kind
    lines = [f"<http://a> <http://b> {triples.literal(text)}{tail} ." for text in texts]
    parsed = list(ox.parse("\n".join(lines), format=ox.RdfFormat.N_TRIPLES))
    assert [quad.object.value for quad in parsed] == texts
    canonical = ox.serialize((quad.triple for quad in parsed), format=ox.RdfFormat.N_TRIPLES)
    assert canonical is not None
    batch = columns(canonical)
    assert batch["o"].to_pylist() == texts
    assert batch["lang"].to_pylist() == ["en" if kind == "@en" else None] * len(texts)
    assert batch["datatype"].null_count == (0 if kind == "int" else len(texts))


def test_real_files_are_read_whole(shared: Path) -> None:
    folder = shared / "data" / "public" / "rdf_github"
    for name in ("WorldKG_Ontolgy.ttl", "kwg-lite-schema.ttl", "geosparql_benchmark_dataset.rdf"):
        rows, report = read(folder / name)
        kind = ox.RdfFormat.RDF_XML if name.endswith("rdf") else ox.RdfFormat.TURTLE
        assert len(rows) == sum(1 for _ in ox.parse(path=str(folder / name), format=kind))
        assert not report.dropped
