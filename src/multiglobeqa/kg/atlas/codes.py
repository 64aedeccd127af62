"""Country codes: one ISO 3166-1 alpha-3 code (or XKX) for each unit of Natural Earth, by stated rules.

Rule 1: ISO_A3; where it is -99, ISO_A3_EH; where that is -99, ADM0_A3.
Rule 2: codes of Natural Earth's own are renamed: SDS SSD, PSX PSE, KOS XKX, SAH ESH, ALD ALA (and the World
Bank's KSV XKX).
Rule 3: SOL, CYN and CNM belong, as ISO 3166 and the World Bank see it, to SOM, CYP and CYP.
Rule 4: units that still have no ISO code have none: their ground lies in no country.
Rule 5: ISO 3166-2 lists Crimea and Sevastopol (UA-43, UA-40) under Ukraine; Natural Earth's default map
draws them with Russia. The ISO view is taken.
Rule 6: the World Bank's CHI stands for Jersey and Guernsey.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

NONE: Final = "-99"
RENAMED: Final[Mapping[str, str]] = {
    "SDS": "SSD",
    "PSX": "PSE",
    "KOS": "XKX",
    "KSV": "XKX",
    "SAH": "ESH",
    "ALD": "ALA",
}
ISO_VIEW: Final[Mapping[str, str]] = {"SOL": "SOM", "CYN": "CYP", "CNM": "CYP"}
WITHOUT_CODE: Final = frozenset({"ESB", "WSB", "USG", "KAS", "SPI", "BRT", "PGA", "BJN", "SER", "SCR"})
"""Natural Earth units that ISO 3166 does not know: bases, leases, glaciers, reefs, no man's land."""
UKRAINE_BY_ISO: Final = frozenset({"UA-43", "UA-40"})
CONTESTED: Final = frozenset(
    [
        "CHN",
        "CYP",
        "EGY",
        "ESH",
        "GEO",
        "IND",
        "ISR",
        "MAR",
        "MDA",
        "PAK",
        "PSE",
        "RUS",
        "SDN",
        "SOM",
        "SRB",
        "SSD",
        "UKR",
        "XKX",
    ]
)
"""Countries whose outline differs by more than a strip between the points of view that Natural Earth draws:
size, shape and extent of these have no single answer."""
SPLIT: Final[Mapping[str, tuple[str, ...]]] = {"CHI": ("JEY", "GGY")}
"""Codes of the World Bank that stand for several ISO codes."""


def reconcile(iso_a3: str, iso_a3_eh: str, adm0_a3: str) -> str | None:
    """The ISO alpha-3 code of a Natural Earth unit by rules 1 to 4, or None.

    >>> reconcile("-99", "NOR", "NOR"), reconcile("-99", "-99", "KOS"), reconcile("-99", "-99", "PGA")
    ('NOR', 'XKX', None)
    """
    code = next((c for c in (iso_a3, iso_a3_eh, adm0_a3) if c and c != NONE), None)
    if code is None or code in WITHOUT_CODE:
        return None
    code = RENAMED.get(code, code)
    return ISO_VIEW.get(code, code)


def expand(code: str) -> tuple[str, ...]:
    """The ISO codes a statistical code stands for.

    >>> expand("CHI"), expand("KSV"), expand("FRA")
    (('JEY', 'GGY'), ('XKX',), ('FRA',))
    """
    return SPLIT.get(code, (RENAMED.get(code, code),))
