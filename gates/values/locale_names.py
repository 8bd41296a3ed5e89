"""Names of months, units, currencies and scales, and decimal marks, in the languages of `LOCALES`.

They come from the tables of Unicode's CLDR: `cldr_names.json`, which `cldr_tables.py` makes. What
CLDR lacks, such as the sizes of units and the names of binary units, is listed here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Final

CLDR_NAMES_FILE: Final = Path(__file__).with_name("cldr_names.json")

LOCALES: Final = (
    "en", "en_GB", "de", "fr", "es", "it", "pt", "nl", "pl", "cs", "hu", "ro", "bg", "el", "da", "nb", "sv",
    "fi", "tr", "uk", "ru", "ja", "zh", "ko",
)  # fmt: skip
"""The languages whose names are known. The first one wins where two give a name different
meanings."""

CURRENCIES: Final = (
    "EUR", "USD", "GBP", "CHF", "JPY", "CNY", "KRW", "PLN", "CZK", "SEK", "NOK", "DKK", "ISK",
    "HUF", "RON", "BGN", "UAH", "RUB", "TRY", "INR", "BRL", "MXN", "ARS", "CAD", "AUD", "NZD",
    "HKD", "SGD", "TWD", "THB", "ILS", "ZAR",
)  # fmt: skip

SHARED_NAMES: Final[Mapping[str, frozenset[str]]] = {
    "$": frozenset({"USD", "CAD", "AUD", "NZD", "HKD", "SGD", "TWD", "MXN", "ARS"}),
    "¥": frozenset({"JPY", "CNY"}),
    "kr": frozenset({"SEK", "NOK", "DKK", "ISK"}),
    "pound": frozenset({"GBP", "lb"}),
}
"""Units by a name that several of them share: `500 kr` may be Swedish or Danish."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit, what it measures, and its size in the base unit of that quantity."""

    name: str
    quantity: str
    size: Fraction
    """Exact, so that a conversion is exact."""
    cldr_name: str = ""
    symbols: tuple[str, ...] = ()
    """Spellings that CLDR lacks or gives in one language only; case matters."""


def _unit(name: str, quantity: str, size: str, cldr_name: str = "", symbols: str = "") -> Unit:
    return Unit(name, quantity, Fraction(size), cldr_name, tuple(symbols.split()))


UNITS: Final = (
    _unit("ms", "duration", "0.001", "duration-millisecond", "msec"),
    _unit("s", "duration", "1", "duration-second", "sec secs"),
    _unit("min", "duration", "60", "duration-minute", "mins"),
    _unit("h", "duration", "3600", "duration-hour", "hr hrs Std Std. std 小时 小時"),
    _unit("day", "duration", "86400", "duration-day", "d Tagen päiv 日間 天 days"),
    _unit("week", "duration", "604800", "duration-week", "wk wks 週間"),
    _unit("month", "calendar", "1", "duration-month", "mo mos Monaten か月 ヶ月 カ月 ケ月 个月 個月"),
    _unit("year", "calendar", "12", "duration-year", "yr yrs Jahren 年間"),
    _unit("mm", "length", "0.001", "length-millimeter"),
    _unit("cm", "length", "0.01", "length-centimeter"),
    _unit("m", "length", "1", "length-meter", "Metern"),
    _unit("km", "length", "1000", "length-kilometer", "Kilometern"),
    _unit("mile", "length", "1609.344", "length-mile", "mi"),
    _unit("ft", "length", "0.3048", "length-foot"),
    _unit("inch", "length", "0.0254", "length-inch"),
    _unit("cm2", "area", "0.0001", "area-square-centimeter", "cm2 qcm"),
    _unit("m2", "area", "1", "area-square-meter", "m2 qm sqm"),
    _unit("ha", "area", "10000", "area-hectare", "Hektar"),
    _unit("km2", "area", "1000000", "area-square-kilometer", "km2 qkm"),
    _unit("cm3", "volume", "0.001", "volume-cubic-centimeter", "cm3 ccm"),
    _unit("ml", "volume", "0.001", "volume-milliliter", "mL ml"),
    _unit("cl", "volume", "0.01", "volume-centiliter", "cL cl"),
    _unit("dl", "volume", "0.1", "volume-deciliter", "dL dl"),
    _unit("l", "volume", "1", "volume-liter", "l L Litern"),
    _unit("hl", "volume", "100", "volume-hectoliter", "hl hL"),
    _unit("m3", "volume", "1000", "volume-cubic-meter", "m3 cbm"),
    _unit("ug", "mass", "0.000001", "mass-microgram", "µg μg mcg"),
    _unit("mg", "mass", "0.001", "mass-milligram"),
    _unit("g", "mass", "1", "mass-gram"),
    _unit("kg", "mass", "1000", "mass-kilogram", "kilo kilos kilogramm"),
    _unit("t", "mass", "1000000", "mass-tonne", "t tonnes tonnen Tonnen"),
    _unit("lb", "mass", "453.59237", "", "lb lbs"),
    _unit("oz", "mass", "28.349523125", "mass-ounce"),
    _unit("bit", "digital", "1", "digital-bit"),
    _unit("byte", "digital", "8", "digital-byte", "B"),
    _unit("kB", "digital", "8e3", "digital-kilobyte", "kB KB"),
    _unit("MB", "digital", "8e6", "digital-megabyte", "MB"),
    _unit("GB", "digital", "8e9", "digital-gigabyte", "GB"),
    _unit("TB", "digital", "8e12", "digital-terabyte", "TB"),
    _unit("KiB", "digital", str(8 * 1024), "", "KiB Ki kibibyte kibibytes"),
    _unit("MiB", "digital", str(8 * 1024**2), "", "MiB Mi mebibyte mebibytes"),
    _unit("GiB", "digital", str(8 * 1024**3), "", "GiB Gi gibibyte gibibytes"),
    _unit("TiB", "digital", str(8 * 1024**4), "", "TiB Ti tebibyte tebibytes"),
    _unit("W", "power", "1", "power-watt", "W"),
    _unit("kW", "power", "1000", "power-kilowatt", "kW"),
    _unit("MW", "power", "1000000", "power-megawatt", "MW"),
    _unit("GW", "power", "1000000000", "power-gigawatt", "GW"),
    _unit("mW", "power", "0.001", "power-milliwatt", "mW"),
    _unit("Wh", "energy", "1", "", "Wh"),
    _unit("kWh", "energy", "1000", "energy-kilowatt-hour", "kWh"),
    _unit("MWh", "energy", "1000000", "", "MWh"),
    _unit("GWh", "energy", "1000000000", "", "GWh"),
    _unit("mV", "voltage", "0.001", "", "mV"),
    _unit("V", "voltage", "1", "electric-volt", "V"),
    _unit("kV", "voltage", "1000", "", "kV"),
    _unit("mA", "current", "0.001", "electric-milliampere", "mA"),
    _unit("A", "current", "1", "electric-ampere", "A"),
    _unit("Hz", "frequency", "1", "frequency-hertz", "Hz"),
    _unit("kHz", "frequency", "1000", "frequency-kilohertz", "kHz"),
    _unit("MHz", "frequency", "1000000", "frequency-megahertz", "MHz"),
    _unit("GHz", "frequency", "1000000000", "frequency-gigahertz", "GHz"),
    _unit("hPa", "pressure", "100", "pressure-hectopascal", "hPa"),
    _unit("mbar", "pressure", "100", "pressure-millibar", "mbar"),
    _unit("kPa", "pressure", "1000", "pressure-kilopascal", "kPa"),
    _unit("bar", "pressure", "100000", "pressure-bar"),
    _unit("km/h", "speed", "1000", "speed-kilometer-per-hour", "km/h kmh"),
    _unit("m/s", "speed", "3600", "speed-meter-per-second", "m/s"),
    _unit("°C", "temperature", "1", "temperature-celsius", "°C ℃ Celsius C"),
    _unit("°F", "fahrenheit", "1", "temperature-fahrenheit", "°F ℉ Fahrenheit F"),
    _unit("K", "kelvin", "1", "temperature-kelvin"),
    _unit("%", "share", "1", "concentr-percent", "% pct percent Prozent 퍼센트 パーセント"),
    _unit("rpm", "rotation", "1", "", "rpm U/min"),
    *(Unit(code, code, Fraction(1)) for code in CURRENCIES),
)  # fmt: skip
UNIT_BY_NAME: Final = {unit.name: unit for unit in UNITS}

CURRENCY_WORDS: Final[Mapping[str, str]] = {
    "€": "EUR", "euro": "EUR", "euros": "EUR", "$": "$", "dollar": "$", "dollars": "$",
    "£": "GBP", "pound": "pound", "pounds": "pound", "quid": "GBP", "¥": "¥", "￥": "¥",
    "円": "JPY", "yen": "JPY", "元": "CNY", "人民币": "CNY", "yuan": "CNY", "₩": "KRW", "원": "KRW",
    "won": "KRW", "zł": "PLN", "zl": "PLN", "kr": "kr", "kr.": "kr", "kronor": "SEK", "kroner": "kr",
    "Kč": "CZK", "kč": "CZK", "Ft": "HUF", "₴": "UAH", "₽": "RUB", "₺": "TRY", "₹": "INR",
    "fr.": "CHF", "franken": "CHF", "sfr": "CHF",
}  # fmt: skip
"""Short names of currencies in running text."""

SCALE_WORDS: Final[Mapping[str, int]] = {
    "k": 3, "tsd": 3, "tys": 3, "thousands": 3, "thsd": 3, "tausend": 3,
    "mio": 6, "mln": 6, "mn": 6, "millions": 6, "bn": 9, "mrd": 9, "billions": 9,
}  # fmt: skip
"""Powers of ten that short words in front of a unit stand for, beside those of CLDR."""

NOT_SCALES: Final = frozenset({"bin", "mie"})
"""Words for a thousand (in Turkish and Romanian) that are everyday words of other languages."""

MYRIADS: Final[Mapping[str, int]] = {
    "千": 3, "천": 3, "万": 4, "萬": 4, "만": 4, "億": 8, "亿": 8, "억": 8, "兆": 12, "조": 12,
}  # fmt: skip
"""Powers of ten by the sign behind a number in Chinese, Japanese and Korean."""

FUNCTION_WORDS: Final[Mapping[str, str]] = {
    "en": "the of and is are was for with to", "de": "der die das und ist sind für mit nicht ein eine",
    "fr": "le la les des et est sont une dans du", "es": "el los las y es una del por con",
    "it": "il gli è una della di per che", "pt": "o os uma é são do da não em",
    "nl": "het een en van is zijn voor met niet", "pl": "jest są nie w na z do oraz się",
    "cs": "je jsou na se v pro není", "hu": "az egy és nem van", "ro": "și este sunt pentru din",
    "da": "og er det ikke af til", "nb": "og er det ikke av til", "sv": "och är det inte av till för",
    "fi": "ja on ei ovat", "tr": "ve bir için bu", "uk": "та є що не на", "ru": "и не что на по",
    "el": "και το της είναι", "bg": "и на се за от",
}  # fmt: skip
"""A few words by which the language of a text is told, which decides what its commas and points
mean."""

TWELVE_HOUR_MARKS: Final[Mapping[str, bool]] = {
    "午前": False, "上午": False, "오전": False, "凌晨": False, "早上": False,
    "午後": True, "下午": True, "오후": True, "晚上": True,
}  # fmt: skip
"""Words before a time that say if it is after noon."""

ERA_YEARS: Final[Mapping[str, int]] = {
    "令和": 2018, "平成": 1988, "昭和": 1925, "大正": 1911, "明治": 1867, "民國": 1911, "民国": 1911,
}  # fmt: skip
"""The year before the first one of each era."""

ZONE_OFFSETS: Final[Mapping[str, str]] = {
    "UTC": "+00:00", "GMT": "+00:00", "Z": "+00:00", "BST": "+01:00", "WET": "+00:00",
    "WEST": "+01:00", "CET": "+01:00", "MEZ": "+01:00", "CEST": "+02:00", "MESZ": "+02:00",
    "EET": "+02:00", "EEST": "+03:00", "MSK": "+03:00", "JST": "+09:00", "KST": "+09:00",
    "EST": "-05:00", "EDT": "-04:00", "PST": "-08:00", "PDT": "-07:00",
}  # fmt: skip
"""Offsets of named zones of time."""


@dataclass(frozen=True, slots=True)
class LocaleNames:
    """Names of all listed languages. Keys are in lower case unless a field says otherwise."""

    months: Mapping[str, int]
    """Months by their full and short names without a closing point."""
    units: Mapping[str, str]
    """Names of units by a spelling whose case matters."""
    folded_units: Mapping[str, str]
    """The same by spellings in lower case."""
    scales: Mapping[str, int]
    """Powers of ten by words such as `million`."""
    decimal_marks: Mapping[str, str]
    """The decimal mark by locale."""


@cache
def locale_names() -> LocaleNames:
    """Return the names, which are read from the file at the first call."""
    cldr = json.loads(CLDR_NAMES_FILE.read_text(encoding="utf-8"))
    units: dict[str, str] = {}
    for unit in UNITS:
        for symbol in (unit.name, *unit.symbols):
            units.setdefault(symbol, unit.name)
    for word, currency in CURRENCY_WORDS.items():
        units.setdefault(word, currency)
    for name, unit_name in cldr["units"].items():
        units.setdefault(name, unit_name)
    folded_units: dict[str, str] = {}
    for name, unit_name in units.items():
        folded_units.setdefault(name.casefold(), unit_name)
    scales = {**cldr["scales"], **SCALE_WORDS}
    return LocaleNames(cldr["months"], units, folded_units, scales, cldr["decimal_marks"])
