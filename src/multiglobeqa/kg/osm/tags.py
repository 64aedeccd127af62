"""What an OSM object's tags say: its names, labels in languages, attributes and picture."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import quote

from multiglobeqa.kg.osm.languages import PLAIN, parse_suffix

Label = tuple[str, str, str]
"""Language (ISO 639-3), text, kind (name | alias)."""

NAME_KEYS: Final = ("name", "name:en")
"""An object with neither is unnamed."""
ALIAS_KEYS: Final = ("alt_name", "int_name", "official_name", "old_name", "short_name")
OUT_OF_USE: Final = ("abandoned", "demolished", "disused", "razed", "removed")
"""Keys whose value ``yes`` says that the object is no longer what its other tags say."""

_NO_ATTRIBUTE = re.compile(
    r"(.*_)?name(_\d+)?(:.*)?|note(:.*)?|fixme(:.*)?|FIXME|source([:_].*)?|created_by|attribution|import(:.*)?"
    r"|tiger:.*|osak:.*|gnis:.*|NHD:.*|KSJ2:.*|mvdgis:.*|todo|comment|description(:.*)?|history|is_in(:.*)?"
)
_SPACE = re.compile(r"[\s\u0000-\u001f\u007f\u200e\u200f\u202a-\u202e\ufeff]+")


def clean(text: str) -> str:
    """Unicode NFC, no control or direction marks, single spaces."""
    return _SPACE.sub(" ", unicodedata.normalize("NFC", text)).strip()


def names(value: str) -> list[str]:
    """The names in a tag value: a list is separated by semicolons."""
    return [name for name in (clean(part) for part in value.split(";")) if name]


def display_name(tags: Mapping[str, str]) -> str | None:
    """English name, else the plain name; None if the object has neither."""
    for key in ("name:en", "name"):
        found = names(tags.get(key, ""))
        if found:
            return found[0]
    return None


def plain_name(tags: Mapping[str, str]) -> str | None:
    """Plain name, else the English one: what the ways of one street share, translated or not."""
    for key in ("name", "name:en"):
        found = names(tags.get(key, ""))
        if found:
            return found[0]
    return None


def out_of_use(tags: Mapping[str, str]) -> bool:
    """Whether a tag such as ``disused=yes`` says that the object is out of use."""
    return any(tags.get(key) == "yes" for key in OUT_OF_USE)


def labels(tags: Mapping[str, str]) -> list[Label]:
    """Names and aliases in every language that has an ISO 639-3 code, each text once for a language.

    ``name`` is the plain label (language ``und``); ``name:xx`` names, further values of a list and the alias
    keys (also as ``alt_name:xx``) aliases. A script or region form (``name:zh-Hant``) is the language's name
    where the plain form is absent and an alias otherwise; the first in alphabetical order stands.
    """
    found: dict[tuple[str, str], str] = {}
    named: set[str] = set()

    def add(language: str, values: list[str], *, as_name: bool) -> None:
        for position, text in enumerate(values):
            kind = "name" if as_name and position == 0 and language not in named else "alias"
            if kind == "name":
                named.add(language)
                found[(language, text)] = kind
            else:
                found.setdefault((language, text), kind)

    add(PLAIN, names(tags.get("name", "")), as_name=True)
    ordered = sorted(tags)
    for with_subtag in (False, True):
        for key in ordered:
            if key.startswith("name:"):
                suffix = parse_suffix(key[5:])
                if suffix is not None and bool(suffix.subtag) == with_subtag:
                    add(suffix.code, names(tags[key]), as_name=True)
    for key in ordered:
        base, _, language = key.partition(":")
        if base in ALIAS_KEYS:
            suffix = parse_suffix(language) if language else None
            if suffix is not None or not language:
                add(suffix.code if suffix else PLAIN, names(tags[key]), as_name=False)
    return [(language, text, kind) for (language, text), kind in found.items()]


def attributes(tags: Mapping[str, str], **own: Any) -> str:
    """JSON object of the tags that are no names or mappers' notes; ``own`` adds members of the importer."""
    kept: dict[str, Any] = {key: value for key, value in tags.items() if not _NO_ATTRIBUTE.fullmatch(key)}
    kept.update({key: value for key, value in own.items() if value is not None})
    return json.dumps(kept, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def image(tags: Mapping[str, str]) -> str | None:
    """Address of a picture: a ``File:`` of Wikimedia Commons by its redirect, else a web address."""
    for key in ("wikimedia_commons", "image"):
        for value in tags.get(key, "").split(";"):
            text = clean(value)
            if text.startswith(("File:", "Image:")):
                title = text.partition(":")[2].strip().replace(" ", "_")
                return f"https://commons.wikimedia.org/wiki/Special:FilePath/{quote(title)}"
            if key == "image" and text.startswith(("https://", "http://")):
                return text
    return None


def admin_level(tags: Mapping[str, str]) -> int | None:
    """``admin_level`` as a number from 0 to 12, or None."""
    text = tags.get("admin_level", "").strip()
    return int(text) if text.isascii() and text.isdigit() and int(text) <= 12 else None


def country(tags: Mapping[str, str]) -> str | None:
    """ISO 3166-1 alpha-3 where the object states it."""
    text = tags.get("ISO3166-1:alpha3", "").strip()
    return text if re.fullmatch(r"[A-Z]{3}", text) else None
