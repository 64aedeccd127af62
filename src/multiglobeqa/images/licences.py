"""Licences of pictures: which allow redistribution, and what Wikimedia Commons says of a file."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, Final

from multiglobeqa.errors import InputError
from multiglobeqa.images.stated import commons_name
from multiglobeqa.images.web import Web

API: Final = "https://commons.wikimedia.org/w/api.php"
BATCH: Final = 50
"""Most titles that a query takes at once."""

_PORT: Final = r"[ -]\d(\.\d)?([ -](?!nc|nd|sa)[a-z]{2,3})?"
"""A version and a country's form of it, as in "2.0 de"."""

ACCEPTED: Final = {
    "CC0": re.compile(r"cc[ -]?(0|zero)([ -]1\.0)?|creative commons zero.*"),
    "PD": re.compile(r"pd|pd-.*|cc-pd|public domain( mark( 1\.0)?)?|pdm([ -]1\.0)?"),
    "CC BY": re.compile(rf"cc[ -]by({_PORT})?"),
    "CC BY-SA": re.compile(rf"cc[ -]by-sa({_PORT}|[ -]\d\.\d(,\d\.\d)+)?|cc[ -]sa[ -]1\.0"),
    "FAL": re.compile(r"fal([ -]1\.\d)?|free art licen[cs]e([ -]1\.\d)?|licence art libre"),
    "OGL": re.compile(r"ogl([ -]?v?\d(\.\d)?)?|open government licen[cs]e( v?\d(\.\d)?)?"),
    "Attribution": re.compile(r"attribution"),
}
"""Licence families that allow redistribution, also of changed copies and for gain; by short names, lower case."""

WITHOUT_AUTHOR: Final = ("CC0", "PD")
"""Families that ask for no author."""

_URLS: Final = {
    "CC0": re.compile(r"creativecommons\.org/publicdomain/zero/"),
    "PD": re.compile(r"creativecommons\.org/publicdomain/mark/"),
    "CC BY": re.compile(r"creativecommons\.org/licenses/by/"),
    "CC BY-SA": re.compile(r"creativecommons\.org/licenses/by-sa/"),
}

_VOID: Final = ("br", "hr", "img", "input", "link", "meta", "wbr")
_PARTING: Final = ("br", "dd", "div", "dl", "dt", "hr", "li", "ol", "p", "table", "td", "th", "tr", "ul")


@dataclass(frozen=True)
class Rights:
    """Who made a picture and what may be done with it; empty where not stated. ``page``: where that is stated."""

    author: str = ""
    licence: str = ""
    licence_url: str = ""
    credit: str = ""
    restrictions: str = ""
    page: str = ""

    @property
    def family(self) -> str | None:
        """The accepted family of the licence, or None. A stated address of another licence overrules the name."""
        name = " ".join(self.licence.casefold().split())
        for family, pattern in ACCEPTED.items():
            if pattern.fullmatch(name):
                address = self.licence_url.casefold()
                foreign = "creativecommons.org/licenses/" in address and family in _URLS
                return family if not foreign or _URLS[family].search(address) else None
        return None

    @property
    def fault(self) -> str | None:
        """Why the picture must not be redistributed: no_licence, licence_not_accepted, no_author; or None."""
        if not self.licence:
            return "no_licence"
        if self.family is None:
            return "licence_not_accepted"
        if self.family not in WITHOUT_AUTHOR and not self.author:
            return "no_author"
        return None

    def columns(self) -> dict[str, str | None]:
        """The manifest's columns."""
        return {**asdict(self), "licence_family": self.family}


def of_commons(names: list[str], web: Web, *, api: str = API) -> dict[str, Rights | None]:
    """File name -> its rights by the Commons API (imageinfo, extmetadata); None where Commons has no such file.

    ``names`` without ``File:``, up to 50. Files that were moved are found under their new name.
    """
    answer = web.api(
        api,
        {
            "action": "query",
            "titles": "|".join(f"File:{name}" for name in names),
            "prop": "imageinfo",
            "iiprop": "url|extmetadata",
            "iiextmetadatalanguage": "en",
            "redirects": "1",
        },
    )
    query = answer.get("query")
    query = query if isinstance(query, dict) else {}
    moved = {
        str(step["from"]): str(step["to"])
        for kind in ("normalized", "redirects")
        for step in query.get(kind) or ()
    }
    pages = {str(page.get("title")): page for page in query.get("pages") or ()}
    return {name: _rights(pages.get(_title(f"File:{name}", moved))) for name in names}


def _title(title: str, moved: Mapping[str, str]) -> str:
    for _ in range(10):
        if title not in moved:
            break
        title = moved[title]
    return title


def _rights(page: Any) -> Rights | None:
    infos = page.get("imageinfo") if isinstance(page, dict) else None
    if not infos:
        return None
    stated = infos[0].get("extmetadata") or {}

    def text(key: str) -> str:
        value = stated.get(key)
        return plain(str(value.get("value", ""))) if isinstance(value, dict) else ""

    licence = text("LicenseShortName") or text("License") or text("UsageTerms")
    if text("NonFree").casefold() in ("true", "1", "yes"):
        licence = f"non-free: {licence}"
    return Rights(
        author=text("Attribution") or text("Artist"),
        licence=licence,
        licence_url=text("LicenseUrl"),
        credit=text("Credit"),
        restrictions=text("Restrictions"),
        page=str(infos[0].get("descriptionurl") or ""),
    )


def of_file(path: str | Path) -> dict[str, Rights]:
    """Rights that the user states for pictures by address: a CSV file with the columns url, author, licence,
    licence_url and, if wanted, credit. Raises InputError naming the line.
    """
    source = Path(path)
    try:
        with source.open(encoding="utf-8-sig", newline="") as stream:
            return _read(csv.DictReader(stream), source)
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"cannot be read as CSV: {error}.", source=source) from error


def _read(rows: csv.DictReader[str], source: Path) -> dict[str, Rights]:
    needed = ("url", "author", "licence", "licence_url")
    if missing := [column for column in needed if column not in (rows.fieldnames or ())]:
        raise InputError(f"lacks the columns {', '.join(missing)}.", source=source, place=1)
    found: dict[str, Rights] = {}
    for row in rows:
        url, licence = (row["url"] or "").strip(), (row["licence"] or "").strip()
        if commons_name(url) or not url.startswith(("http://", "https://")):
            raise InputError(
                f"states rights for {url!r}, which is no web address outside Commons.",
                source=source,
                place=rows.line_num,
            )
        found[url] = Rights(
            author=(row["author"] or "").strip(),
            licence=licence,
            licence_url=(row["licence_url"] or "").strip(),
            credit=(row.get("credit") or "").strip(),
            page=url,
        )
    return found


class _Text(HTMLParser):
    """Collects the text of HTML outside hidden elements."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self.hidden = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.parts.append(" " if tag in _PARTING else "")
        if tag in _VOID:
            return
        style = (dict(attrs).get("style") or "").replace(" ", "")
        if self.hidden or tag in ("style", "script") or "display:none" in style:
            self.hidden += 1

    def handle_endtag(self, tag: str) -> None:
        self.parts.append(" " if tag in _PARTING else "")
        if tag not in _VOID:
            self.hidden = max(0, self.hidden - 1)

    def handle_data(self, data: str) -> None:
        if not self.hidden:
            self.parts.append(data)


def plain(html: str) -> str:
    """The text of a piece of HTML, spaces folded; hidden elements are left out."""
    parser = _Text()
    parser.feed(html)
    parser.close()
    return " ".join("".join(parser.parts).split())
