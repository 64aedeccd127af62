"""The triples of a whole snapshot: ``<part>.triples.nt.gz``, streamed, without a Python call for each entity.

The lines are those of ``triples.render`` with the aspects type, label, geometry, parent, cell, time, fixes,
border, footprint and every attribute, entity by entity in the order of the table, then the labels in other
languages: ``rdfs:label "..."@xx`` and, for aliases, ``skos:altLabel`` (WorldKG: ``wkgs:nameXx``,
``wkgs:altNameXx``).
"""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import shapely

from multiglobeqa.kg import triples
from multiglobeqa.kg.osm.languages import PLAIN
from multiglobeqa.kg.rdf_labels import tag
from multiglobeqa.kg.store import Snapshot, replacing
from multiglobeqa.kg.triples import GEO, KWG_ONT, KWGR, RDF_TYPE, RDFS_LABEL, SF, WKG, WKGS, WKT_LITERAL
from multiglobeqa.kg.triples_attributes import STRUCTURAL, connect, escape, lines

_BATCH: Final = 8_192
_SKOS_ALT: Final = "http://www.w3.org/2004/02/skos/core#altLabel"
_OWN_ASPECTS: Final = ("time", "fixes", "border", "footprint")
"""Rendered entity by entity: events, borders and tracks only."""


def render_snapshot(snapshot: Snapshot, path: str | Path | None = None) -> dict[str, int]:
    """Write ``<part>.triples.nt.gz`` of every part into the folder ``path`` (default: the snapshot's own).

    Returns the number of triples by part. Equal snapshots give equal bytes. Each file appears only when it is
    whole.
    """
    folder = Path(path) if path is not None else snapshot.path
    counts: dict[str, int] = {}
    for part, entities, labels in zip(
        snapshot.parts, snapshot.entity_files, snapshot.label_files, strict=True
    ):
        with (
            replacing(folder / f"{part.name}.triples.nt.gz") as temporary,
            temporary.open("wb") as raw,
            gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0, compresslevel=6) as out,
        ):
            counts[part.name] = sum(_write(out, block) for block in _blocks(snapshot.kg, entities, labels))
    return counts


def _blocks(kg: str, entities: str, labels: str) -> Iterator[pa.Array]:
    with connect() as con:
        for batch in pq.ParquetFile(entities).iter_batches(_BATCH):
            yield entity_lines(con, kg, batch)
    for batch in pq.ParquetFile(labels).iter_batches(_BATCH):
        yield label_lines(kg, batch)


def _write(out: gzip.GzipFile, block: Any) -> int:
    texts = [text for text in block.to_pylist() if text]
    if not texts:
        return 0
    whole = "\n".join(texts) + "\n"
    out.write(whole.encode())
    return whole.count("\n")


def entity_lines(con: duckdb.DuckDBPyConnection, kg: str, batch: pa.RecordBatch) -> pa.Array:
    """(n,) text: the lines of each entity of a batch of ENTITY_SCHEMA, parted by line feeds."""
    subject = _iri(batch["iri"])
    parts = [
        _join(subject, _predicate(RDF_TYPE), _types(kg, batch["class"])),
        _join(subject, _predicate(RDFS_LABEL), escape(batch["name"])),
        *_geometry(kg, batch, subject),
    ]
    parent = _parent(kg, batch, subject)
    if parent is not None:
        parts.append(parent)
    if kg == "osmh3kg":
        cells = pa.array([f"{cell:x}" for cell in batch["h3"].to_pylist()])
        text = _text('"<https://h3geo.org/res/9> CELL (', cells, f')"^^<{triples.DGGS_LITERAL}>')
        parts.append(_join(subject, _predicate(GEO + "asDGGS"), text))
    parts += [_events(kg, batch), lines(con, kg, batch["iri"], batch["attributes"])]
    return pc.binary_join_element_wise(*parts, "\n", null_handling="skip")


def label_lines(kg: str, batch: pa.RecordBatch) -> pa.Array:
    """(n,) lines of a batch of LABEL_SCHEMA; plain names, which the entities carry, give null."""
    pairs = pc.binary_join_element_wise(batch["lang"], batch["kind"], " ").dictionary_encode()
    heads, tails = [], []
    for pair in pairs.dictionary.to_pylist():
        lang, kind = pair.split(" ")
        predicate, tail = _label_property(kg, lang, kind)
        heads.append(None if predicate is None else f"<{predicate}>")
        tails.append(tail)
    predicate = pa.array(heads, pa.string()).take(pairs.indices)
    value = _text(escape(batch["label"]), pa.array(tails, pa.string()).take(pairs.indices))
    return _join(_iri(batch["iri"]), predicate, value)


def _label_property(kg: str, lang: str, kind: str) -> tuple[str | None, str]:
    if lang == PLAIN and kind == "name":
        return None, ""
    code = tag(lang)
    if kg == "worldkg":
        return WKGS + ("altName" if kind == "alias" else "name") + code.title(), ""
    return (_SKOS_ALT if kind == "alias" else RDFS_LABEL), f"@{code}" if code else ""


def _geometry(kg: str, batch: pa.RecordBatch, subject: Any) -> list[Any]:
    shapes = shapely.from_wkb(batch["geometry"].to_numpy(zero_copy_only=False))
    text = pa.array(triples.wkt_array(shapes), pa.string())
    node = _geometry_nodes(kg, batch["iri"])
    if kg != "worldkg":
        shape = _text('"', text, f'"^^<{WKT_LITERAL}>')
        return [
            _join(subject, _predicate(GEO + "hasGeometry"), node),
            _join(node, _predicate(GEO + "asWKT"), shape),
        ]
    text = pc.if_else(pc.starts_with(text, "POINT ("), pc.replace_substring(text, "POINT (", "Point("), text)
    names = np.array(
        ["Point", "LineString", "LinearRing", "Polygon", "MultiPoint", "MultiLineString", "MultiPolygon"]
    )
    types = pa.array([f"<{SF}{name}>" for name in names[shapely.get_type_id(shapes)]])
    return [
        _join(subject, _predicate(WKGS + "spatialObject"), node),
        _join(node, _predicate(RDF_TYPE), types),
        _join(node, _predicate(GEO + "asWKT"), _text('"', text, f'"^^<{WKT_LITERAL}>')),
    ]


def _geometry_nodes(kg: str, iris: Any) -> Any:
    mark = pc.if_else(pc.match_substring(iris, "#"), ".", "#")
    node = _text("<", iris, mark, "geometry>")
    if kg != "worldkg":
        return node
    own = _text(f"<{WKG}geo", pc.utf8_slice_codeunits(iris, len(WKG)), ">")
    return pc.if_else(pc.starts_with(iris, WKG), own, node)


def _parent(kg: str, batch: pa.RecordBatch, subject: Any) -> Any | None:
    if kg == "worldkg":
        return None
    admin = batch["admin"]
    direct = pc.list_element(
        pc.if_else(pc.greater(pc.list_value_length(admin), 0), admin, pa.scalar([""], admin.type)), 0
    )
    direct = pc.if_else(pc.equal(direct, ""), pa.scalar(None, pa.string()), direct)
    predicate: Any = _predicate(GEO + "sfWithin")
    if kg == "knowwheregraph":
        iris = batch["iri"]
        region = pc.or_(
            pc.starts_with(iris, KWGR + "administrativeRegion."), pc.starts_with(iris, KWGR + "Earth.")
        )
        predicate = pc.if_else(region, f"<{KWG_ONT}administrativePartOf>", f"<{KWG_ONT}sfWithin>")
    return _join(subject, predicate, _iri(direct))


def _events(kg: str, batch: pa.RecordBatch) -> pa.Array:
    """(n,) lines of times, fixes, borders and footprints; null where an entity has none."""
    out: list[str | None] = [None] * batch.num_rows
    text, iris = batch["attributes"], batch["iri"]
    some = pc.or_(pc.is_valid(batch["time_start"]), pc.is_valid(batch["time_end"]))
    for name in STRUCTURAL:
        some = pc.or_(some, pc.match_substring(text, f'"{name}"'))
    some = pc.or_(some, pc.starts_with(iris, KWGR + "stormFootprint."))
    rows = np.flatnonzero(some.to_numpy(zero_copy_only=False))
    columns = batch.select(["iri", "attributes", "time_start", "time_end"]).take(pa.array(rows))
    for row, entity in zip(rows, columns.to_pylist(), strict=True):
        out[row] = "\n".join(triples.render({**entity, "kg": kg}, _OWN_ASPECTS)) or None
    return pa.array(out, pa.string())


def _types(kg: str, classes: Any) -> Any:
    encoded = classes.dictionary_encode()
    iris = [f"<{triples.class_iri(kg, key)}>" for key in encoded.dictionary.to_pylist()]
    return pa.array(iris, pa.string()).take(encoded.indices)


def _join(subject: Any, predicate: Any, term: Any) -> Any:
    return pc.binary_join_element_wise(subject, predicate, term, ".", " ")


def _text(*parts: Any) -> Any:
    return pc.binary_join_element_wise(*parts, "")


def _iri(values: Any) -> Any:
    return _text("<", values, ">")


def _predicate(iri: str) -> pa.Scalar:
    return pa.scalar(f"<{iri}>")
