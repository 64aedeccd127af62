"""Names in RDF: which property is a name or an alias in which language."""

from __future__ import annotations

import re
from typing import Final

from multiglobeqa.kg.atlas.languages import ISO_639_3

UNDETERMINED: Final = "und"
_ALIASES: Final = {"altName", "oldName", "intName", "officialName", "shortName"}
_NAME_PROPERTY = re.compile(r"(name|altName|oldName|intName|officialName|shortName)(?:([A-Z][a-z]{1,2})(-[A-Za-z]+)?)?")
_KNOWN: Final = set(ISO_639_3.values())


def language(tag: str) -> str | None:
    """ISO 639-3 code of a BCP 47 tag, or None: ``de`` and ``de-AT`` give ``deu``."""
    primary = tag.lower().split("-")[0]
    if primary in ISO_639_3:
        return ISO_639_3[primary]
    return primary if primary in _KNOWN else None


def name_property(local: str) -> tuple[str, str] | None:
    """(kind, language) of a WorldKG property by local name, or None where it is no name.

    ``name`` gives (name, und), ``nameDe`` (name, deu), ``altNameFr`` (alias, fra). A name in another script
    (``nameZh-Hant``) is an alias of its language. ``nameLeft``, ``nameEtymology`` are no names.
    """
    match = _NAME_PROPERTY.fullmatch(local)
    if match is None:
        return None
    base, tag, script = match.groups()
    kind = "alias" if base in _ALIASES or script else "name"
    if tag is None:
        return kind, UNDETERMINED
    code = language(tag)
    return None if code is None else (kind, code)
