"""The benchmark's tables: questions and the facts (RDF triples) that prove them.

A benchmark is a folder:

    DIR/
      questions.parquet   one row a question
      questions.jsonl     the same rows
      facts.parquet       fact_id -> one N-Triples line; questions name their facts by id
      build.json          seed, snapshots, matrix, discards by cause, verified share, score of the majority answers,
                          licences
"""

from __future__ import annotations

from typing import Final

import pyarrow as pa

QUESTION_SCHEMA: Final = pa.schema(
    [
        pa.field(
            "id", pa.string(), nullable=False
        ),  # 16 hex digits: snapshot, sub-template, entities, parameters
        pa.field("kg", pa.string(), nullable=False),
        pa.field("snapshot_id", pa.string(), nullable=False),
        pa.field("family", pa.string(), nullable=False),  # A..N
        pa.field("template", pa.string(), nullable=False),  # A01
        pa.field("subtemplate", pa.string(), nullable=False),  # A01.a
        pa.field("paraphrase", pa.string(), nullable=False),  # A01.a.1
        pa.field("language", pa.string(), nullable=False),  # ISO 639-3
        pa.field("question", pa.string(), nullable=False),
        pa.field("question_en", pa.string(), nullable=False),
        pa.field("scale_hint", pa.string()),
        pa.field("format", pa.string(), nullable=False),  # see docs/contracts.md, Answers
        pa.field("unit", pa.string()),
        pa.field("gold", pa.string()),  # canonical answer as JSON; null where the premise fails
        pa.field("accepted", pa.list_(pa.string()), nullable=False),  # further accepted answers, JSON each
        pa.field("accepted_iris", pa.list_(pa.string()), nullable=False),  # entities of gold and accepted
        pa.field("roles", pa.string(), nullable=False),  # JSON: role -> {"iri": .., "name": ..}
        pa.field("params", pa.string(), nullable=False),  # JSON
        pa.field("entities", pa.list_(pa.string()), nullable=False),  # IRIs of all roles and members
        pa.field("country", pa.string()),
        pa.field("continent", pa.string()),
        pa.field("subregion", pa.string()),
        pa.field("income", pa.string()),
        pa.field("density", pa.string()),
        pa.field("lon", pa.float64()),  # reference point of the tuple, for maps
        pa.field("lat", pa.float64()),
        pa.field("source", pa.string(), nullable=False),  # template | translated | localized
        pa.field("question_type", pa.string(), nullable=False),  # boolean, numeric, ... (the format's group)
        pa.field("depth", pa.string(), nullable=False),  # fact | relation | compound
        pa.field("premise", pa.bool_(), nullable=False),
        pa.field("premise_failure", pa.string()),
        pa.field(
            "derived_from", pa.string()
        ),  # id of the true text question behind a false premise or a picture
        pa.field("modality", pa.string(), nullable=False),  # text | image
        pa.field("image", pa.string()),
        pa.field("fact_ids", pa.list_(pa.int32()), nullable=False),
        pa.field("slips", pa.string(), nullable=False),  # JSON: slip name -> wrong answer it gives
        pa.field("query", pa.string(), nullable=False),  # sub-template file and its SHA-256
    ]
)

FACT_SCHEMA: Final = pa.schema(
    [pa.field("fact_id", pa.int32(), nullable=False), pa.field("triple", pa.string(), nullable=False)]
)
