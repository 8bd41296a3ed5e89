"""Units and currencies, what they measure, and how large they are.

`kg` and `g` measure a mass, and a kilogram has 1000 grams. Units of one quantity can be converted
into each other. Their names in many languages come from CLDR, Unicode's tables of languages
(`locale_names.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

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
"""The units that an ambiguous name may mean: `500 kr` may be Swedish or Danish."""


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
