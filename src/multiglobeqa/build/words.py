"""Names as words: folded for comparison, with an article in a sentence, of events, and names that are common words."""

from __future__ import annotations

import re
import unicodedata

STORMS = ("storm", "storm_footprint")
YEAR = re.compile(r"(?<!\d)(1[89]|20)\d\d(?!\d)")
_DISTANCE = re.compile(r"\d\s*(km|mi|miles?)\b", re.IGNORECASE)


def folded(name: str) -> str:
    """A name for comparison: compatibility forms, case and runs of space folded away."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


_WITH_ARTICLE = re.compile(
    r"^(border between |Bahamas|Comoros|Gambia|Maldives|Netherlands|Philippines|Seychelles|United |Vatican$|Isle of )"
    r"|(Republic|Islands|Territory|Territories|Emirates|Federation|Kingdom|States|Lands)( \(|$)"
    r"|^(Democratic |People's |Federated |Republic of )"
)


def event_name(class_: str, name: str, iri: str, year: int | None) -> str:
    """The name of an event: storms carry the year in which they began, earthquakes whose label tells a distance
    ("12 km SSW of Vaduz") are called by the event id that ends their IRI."""
    if class_ in STORMS and year is not None and not YEAR.search(name):
        return f"{name} ({year})"
    if class_ == "earthquake" and _DISTANCE.search(name):
        return f"Earthquake {re.split(r'[./#]', iri)[-1]}"
    return name


def in_sentence(name: str) -> str:
    """A name as it stands inside an English sentence: with the article where its kind takes one."""
    return f"the {name}" if _WITH_ARTICLE.search(name) else name


BARE = re.compile(
    r"(the )?(north|south|east|west|cent(re|er)|central|coast|littoral|capital|plateau|mountain|lakes?|northern|"
    r"southern|eastern|western|islands?|region|province|state|middle|upper|lower)"
    r"(([- ]| and )?(north|south|east|west|northern|southern|eastern|western|central|coast|river|islands?|region|"
    r"province|state))*"
)
"""Names of regions that are common words: many countries have an East."""
