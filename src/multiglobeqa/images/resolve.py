"""From Wikidata items to the names of their pictures on Wikimedia Commons (property P18).

The answers stand in ``DIR/images/resolved.jsonl``: entity IRI, item, file name or null, and when it was asked. An
item that was asked is not asked again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from multiglobeqa.images.ledger import Ledger
from multiglobeqa.images.stated import ITEM, commons_name
from multiglobeqa.images.wanted import FOLDER, Wanted
from multiglobeqa.images.web import Web

API: Final = "https://www.wikidata.org/w/api.php"
BATCH: Final = 50
"""Most ids that wbgetentities takes at once."""

_RANKS: Final = ("preferred", "normal")


@dataclass(frozen=True)
class Resolved:
    """What `resolve` did: ``items`` wanted, ``asked`` now, ``with_picture`` and ``without`` of all wanted."""

    items: int
    asked: int
    with_picture: int
    without: int


def table(directory: str | Path) -> Ledger:
    """The table of resolved items of a benchmark folder."""
    return Ledger(Path(directory) / FOLDER / "resolved.jsonl")


def names(directory: str | Path) -> dict[str, str | None]:
    """Item -> name of its picture on Commons; None where Wikidata has none."""
    return {str(row["item"]): row["file"] for row in table(directory).rows()}


def resolve(
    directory: str | Path,
    wanted: Iterable[Wanted],
    web: Web,
    *,
    api: str = API,
    again: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Resolved:
    """Ask Wikidata for the pictures of all wanted items that are not in the table, 50 at a time.

    ``again``: ask also for items without a picture so far. Raises WebError where the API stays silent or refuses;
    what was answered before stays.
    """
    entities: dict[str, list[str]] = {}
    for picture in sorted(set(wanted)):
        if picture.source == "wikidata" and ITEM.fullmatch(picture.name):
            entities.setdefault(picture.name, []).append(picture.iri)
    ledger = table(directory)
    rows = list(ledger.rows())
    known = {str(row["item"]): row["file"] for row in rows}
    listed = {(row["iri"], row["item"]) for row in rows}
    missing = [item for item in entities if item not in known or (again and known[item] is None)]
    asked = set(missing)
    for item in entities.keys() - asked:
        for iri in entities[item]:
            if (iri, item) not in listed:
                ledger.append(_row(iri, item, known[item]))
    for start in range(0, len(missing), BATCH):
        batch = missing[start : start + BATCH]
        for item, name in ask(batch, web, api).items():
            known[item] = name
            for iri in entities[item]:
                ledger.append(_row(iri, item, name))
        if progress is not None:
            progress(start + len(batch), len(missing))
    found = sum(known[item] is not None for item in entities)
    return Resolved(len(entities), len(missing), found, len(entities) - found)


def ask(items: list[str], web: Web, api: str) -> dict[str, str | None]:
    """Item -> file name of its picture, for up to 50 items. An item that another one has replaced is answered by
    that one; deleted items have no picture.
    """
    answer = web.api(api, {"action": "wbgetentities", "ids": "|".join(items), "props": "claims"})
    entities = answer.get("entities")
    entities = entities if isinstance(entities, dict) else {}
    found: dict[str, str | None] = {}
    for item in items:
        entity = entities.get(item) or _redirected(item, entities)
        if entity is not None:
            found[item] = _picture(entity)
        elif len(items) == 1:
            found[item] = _picture(next(iter(entities.values()))) if len(entities) == 1 else None
    for item in items:
        if item not in found:
            found |= ask([item], web, api)
    return found


def _redirected(item: str, entities: Mapping[str, Any]) -> Any:
    for entity in entities.values():
        redirects = entity.get("redirects") if isinstance(entity, dict) else None
        if isinstance(redirects, dict) and redirects.get("from") == item:
            return entity
    return None


def _picture(entity: Any) -> str | None:
    """The first preferred value of P18, else the first normal one; deprecated values never count."""
    claims = entity.get("claims") if isinstance(entity, dict) else None
    statements = claims.get("P18") if isinstance(claims, dict) else None
    for rank in _RANKS:
        for statement in statements or ():
            snak = statement.get("mainsnak") or {}
            value = (snak.get("datavalue") or {}).get("value")
            if statement.get("rank") == rank and snak.get("snaktype") == "value" and isinstance(value, str):
                return commons_name(f"File:{value}")
    return None


def _row(iri: str, item: str, name: str | None) -> dict[str, Any]:
    moment = datetime.now(UTC).isoformat(timespec="seconds")
    return {"iri": iri, "item": item, "file": name, "asked": moment}
