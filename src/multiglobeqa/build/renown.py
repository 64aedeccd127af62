"""Names whose best known bearer no KG holds: rivers, islands, mountains, lands.

"Does Lago Rincón del Bonete intersect Río Negro?" asks of the river to most readers, "from Java" of the island. A town
or a region of such a name says its class and country. Names that a region shares with a thing of nearly the same
extent (Tasmania, Hainan), or that most take for a region, a country or a saint (Ohio, Niger, Santa Cruz), are not
listed.
"""

from __future__ import annotations

from typing import Final

from multiglobeqa.build.words import folded

_RIVERS = """
Amazon, Amazonas, Amu Darya, Amur, Apure, Araguaia, Aras, Arauca, Athabasca, Atrato, Awash, Ayeyarwady, Bafing,
Bamingui, Benue, Bermejo, Black Volta, Blue Nile, Brahmaputra, Caquetá, Caroní, Casamance, Cauca, Charente, Chari,
Chenab, Chubut, Cuando, Cuango, Cuanza, Cubango, Cunene, Danube, Darling, Daugava, Dnieper, Dniester, Dordogne, Douro,
Drava, Drina, Dvina, Ebro, Elbe, Euphrates, Fraser, Ganges, Garonne, Gironde, Godavari, Guainía, Guaviare, Hari,
Helmand, Huallaga, Indus, Irrawaddy, Irtysh, Jari, Jubba, Kagera, Kama, Kasai, Kolyma, Krishna, Kunene, Kura, Lena,
Limpopo, Loire, Lualaba, Mackenzie, Madeira, Madre de Dios, Magdalena, Mamoré, Marañón, Maritsa, Marne, Mekong, Meta,
Meuse, Mississippi, Missouri, Moselle, Mouhoun, Murray, Naryn, Neretva, Neuquén, Niari, Nile, Ob, Ogooué, Okavango,
Omo, Orinoco, Panj, Paraná, Parnaíba, Pastaza, Pechora, Purus, Putumayo, Rhine, Rhône, Rio Negro, Roper, Rovuma,
Rufiji, Ruvuma, Río Negro, Salado, Salween, Sangha, Sankuru, Saskatchewan, Sava, Saône, Seine, Severn, Shannon,
Shebelle, Somme, Sutlej, Syr Darya, Tagus, Tapajós, Tarim, Thames, Tigris, Tisza, Tocantins, Tumen, Ubangi, Ucayali,
Uele, Ural, Vaupés, Vichada, Vienne, Vistula, Volga, Volta, Waikato, Weser, White Nile, Xingu, Yalu, Yangtze, Yenisei,
Yukon, Zambezi
"""
_ISLANDS = """
Bali, Borneo, Capri, Celebes, Christmas Island, Corfu, Corsica, Crete, Easter Island, Elba, Flores, Formosa,
Fuerteventura, Gozo, Hispaniola, Hokkaido, Honshu, Ibiza, Java, Kyushu, Lanzarote, Leeward Islands, Lesbos, Lombok,
Long Island, Luzon, Majorca, Mindanao, Minorca, Oahu, Okinawa, Palawan, Pemba, Rhodes, Santorini, Sardinia, Shikoku,
Sicily, Sulawesi, Sumatra, Sumba, Tahiti, Tenerife, Timor, Tobago, Trinidad, Windward Islands, Zanzibar
"""
_LANDS = """
Africa, Alps, Anatolia, Andes, Arabia, Ararat, Asia, Atlantic, Balkan, Baltic, Bengal, Britain, Burgundy, Burma,
Caribbean, Castile, Catalonia, Caucasus, Chimborazo, Cotopaxi, Dalmatia, England, Etna, Europe, Flanders, Gobi,
Himalaya, Holland, Kashmir, Kilimanjaro, Kurdistan, Lombardy, Macedonia, Manchuria, Mesopotamia, Normandy, Olympus,
Patagonia, Persia, Prussia, Rift Valley, Sahara, Savoy, Scandinavia, Scotland, Siam, Siberia, Silesia, Sinai, Thrace,
Transylvania, Urals, Vesuvius, Wales
"""

RENOWNED: Final = frozenset(
    folded(name) for text in (_RIVERS, _ISLANDS, _LANDS) for name in text.replace("\n", " ").split(",")
)
"""The names, folded."""
