"""Names of months, units, currencies and scales in the languages of `LOCALES`.

Most come from CLDR, Unicode's tables of languages: `cldr_tables.py` makes
`cldr_names.json` of them. What CLDR lacks, such as the sizes of units, is listed here.
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
"""The languages whose names are known. If two differ about a name, the first one counts."""

CURRENCIES: Final = (
    "EUR", "USD", "GBP", "CHF", "JPY", "CNY", "KRW", "PLN", "CZK", "SEK", "NOK", "DKK", "ISK",
    "HUF", "RON", "BGN", "UAH", "RUB", "TRY", "INR", "BRL", "MXN", "ARS", "CAD", "AUD", "NZD",
    "HKD", "SGD", "TWD", "THB", "ILS", "ZAR",
)  # fmt: skip
"""Codes of the known currencies by ISO 4217."""

SHARED_NAMES: Final[Mapping[str, frozenset[str]]] = {
    "$": frozenset({"USD", "CAD", "AUD", "NZD", "HKD", "SGD", "TWD", "MXN", "ARS"}),
    "¥": frozenset({"JPY", "CNY"}),
    "kr": frozenset({"SEK", "NOK", "DKK", "ISK"}),
    "pound": frozenset({"GBP", "lb"}),
}
"""Maps an ambiguous name to all units that it may mean: `500 kr` may be Swedish or Danish."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit, what it measures, and its size in the base unit of that quantity."""

    name: str
    quantity: str
    size: Fraction
    """The number of base units: 1000 for a kilometer, because lengths are in meters.

    It is a fraction, so that conversions do not round.
    """
    cldr_name: str = ""
    """Its key in CLDR's tables: `length-meter`; empty for a unit that CLDR lacks."""
    symbols: tuple[str, ...] = ()
    """Spellings that CLDR lacks or gives in one language only; case matters."""


_MEASURES: Final = (
    # Durations in seconds.
    Unit(
        name="ms",
        quantity="duration",
        size=Fraction("0.001"),
        cldr_name="duration-millisecond",
        symbols=("msec",),
    ),
    Unit(
        name="s",
        quantity="duration",
        size=Fraction("1"),
        cldr_name="duration-second",
        symbols=("sec", "secs"),
    ),
    Unit(
        name="min",
        quantity="duration",
        size=Fraction("60"),
        cldr_name="duration-minute",
        symbols=("mins",),
    ),
    Unit(
        name="h",
        quantity="duration",
        size=Fraction("3600"),
        cldr_name="duration-hour",
        symbols=("hr", "hrs", "Std", "Std.", "std", "小时", "小時"),
    ),
    Unit(
        name="day",
        quantity="duration",
        size=Fraction("86400"),
        cldr_name="duration-day",
        symbols=("d", "Tagen", "päiv", "日間", "天", "days"),
    ),
    Unit(
        name="week",
        quantity="duration",
        size=Fraction("604800"),
        cldr_name="duration-week",
        symbols=("wk", "wks", "週間"),
    ),
    # Calendar periods in months. A month has no fixed number of days.
    Unit(
        name="month",
        quantity="calendar",
        size=Fraction("1"),
        cldr_name="duration-month",
        symbols=(
            "mo",
            "mos",
            "Monaten",
            "か月",
            "ヶ月",
            "カ月",
            "ケ月",
            "个月",
            "個月",
        ),
    ),
    Unit(
        name="year",
        quantity="calendar",
        size=Fraction("12"),
        cldr_name="duration-year",
        symbols=("yr", "yrs", "Jahren", "年間"),
    ),
    # Lengths in meters.
    Unit(
        name="mm",
        quantity="length",
        size=Fraction("0.001"),
        cldr_name="length-millimeter",
    ),
    Unit(
        name="cm",
        quantity="length",
        size=Fraction("0.01"),
        cldr_name="length-centimeter",
    ),
    Unit(
        name="m",
        quantity="length",
        size=Fraction("1"),
        cldr_name="length-meter",
        symbols=("Metern",),
    ),
    Unit(
        name="km",
        quantity="length",
        size=Fraction("1000"),
        cldr_name="length-kilometer",
        symbols=("Kilometern",),
    ),
    Unit(
        name="mile",
        quantity="length",
        size=Fraction("1609.344"),
        cldr_name="length-mile",
        symbols=("mi",),
    ),
    Unit(
        name="ft",
        quantity="length",
        size=Fraction("0.3048"),
        cldr_name="length-foot",
    ),
    Unit(
        name="inch",
        quantity="length",
        size=Fraction("0.0254"),
        cldr_name="length-inch",
    ),
    # Areas in square meters.
    Unit(
        name="cm2",
        quantity="area",
        size=Fraction("0.0001"),
        cldr_name="area-square-centimeter",
        symbols=("cm2", "qcm"),
    ),
    Unit(
        name="m2",
        quantity="area",
        size=Fraction("1"),
        cldr_name="area-square-meter",
        symbols=("m2", "qm", "sqm"),
    ),
    Unit(
        name="ha",
        quantity="area",
        size=Fraction("10000"),
        cldr_name="area-hectare",
        symbols=("Hektar",),
    ),
    Unit(
        name="km2",
        quantity="area",
        size=Fraction("1000000"),
        cldr_name="area-square-kilometer",
        symbols=("km2", "qkm"),
    ),
    # Volumes in liters.
    Unit(
        name="cm3",
        quantity="volume",
        size=Fraction("0.001"),
        cldr_name="volume-cubic-centimeter",
        symbols=("cm3", "ccm"),
    ),
    Unit(
        name="ml",
        quantity="volume",
        size=Fraction("0.001"),
        cldr_name="volume-milliliter",
        symbols=("mL", "ml"),
    ),
    Unit(
        name="cl",
        quantity="volume",
        size=Fraction("0.01"),
        cldr_name="volume-centiliter",
        symbols=("cL", "cl"),
    ),
    Unit(
        name="dl",
        quantity="volume",
        size=Fraction("0.1"),
        cldr_name="volume-deciliter",
        symbols=("dL", "dl"),
    ),
    Unit(
        name="l",
        quantity="volume",
        size=Fraction("1"),
        cldr_name="volume-liter",
        symbols=("l", "L", "Litern"),
    ),
    Unit(
        name="hl",
        quantity="volume",
        size=Fraction("100"),
        cldr_name="volume-hectoliter",
        symbols=("hl", "hL"),
    ),
    Unit(
        name="m3",
        quantity="volume",
        size=Fraction("1000"),
        cldr_name="volume-cubic-meter",
        symbols=("m3", "cbm"),
    ),
    # Masses in grams.
    Unit(
        name="ug",
        quantity="mass",
        size=Fraction("0.000001"),
        cldr_name="mass-microgram",
        symbols=("µg", "μg", "mcg"),
    ),
    Unit(
        name="mg",
        quantity="mass",
        size=Fraction("0.001"),
        cldr_name="mass-milligram",
    ),
    Unit(
        name="g",
        quantity="mass",
        size=Fraction("1"),
        cldr_name="mass-gram",
    ),
    Unit(
        name="kg",
        quantity="mass",
        size=Fraction("1000"),
        cldr_name="mass-kilogram",
        symbols=("kilo", "kilos", "kilogramm"),
    ),
    Unit(
        name="t",
        quantity="mass",
        size=Fraction("1000000"),
        cldr_name="mass-tonne",
        symbols=("t", "tonnes", "tonnen", "Tonnen"),
    ),
    Unit(
        name="lb",
        quantity="mass",
        size=Fraction("453.59237"),
        symbols=("lb", "lbs"),
    ),
    Unit(
        name="oz",
        quantity="mass",
        size=Fraction("28.349523125"),
        cldr_name="mass-ounce",
    ),
    # Data in bits.
    Unit(
        name="bit",
        quantity="digital",
        size=Fraction("1"),
        cldr_name="digital-bit",
    ),
    Unit(
        name="byte",
        quantity="digital",
        size=Fraction("8"),
        cldr_name="digital-byte",
        symbols=("B",),
    ),
    Unit(
        name="kB",
        quantity="digital",
        size=Fraction("8e3"),
        cldr_name="digital-kilobyte",
        symbols=("kB", "KB"),
    ),
    Unit(
        name="MB",
        quantity="digital",
        size=Fraction("8e6"),
        cldr_name="digital-megabyte",
        symbols=("MB",),
    ),
    Unit(
        name="GB",
        quantity="digital",
        size=Fraction("8e9"),
        cldr_name="digital-gigabyte",
        symbols=("GB",),
    ),
    Unit(
        name="TB",
        quantity="digital",
        size=Fraction("8e12"),
        cldr_name="digital-terabyte",
        symbols=("TB",),
    ),
    Unit(
        name="KiB",
        quantity="digital",
        size=Fraction(8 * 1024),
        symbols=("KiB", "Ki", "kibibyte", "kibibytes"),
    ),
    Unit(
        name="MiB",
        quantity="digital",
        size=Fraction(8 * 1024**2),
        symbols=("MiB", "Mi", "mebibyte", "mebibytes"),
    ),
    Unit(
        name="GiB",
        quantity="digital",
        size=Fraction(8 * 1024**3),
        symbols=("GiB", "Gi", "gibibyte", "gibibytes"),
    ),
    Unit(
        name="TiB",
        quantity="digital",
        size=Fraction(8 * 1024**4),
        symbols=("TiB", "Ti", "tebibyte", "tebibytes"),
    ),
    # Power in watts.
    Unit(
        name="W",
        quantity="power",
        size=Fraction("1"),
        cldr_name="power-watt",
        symbols=("W",),
    ),
    Unit(
        name="kW",
        quantity="power",
        size=Fraction("1000"),
        cldr_name="power-kilowatt",
        symbols=("kW",),
    ),
    Unit(
        name="MW",
        quantity="power",
        size=Fraction("1000000"),
        cldr_name="power-megawatt",
        symbols=("MW",),
    ),
    Unit(
        name="GW",
        quantity="power",
        size=Fraction("1000000000"),
        cldr_name="power-gigawatt",
        symbols=("GW",),
    ),
    Unit(
        name="mW",
        quantity="power",
        size=Fraction("0.001"),
        cldr_name="power-milliwatt",
        symbols=("mW",),
    ),
    # Energy in watt hours.
    Unit(
        name="Wh",
        quantity="energy",
        size=Fraction("1"),
        symbols=("Wh",),
    ),
    Unit(
        name="kWh",
        quantity="energy",
        size=Fraction("1000"),
        cldr_name="energy-kilowatt-hour",
        symbols=("kWh",),
    ),
    Unit(
        name="MWh",
        quantity="energy",
        size=Fraction("1000000"),
        symbols=("MWh",),
    ),
    Unit(
        name="GWh",
        quantity="energy",
        size=Fraction("1000000000"),
        symbols=("GWh",),
    ),
    # Voltages in volts.
    Unit(
        name="mV",
        quantity="voltage",
        size=Fraction("0.001"),
        symbols=("mV",),
    ),
    Unit(
        name="V",
        quantity="voltage",
        size=Fraction("1"),
        cldr_name="electric-volt",
        symbols=("V",),
    ),
    Unit(
        name="kV",
        quantity="voltage",
        size=Fraction("1000"),
        symbols=("kV",),
    ),
    # Currents in amperes.
    Unit(
        name="mA",
        quantity="current",
        size=Fraction("0.001"),
        cldr_name="electric-milliampere",
        symbols=("mA",),
    ),
    Unit(
        name="A",
        quantity="current",
        size=Fraction("1"),
        cldr_name="electric-ampere",
        symbols=("A",),
    ),
    # Frequencies in hertz.
    Unit(
        name="Hz",
        quantity="frequency",
        size=Fraction("1"),
        cldr_name="frequency-hertz",
        symbols=("Hz",),
    ),
    Unit(
        name="kHz",
        quantity="frequency",
        size=Fraction("1000"),
        cldr_name="frequency-kilohertz",
        symbols=("kHz",),
    ),
    Unit(
        name="MHz",
        quantity="frequency",
        size=Fraction("1000000"),
        cldr_name="frequency-megahertz",
        symbols=("MHz",),
    ),
    Unit(
        name="GHz",
        quantity="frequency",
        size=Fraction("1000000000"),
        cldr_name="frequency-gigahertz",
        symbols=("GHz",),
    ),
    # Pressures in pascals.
    Unit(
        name="hPa",
        quantity="pressure",
        size=Fraction("100"),
        cldr_name="pressure-hectopascal",
        symbols=("hPa",),
    ),
    Unit(
        name="mbar",
        quantity="pressure",
        size=Fraction("100"),
        cldr_name="pressure-millibar",
        symbols=("mbar",),
    ),
    Unit(
        name="kPa",
        quantity="pressure",
        size=Fraction("1000"),
        cldr_name="pressure-kilopascal",
        symbols=("kPa",),
    ),
    Unit(
        name="bar",
        quantity="pressure",
        size=Fraction("100000"),
        cldr_name="pressure-bar",
    ),
    # Speeds in meters per hour.
    Unit(
        name="km/h",
        quantity="speed",
        size=Fraction("1000"),
        cldr_name="speed-kilometer-per-hour",
        symbols=("km/h", "kmh"),
    ),
    Unit(
        name="m/s",
        quantity="speed",
        size=Fraction("3600"),
        cldr_name="speed-meter-per-second",
        symbols=("m/s",),
    ),
    # Temperatures. Each scale is a quantity of its own, because their zeros differ.
    Unit(
        name="°C",
        quantity="temperature",
        size=Fraction("1"),
        cldr_name="temperature-celsius",
        symbols=("°C", "℃", "Celsius", "C"),
    ),
    Unit(
        name="°F",
        quantity="fahrenheit",
        size=Fraction("1"),
        cldr_name="temperature-fahrenheit",
        symbols=("°F", "℉", "Fahrenheit", "F"),
    ),
    Unit(
        name="K",
        quantity="kelvin",
        size=Fraction("1"),
        cldr_name="temperature-kelvin",
    ),
    Unit(
        name="%",
        quantity="share",
        size=Fraction("1"),
        cldr_name="concentr-percent",
        symbols=("%", "pct", "percent", "Prozent", "퍼센트", "パーセント"),
    ),
    Unit(
        name="rpm",
        quantity="rotation",
        size=Fraction("1"),
        symbols=("rpm", "U/min"),
    ),
)
"""Every unit except currencies, grouped by the quantity it measures."""

_CURRENCY_UNITS: Final = tuple(
    Unit(name=code, quantity=code, size=Fraction(1)) for code in CURRENCIES
)
"""Each currency is a quantity of its own, because there is no fixed rate for converting it."""

UNITS: Final = _MEASURES + _CURRENCY_UNITS
UNIT_BY_NAME: Final = {unit.name: unit for unit in UNITS}

CURRENCY_WORDS: Final[Mapping[str, str]] = {
    "€": "EUR", "euro": "EUR", "euros": "EUR", "$": "$", "dollar": "$", "dollars": "$",
    "£": "GBP", "pound": "pound", "pounds": "pound", "quid": "GBP", "¥": "¥", "￥": "¥",
    "円": "JPY", "yen": "JPY", "元": "CNY", "人民币": "CNY", "yuan": "CNY", "₩": "KRW", "원": "KRW",
    "won": "KRW", "zł": "PLN", "zl": "PLN", "kr": "kr", "kr.": "kr", "kronor": "SEK", "kroner": "kr",
    "Kč": "CZK", "kč": "CZK", "Ft": "HUF", "₴": "UAH", "₽": "RUB", "₺": "TRY", "₹": "INR",
    "fr.": "CHF", "franken": "CHF", "sfr": "CHF",
}  # fmt: skip
"""Names and signs of currencies in running text, with the ISO 4217 code that they mean.

A name that several currencies share maps to itself: `$`, `¥`, `kr`, `pound`.
`SHARED_NAMES` lists its possible meanings.
"""

SCALE_WORDS: Final[Mapping[str, int]] = {
    "k": 3, "tsd": 3, "tys": 3, "thousands": 3, "thsd": 3, "tausend": 3,
    "mio": 6, "mln": 6, "mn": 6, "millions": 6, "bn": 9, "mrd": 9, "billions": 9,
}  # fmt: skip
"""Powers of ten by words that CLDR does not have: `5 mio EUR` is 5,000,000."""

NOT_SCALES: Final = frozenset({"bin", "mie"})
"""Words for a thousand that are not read as scales, because they are common elsewhere.

The Turkish `bin` is in the German `ich bin`, and the Romanian `mie` in the Italian `le mie`.
"""

MYRIADS: Final[Mapping[str, int]] = {
    "千": 3, "천": 3, "万": 4, "萬": 4, "만": 4, "億": 8, "亿": 8, "억": 8, "兆": 12, "조": 12,
}  # fmt: skip
"""Powers of ten by the sign behind a number in Chinese, Japanese and Korean: `6万` is 60,000."""

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
"""Frequent words by which the language of a text is recognized.

If the numbers of a text do not show whether a comma or a point is the decimal mark, its
language decides.
"""

TWELVE_HOUR_MARKS: Final[Mapping[str, bool]] = {
    "午前": False, "上午": False, "오전": False, "凌晨": False, "早上": False,
    "午後": True, "下午": True, "오후": True, "晚上": True,
}  # fmt: skip
"""Words before a time, and whether they mean the time after noon: `午後5時` is 17:00."""

ERA_YEARS: Final[Mapping[str, int]] = {
    "令和": 2018, "平成": 1988, "昭和": 1925, "大正": 1911, "明治": 1867, "民國": 1911, "民国": 1911,
}  # fmt: skip
"""The year before the first year of each era: `令和8年` is 2018 + 8 = 2026."""

ZONE_OFFSETS: Final[Mapping[str, str]] = {
    "UTC": "+00:00", "GMT": "+00:00", "Z": "+00:00", "BST": "+01:00", "WET": "+00:00",
    "WEST": "+01:00", "CET": "+01:00", "MEZ": "+01:00", "CEST": "+02:00", "MESZ": "+02:00",
    "EET": "+02:00", "EEST": "+03:00", "MSK": "+03:00", "JST": "+09:00", "KST": "+09:00",
    "EST": "-05:00", "EDT": "-04:00", "PST": "-08:00", "PDT": "-07:00",
}  # fmt: skip
"""The offset from UTC of time zones by their names."""


@dataclass(frozen=True, slots=True)
class LocaleNames:
    """Names of all listed languages. Keys are in lower case unless a field says otherwise."""

    months: Mapping[str, int]
    """Months by their full and short names without a closing point."""
    units: Mapping[str, str]
    """Names of units by a spelling whose case matters."""
    folded_units: Mapping[str, str]
    """Names of units by a spelling in lower case."""
    scales: Mapping[str, int]
    """Powers of ten by words such as `million`."""
    decimal_marks: Mapping[str, str]
    """The decimal mark by locale."""


@cache
def locale_names() -> LocaleNames:
    """Return the names, which the first call reads from the file.

    If a name is in a table of this module and in CLDR, this module's meaning counts.
    """
    cldr = json.loads(CLDR_NAMES_FILE.read_text(encoding="utf-8"))
    # `setdefault` keeps the first meaning of a name, so CLDR's names come last.
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
    return LocaleNames(
        months=cldr["months"],
        units=units,
        folded_units=folded_units,
        scales=cldr["scales"] | SCALE_WORDS,
        decimal_marks=cldr["decimal_marks"],
    )
