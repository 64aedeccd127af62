"""Names of first-level units that Natural Earth's admin-1 layer has wrong and that no rule finds.

The English column of these units is the name of something else: the city in it, the region above it, a neighbour, a
hill; or it is out of date. Each was checked against the GeoNames places that lie inside the unit: their stated
first-level division, or the unit named by ``gn_name``, is the name given here.
"""

from __future__ import annotations

from typing import Final

CORRECTED: Final[dict[str, str]] = {
    "BIH-2224": "Canton 10",  # Livno, its seat
    "GBR-2108": "Wirral",  # Halton, across the Mersey
    "HKG-5155": "Eastern",  # Siu Ma Shan, a hill
    "HKG-5170": "Islands",  # Lantau Island, the largest of them
    "ITA-5367": "Genoa",  # Liguria, the region of four provinces
    "KAZ-4830": "Astana",  # Nur-Sultan, 2019 to 2022
    "MLI-2794": "Sikasso",  # Wassoulou, a historical region
    "PAN-1958": "Bocas del Toro",  # Ngäbe-Buglé, its neighbour
    "SDN-5858": "West Darfur",  # West Soudan
    "TJK-369": "Sughd",  # Khujand, its seat
    "UKR-321": "Kyiv Oblast",  # the city's name
    "VNM-451": "Bắc Kạn",  # Northeast Vietnam, a region
    "VNM-461": "Hưng Yên",  # Red River Delta, a region
    "VNM-497": "Đồng Nai",  # Đông Nam Bộ, a region
}
"""Code of the admin-1 layer (``adm1_code``) -> English name."""
