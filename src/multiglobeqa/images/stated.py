"""The picture an entity states, in OSM's tags or WorldKG's properties.

A picture is named by its source: ``commons`` (a file of Wikimedia Commons), ``wikidata`` (an item, whose picture is
the value of its property P18) or ``url`` (a web address).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from multiglobeqa.errors import InputError

ITEM: Final = re.compile(r"Q[1-9]\d*")
"""An item of Wikidata."""

OWN_IRIS: Final = (
    "https://www.openstreetmap.org/",
    "http://www.openstreetmap.org/",
    "http://www.worldkg.org/resource/",
)
"""IRIs of OSM's and WorldKG's own entities begin so; supplements and KnowWhereGraph state no pictures."""


def image_of(
    iri: str, image: str | None, attributes: str | Mapping[str, Any] | None
) -> dict[str, str] | None:
    """The picture an entity states: ``{"iri", "source": "commons" | "wikidata" | "url", "name"}``, or None.

    Parameters
    ----------
    iri : the entity; only OSM's and WorldKG's own IRIs have pictures (their supplements and KnowWhereGraph none).
    image : the entity's column ``image``, a web address.
    attributes : its attributes, decoded or as JSON text; keys as in OSM or in WorldKG's camelCase.

    A file of Commons (``File:NAME`` or its address) goes before the entity's own Wikidata item, and that before a
    web address, whose author and licence nobody states. ``name`` is the file name with spaces, the item (Q-id) or
    the address. Commons categories, and items of the brand, operator or architect, are no pictures of the entity.
    """
    if not iri.startswith(OWN_IRIS):
        return None
    stated = _decoded(iri, attributes)
    texts = [stated.get("wikimedia_commons"), stated.get("wikimediaCommons"), stated.get("image"), image]
    values = [part.strip() for text in texts if isinstance(text, str) for part in text.split(";")]
    for value in values:
        if name := commons_name(value):
            return {"iri": iri, "source": "commons", "name": name}
    items = [part.strip() for part in str(stated.get("wikidata") or "").split(";")]
    if len(items) == 1 and ITEM.fullmatch(items[0]):
        return {"iri": iri, "source": "wikidata", "name": items[0]}
    for value in values:
        if value.startswith(("http://", "https://")) and " " not in value and urlsplit(value).hostname:
            return {"iri": iri, "source": "url", "name": value}
    return None


def commons_name(text: str) -> str | None:
    """The file name of a picture on Wikimedia Commons, with spaces and without ``File:``; None for another text.

    Reads ``File:NAME``, ``Image:NAME``, and the addresses of the file's page, of Special:FilePath, of the original
    and of its thumbnails.
    """
    if text.startswith(("File:", "Image:", "file:", "image:")):
        return _file_name(text.partition(":")[2])
    if not text.startswith(("http://", "https://")):
        return None
    try:
        address = urlsplit(text)
    except ValueError:
        return None
    path = unquote(address.path)
    if address.hostname in ("commons.wikimedia.org", "commons.m.wikimedia.org"):
        if match := re.fullmatch(
            r"/wiki/(?:File:|Image:|Special:Fil(?:e[Pp]ath|epath)/(?:File:)?)(.+)", path
        ):
            return _file_name(match[1])
        if match := re.match(r"/media/File:(.+)", unquote(address.fragment)):
            return _file_name(match[1])
    if address.hostname == "upload.wikimedia.org":
        if match := re.fullmatch(r"/wikipedia/commons/thumb/\w/\w\w/([^/]+)/[^/]+", path):
            return _file_name(match[1])
        if match := re.fullmatch(r"/wikipedia/commons/\w/\w\w/([^/]+)", path):
            return _file_name(match[1])
    return None


def _decoded(iri: str, attributes: str | Mapping[str, Any] | None) -> Mapping[str, Any]:
    if attributes is None or isinstance(attributes, Mapping):
        return attributes or {}
    try:
        decoded = json.loads(attributes or "{}")
    except ValueError as error:
        raise InputError(f"attributes are not JSON: {error}.", place=iri) from error
    if not isinstance(decoded, dict):
        raise InputError("attributes are not a JSON object.", place=iri)
    return decoded


def _file_name(text: str) -> str | None:
    name = " ".join(text.replace("_", " ").split())
    if not name or any(c in name for c in "#<>[]|{}") or "." not in name:
        return None
    return name[0].upper() + name[1:]
