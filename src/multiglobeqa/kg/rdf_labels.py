"""Names in RDF: which property is a name or an alias, and in which language."""

from __future__ import annotations

import csv
import re
from functools import cache

from multiglobeqa.kg.osm.languages import PLAIN, TABLE, parse_suffix

ALIASES = frozenset({"altName", "oldName", "intName", "officialName", "shortName"})
_PROPERTY = re.compile(
    r"(name|altName|oldName|intName|officialName|shortName)([A-Z][a-z]{1,2}(?:-[A-Za-z]+)?)?"
)

NAME, LABEL, SCRIPT, ALIAS, ATTRIBUTE = range(5)
"""Ranks of what a triple says of an entity: a name property, a plain label, a name in another script, an
alias, a fact.

Of each language the first text by rank, then by property, then by text is the name; all others are aliases.
"""


def language(tag: str | None) -> tuple[int, str] | None:
    """(rank, ISO 639-3) of a label with a BCP 47 tag (None = plain, ``und``); None where no code is known."""
    if tag is None or tag == "":
        return LABEL, PLAIN
    primary, _, rest = tag.lower().partition("-")
    suffix = parse_suffix(primary)
    if suffix is None or rest.startswith("latn"):
        return None
    return (SCRIPT if len(rest.split("-")[0]) == 4 else LABEL), suffix.code


def name_property(local: str) -> tuple[int, str] | None:
    """(rank, ISO 639-3) of a WorldKG property by local name, or None where it is no name.

    ``name`` gives (LABEL, und), ``nameDe`` (NAME, deu), ``altNameFr`` (ALIAS, fra), ``nameZh-Hant`` (SCRIPT,
    zho); ``nameLeft``, ``nameEtymology`` and transcriptions (``nameJa-Latn``) give None.
    """
    match = _PROPERTY.fullmatch(local)
    if match is None:
        return None
    base, tag = match.groups()
    if tag is None:
        return (ALIAS if base in ALIASES else LABEL), PLAIN
    suffix = parse_suffix(tag[0].lower() + tag[1:])
    if suffix is None:
        return None
    return (ALIAS if base in ALIASES else SCRIPT if suffix.subtag else NAME), suffix.code


@cache
def _two_letters() -> dict[str, str]:
    with TABLE.open(encoding="ascii", newline="") as stream:
        return {row["alpha3"]: row["alpha2"] for row in csv.DictReader(stream) if row["alpha2"]}


def tag(code: str) -> str:
    """The BCP 47 tag of an ISO 639-3 code: the two-letter code where there is one; empty for ``und``."""
    return "" if code == PLAIN else _two_letters().get(code, code)
