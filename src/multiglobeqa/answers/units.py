"""Units of length, area and angle, and quantities written with them.

A bare number is in the asked unit. Unit words of the 17 benchmark languages are known; a unit of another
dimension, or an unknown one, is an error.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Mapping
from typing import Final

from multiglobeqa.answers.base import FormatError
from multiglobeqa.answers.numbers import check_number, read_number
from multiglobeqa.answers.rules import note
from multiglobeqa.answers.text import INVISIBLE, ascii_digits, shown

_METRE = """m meter meters metre metres metro metros metri mètre mètres метр метра метров метри метър μ
μέτρο μέτρα მ მეტრი メートル 米 میٹر mét metër metra metru de-metri de-m"""
_KILOMETRE = """km kms kilometer kilometers kilometre kilometres kilómetro kilómetros quilómetro quilómetros
quilômetro quilômetros chilometro chilometri kilomètre kilomètres kilometern kilometru kilometri kilometër
kilometra kilometrash de-kilometri de-km
км километр километра километров километри километър χλμ χιλιόμετρο χιλιόμετρα კმ
კილომეტრი კილომეტრია キロメートル キロ 公里 千米 کلومیٹر کیلومیٹر کم kilômét cây-số"""
_MILE = """mi mile miles milla millas meile meilen миля мили миль миль μίλι μίλια miglio miglia milha milhas
英里 哩 マイル میل მილი milje milă mile-uri de-mile dặm میلز"""
_SQUARE_KILOMETRE = """km2 sqkm sq-km square-kilometer square-kilometers square-kilometre square-kilometres
quadratkilometer quadratkilometern kilomètre-carré kilomètres-carrés kilómetro-cuadrado kilómetros-cuadrados
chilometro-quadrato chilometri-quadrati kmq quilómetros-quadrados quilômetros-quadrados quilómetro-quadrado
quilômetro-quadrado км2 кв-км квкм квадратный-километр квадратных-километра квадратных-километров
квадратни-километра квадратен-километър τ-χλμ τετραγωνικά-χιλιόμετρα τετραγωνικό-χιλιόμετρο χλμ2 კმ2 კვ-კმ
კვადრატული-კილომეტრი 平方公里 平方千米 平方キロメートル 平方キロ مربع-کلومیٹر kilometrekare kilometru-pătrat
kilometri-pătrați kilometri-pătraţi kmp de-kilometri-pătrați de-kilometri-pătraţi de-km2
kilometra-katrorë kilometër-katror km-vuông kilômét-vuông"""
_SQUARE_METRE = """m2 sqm sq-m square-meter square-meters square-metre square-metres quadratmeter
quadratmetern mètre-carré mètres-carrés metro-cuadrado metros-cuadrados metro-quadrato metri-quadrati mq
metros-quadrados metro-quadrado м2 кв-м квм квадратных-метров квадратных-метра квадратни-метра τ-μ
τετραγωνικά-μέτρα მ2 კვ-მ კვადრატული-მეტრი 平方米 平方メートル مربع-میٹر metrekare metri-pătrați
metri-pătraţi mp metra-katrorë m-vuông mét-vuông"""
_HECTARE = """ha hectare hectares hektar hektare hectárea hectáreas ettaro ettari га гектар гектара гектаров
хектар хектара εκτάριο εκτάρια ჰა ჰექტარი 公顷 公頃 ヘクタール ہیکٹر hectar hektarë héc-ta"""


def unit_key(text: str) -> str:
    """A unit's spelling without what varies: case, spaces, points, exponent marks, invisible characters."""
    folded = unicodedata.normalize("NFKC", ascii_digits(INVISIBLE.sub("", text))).casefold()
    return re.sub(r"[\s.^*{}()\-_]+", "", folded)


def _table(*rows: tuple[float, str]) -> dict[str, float]:
    return {unit_key(word): factor for factor, words in rows for word in words.split()}


LENGTH: Final = _table(
    (1.0, _KILOMETRE),
    (0.001, _METRE),
    (1.609344, _MILE),
    (
        1.852,
        "nmi nm nautical-mile nautical-miles sea-mile sea-miles mille-marin milles-marins mille-nautique "
        "milles-nautiques milla-náutica millas-náuticas seemeile seemeilen miglio-nautico miglia-nautiche "
        "milha-náutica milhas-náuticas milă-marină mile-marine milje-detare deniz-mili hải-lý морская-миля "
        "морских-миль морские-мили морски-мили ναυτικά-μίλια ναυτικό-μίλι საზღვაო-მილი بحری-میل 海里 浬",
    ),
    (0.0003048, "ft foot feet fuß pieds pies piedi pés picioare фут фута футов"),
    (0.0009144, "yd yard yards"),
    (0.00001, "cm centimeter centimeters centimetre centimetres"),
)
"""Unit spelling -> km. International mile, foot and yard (1959); nautical mile of 1,852 m."""

AREA: Final = _table(
    (1.0, _SQUARE_KILOMETRE),
    (1e-6, _SQUARE_METRE),
    (0.01, _HECTARE),
    (0.0040468564224, "ac acre acres akre acri акр акра акров 英亩 エーカー ایکڑ"),
    (
        1.609344**2,
        "mi2 sqmi sq-mi square-mile square-miles quadratmeile quadratmeilen milles-carrés millas-cuadradas "
        "miglia-quadrate milhas-quadradas mile-pătrate de-mile-pătrate квадратных-миль 平方英里 平方マイル مربع-میل",
    ),
    (0.0003048**2, "ft2 sqft sq-ft square-foot square-feet"),
)
"""Unit spelling -> km². International acre."""

ANGLE: Final = _table(
    (
        1.0,
        "° º deg degs degree degrees grad градус градуса градусов градуси grados gradi degrés "
        "graus grade de-grade gradë derece độ μοίρες βαθμοί درجے درجہ 度 გრადუსი",
    ),
    (math.degrees(1.0), "rad radian radians"),
)
"""Unit spelling -> degrees. "grad" is German for degree."""

RATIO: Final = _table((0.01, "% percent prozent % ٪"))
"""A ratio may be written in per cent."""

NONE: Final[Mapping[str, float]] = {}


def read_quantity(value: object, language: str, units: Mapping[str, float]) -> float:
    """A quantity in the base unit of its table.

    Parameters
    ----------
    value : a JSON number (base unit), a text ("12.5 mi"), or ``{"value": .., "unit": ".."}``.
    language : ISO 639-3 code, for the decimal mark.
    units : one of the tables above.

    Returns
    -------
    The value; an int stays an int where nothing was converted.

    Raises
    ------
    FormatError : no number, not finite, or a unit that the table does not hold.
    """
    if isinstance(value, Mapping):
        return _read_object(value, language, units)
    if isinstance(value, str):
        number, rest = read_number(value, language)
        return _convert(number, rest, units) if rest else number
    return check_number(value)


def _read_object(value: Mapping[object, object], language: str, units: Mapping[str, float]) -> float:
    unit = value.get("unit")
    if "value" not in value or not set(value) <= {"value", "unit"} or not isinstance(unit, str | None):
        raise FormatError(
            f"{shown(dict(value))} is not a quantity.", mend='Write a number, or {"value": .., "unit": ".."}.'
        )
    inner = value["value"]
    if isinstance(inner, str):
        number, rest = read_number(inner, language)
        if rest and unit and unit_key(rest) != unit_key(unit):
            raise FormatError(f"{shown(inner)} and unit {shown(unit)} differ.")
        unit = unit or rest
    else:
        number = check_number(inner)
    return _convert(number, unit, units) if unit else number


def _convert(number: float, unit: str, units: Mapping[str, float]) -> float:
    factor = units.get(unit_key(unit))
    if factor is None:
        raise FormatError(
            f"{shown(unit)} is not a unit of this answer." if units else f"{shown(unit)} follows the number.",
            mend="Write the number alone, in the asked unit.",
        )
    if factor == 1.0:
        return number
    converted = float(number) * factor
    if not math.isfinite(converted):
        raise FormatError(f"{shown(number)} {shown(unit)} is not a finite quantity.")
    note(f"unit: {unit.strip()} converted")
    return converted
