"""How values are written in many languages: units, currencies, months, scales, zones and eras.

Most names come from CLDR, Unicode's tables of languages: `tests/support/cldr_tables.py`
makes `cldr_names.json` of them. What CLDR lacks, such as `k` for a thousand, and what units measure is in `notations.toml`:
`kg` and `g` measure a mass, and a kilogram has 1000 grams.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any, Final

CLDR_NAMES_FILE: Final = Path(__file__).with_name("cldr_names.json")
_NOTATIONS: Final[Mapping[str, Any]] = tomllib.loads(
    Path(__file__).with_name("notations.toml").read_text(encoding="utf-8")
)
"""The tables of `notations.toml`, which says what each one has."""

LOCALES: Final = (
    "en", "en_GB", "de", "fr", "es", "it", "pt", "nl", "pl", "cs", "hu", "ro", "bg", "el", "da", "nb", "sv",
    "fi", "tr", "uk", "ru", "ja", "zh", "ko", "he", "ar", "fa",
)  # fmt: skip
"""The languages whose names are known. If two differ about a name, the first one counts."""

CURRENCIES: Final[tuple[str, ...]] = tuple(_NOTATIONS["currencies"])
"""Codes of the known currencies by ISO 4217."""
SHARED_NAMES: Final[Mapping[str, tuple[str, ...]]] = _NOTATIONS["shared_names"]
"""The units that an ambiguous name may mean: `500 kr` may be Swedish or Danish."""
NOT_SCALES: Final = frozenset(_NOTATIONS["not_scales"])
"""Words for a thousand that are not read as scales, because they are common elsewhere."""
MYRIADS: Final[Mapping[str, int]] = _NOTATIONS["myriads"]
"""Powers of ten by the sign behind a number in Chinese, Japanese and Korean: `6万` is 60,000."""
FUNCTION_WORDS: Final[Mapping[str, str]] = _NOTATIONS["function_words"]
"""Frequent words of each language, by which the language of a text is recognized."""
NEGATIONS: Final[Mapping[str, str]] = _NOTATIONS["negations"]
"""Words of each language that deny something: `no`, `keine`, 没."""
APPROXIMATIONS: Final = frozenset(
    " ".join(_NOTATIONS["approximations"].values()).split()
)
"""Words and signs of each language before a number that is rounded: `about`, `rund`, `~`."""
NUMBER_WORDS: Final[Mapping[str, str]] = _NOTATIONS["number_words"]
"""Words for small numbers in several languages, by their digits: `three`, `drei` for 3."""
TWELVE_HOUR_MARKS: Final[Mapping[str, bool]] = _NOTATIONS["twelve_hour_marks"]
"""Words before a time, and whether they mean the time after noon: `午後5時` is 17:00."""
ERA_YEARS: Final[Mapping[str, int]] = _NOTATIONS["era_years"]
"""The last year before each era of Japan or Taiwan: `令和8年` is 2018 + 8 = 2026."""
ZONE_OFFSETS: Final[Mapping[str, str]] = _NOTATIONS["zone_offsets"]
"""The offset from UTC of time zones by their names."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit, what it measures, and its size in the base unit of that quantity."""

    name: str
    quantity: str
    """A currency is a quantity of its own, because there is no fixed rate for converting it."""
    size: Fraction = Fraction(1)
    """The number of base units: 1000 for a kilometer, because lengths are in meters."""
    cldr_name: str = ""
    """Its key in CLDR's tables: `length-meter`; empty for a unit that CLDR lacks."""
    symbols: tuple[str, ...] = ()
    """Spellings that CLDR lacks or gives in one language only; case matters."""


def _units() -> list[Unit]:
    """Return all units by quantity, and the currencies behind them."""
    units: list[Unit] = []
    for quantity, units_of_quantity in _NOTATIONS["units"].items():
        for name, unit in units_of_quantity.items():
            size = Fraction(unit["size"])
            symbols = tuple(unit.get("symbols", ()))
            units.append(Unit(name, quantity, size, unit.get("cldr", ""), symbols))
    return units + [Unit(code, quantity=code) for code in CURRENCIES]


UNIT_BY_NAME: Final = {unit.name: unit for unit in _units()}


@dataclass(frozen=True, slots=True)
class _LocaleNames:
    """Names of all listed languages. Keys are in lower case unless a field says otherwise."""

    months: Mapping[str, int]
    """Months by their full and short names without a closing point: `{"märz": 3, "mar": 3}`."""
    units: Mapping[str, str]
    """Names of units by a spelling whose case matters: `{"mW": "mW", "MW": "MW"}`."""
    folded_units: Mapping[str, str]
    """Names of units by a spelling in lower case: `{"kilograms": "kg"}`."""
    scales: Mapping[str, int]
    """Powers of ten by words: `{"million": 6}`."""
    decimal_marks: Mapping[str, str]
    """The decimal mark by locale: `{"en": ".", "de": ","}`."""


@cache
def locale_names() -> _LocaleNames:
    """Return the names, which the first call reads from the file.

    If a name is in `notations.toml` and in CLDR, the meaning there counts.
    """
    cldr = json.loads(CLDR_NAMES_FILE.read_text(encoding="utf-8"))

    # `setdefault` keeps the first meaning of a name, so CLDR's names come last.
    units: dict[str, str] = {}
    for unit in UNIT_BY_NAME.values():
        for symbol in (unit.name, *unit.symbols):
            units.setdefault(symbol, unit.name)
    for names in (_NOTATIONS["currency_words"], cldr["units"]):
        for name, unit_name in names.items():
            units.setdefault(name, unit_name)

    # The same names in lower case: `kwh` for `kWh`.
    folded_units: dict[str, str] = {}
    for name, unit_name in units.items():
        folded_units.setdefault(name.casefold(), unit_name)
    return _LocaleNames(
        months=cldr["months"],
        units=units,
        folded_units=folded_units,
        scales=cldr["scales"] | _NOTATIONS["scale_words"],
        decimal_marks=cldr["decimal_marks"],
    )
