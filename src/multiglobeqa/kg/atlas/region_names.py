"""Names of first-level units where Natural Earth's admin-1 layer has them wrong.

Two faults. In some countries names stand on a neighbour's surface (Eritrea, Guyana, Napo and Tungurahua in Ecuador).
Elsewhere the English column has the name of something else: the city, the region above, a neighbour, a hill; or it is
out of date. ``CORRECTED`` names those units by hand. Each was checked against the GeoNames places that lie inside the
unit: their stated first-level division, or the unit named by ``gn_name``, is the name given here.

Where units of one country still bear one English name (twenty-one Latvian ones "Valmiera", four Malagasy ones
"Antananarivo"), it stays with those whose own name it is; the others bear their own.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

CORRECTED: Final[dict[str, str]] = {
    "AFG-1753": "Daykundi",  # a second Uruzgan
    "AFG-1769": "Panjshir",  # a second Parwan
    "AZE-1735": "Lachin",  # Lankaran, at the other end of the country
    "BIH-2224": "Canton 10",  # Livno, its seat
    "ECU-1289": "Tungurahua",
    "ECU-1290": "Napo",
    "ERI-1561": "Maekel",
    "ERI-1562": "Northern Red Sea",
    "ERI-1563": "Anseba",
    "ERI-1564": "Debub",
    "GBR-2108": "Wirral",  # Halton, across the Mersey
    "GUY-671": "East Berbice-Corentyne",
    "GUY-673": "Upper Demerara-Berbice",
    "GUY-674": "Upper Takutu-Upper Essequibo",
    "GUY-676": "Cuyuni-Mazaruni",
    "GUY-677": "Demerara-Mahaica",
    "GUY-678": "Essequibo Islands-West Demerara",
    "GUY-679": "Mahaica-Berbice",
    "GUY-680": "Pomeroon-Supenaam",
    "HKG-5155": "Eastern",  # Siu Ma Shan, a hill
    "HKG-5170": "Islands",  # Lantau Island, the largest of them
    "HRV-1588": "Zagreb County",  # the city's name
    "ITA-5367": "Genoa",  # Liguria, the region of four provinces
    "KAZ-4830": "Astana",  # Nur-Sultan, 2019 to 2022
    "MLI-2794": "Sikasso",  # Wassoulou, a historical region
    "MWI-1194": "Karonga",  # a second Chitipa
    "PAN-1958": "Bocas del Toro",  # Ngäbe-Buglé, its neighbour
    "RUS-2364": "Moscow Oblast",  # the city's name
    "RUS-2399": "Altai Krai",  # Altai Republic, its neighbour
    "RUS-2400": "Altai Republic",
    "SDN-5858": "West Darfur",  # West Soudan
    "SVN-213": "Podčetrtek",
    "SVN-255": "Bistrica ob Sotli",
    "TJK-369": "Sughd",  # Khujand, its seat
    "UGA-3371": "Kiruhura",  # a second Mbarara
    "UKR-321": "Kyiv Oblast",  # the city's name
    "VNM-451": "Bắc Kạn",  # Northeast Vietnam, a region
    "VNM-461": "Hưng Yên",  # Red River Delta, a region
    "VNM-497": "Đồng Nai",  # Đông Nam Bộ, a region
}
"""Code of the admin-1 layer (``adm1_code``) -> English name."""


def replaced(rows: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """The units whose English name in the layer is not theirs: ``adm1_code`` -> their name.

    ``rows`` are the layer's properties (``adm1_code``, ``name``, ``name_en``) with ``iso3``, the unit's country.
    """
    out = {row["adm1_code"]: CORRECTED[row["adm1_code"]] for row in rows if row["adm1_code"] in CORRECTED}
    english = [_letters(out.get(row["adm1_code"]) or row.get("name_en")) for row in rows]
    bearers = Counter((row["iso3"], name) for row, name in zip(rows, english, strict=True) if name)
    for row, name in zip(rows, english, strict=True):
        own = row.get("name")
        if (
            row["adm1_code"] not in CORRECTED
            and own
            and bearers[row["iso3"], name] > 1
            and _letters(own) != name
        ):
            out[row["adm1_code"]] = str(own)
    return out


def _letters(name: Any) -> str:
    """Letters and digits only, without case and marks."""
    text = unicodedata.normalize("NFKD", str(name or "")).casefold()
    return "".join(c for c in text if c.isalnum())
