"""Makes `cldr_names.json` from the tables of Unicode's CLDR, which the package `babel` holds:

    python -m controlplane.gates.values.cldr_tables

All of CLDR's data about these languages takes 30 MB of memory and 150 ms to read; the names that are
needed take 1 MB and 2 ms. A test checks that the file is up to date.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from babel.localedata import LocaleDataDict, load

from controlplane.gates.values.locale_names import (
    CLDR_NAMES_FILE,
    CURRENCIES,
    LOCALES,
    NOT_SCALES,
    UNITS,
)

NOTICE: Final = (
    "Names from the Unicode CLDR. Copyright (c) Unicode, Inc. "
    "License Unicode-3.0: https://www.unicode.org/license.txt"
)


def cldr_names() -> dict[str, Any]:
    """Return the names in the languages of `LOCALES`; of two with one spelling the first."""
    months: dict[str, int] = {}
    units: dict[str, str] = {}
    scales: dict[str, int] = {}
    decimal_marks: dict[str, str] = {}
    for locale in LOCALES:
        data: Any = load(locale)
        table = LocaleDataDict(data)
        for name, number in _month_names(table):
            months.setdefault(name, number)
        for name, unit_name in _unit_names(table):
            units.setdefault(name, unit_name)
        for name, currency in _currency_names(table):
            units.setdefault(name, currency)
        for name, power in _scale_names(table):
            scales.setdefault(name, power)
        decimal_marks[locale] = table["number_symbols"]["latn"]["decimal"]
    return {
        "notice": NOTICE,
        "months": months,
        "units": units,
        "scales": scales,
        "decimal_marks": decimal_marks,
    }


def text_of_file() -> str:
    """Return the content of the file."""
    return json.dumps(cldr_names(), ensure_ascii=False, indent=0) + "\n"


def _month_names(table: Any) -> Iterator[tuple[str, int]]:
    """Yield the names of months, as in a date and alone, full and short. Signs such as `3月` are
    no names."""
    for context in ("format", "stand-alone"):
        for width in ("wide", "abbreviated"):
            for number, name in table["months"][context][width].items():
                word = name.casefold().rstrip(".")
                if word.isalpha() and len(word) > 2:
                    yield word, number


def _unit_names(table: Any) -> Iterator[tuple[str, str]]:
    """Yield the spellings of units: those in full before the short ones, of which single letters
    are left out."""
    patterns = table["unit_patterns"]
    for width, least_letters in (("long", 1), ("short", 3)):
        for unit in UNITS:
            forms = patterns.get(unit.cldr_name, {}).get(width, {})
            for count, pattern in forms.items():
                if count == "per" or not isinstance(pattern, str):
                    continue
                name = pattern.replace("{0}", "").strip(" \u00a0\u202f")
                name = name.replace("²", "2").replace("³", "3").replace("⋅", "")
                if len(name) >= least_letters or not name.isascii():
                    yield name, unit.name
                    yield name.rstrip("."), unit.name


def _currency_names(table: Any) -> Iterator[tuple[str, str]]:
    for currency in CURRENCIES:
        for name in table.get("currency_names_plural", {}).get(currency, {}).values():
            yield name, currency
        name = table.get("currency_names", {}).get(currency)
        if isinstance(name, str):
            yield name, currency


def _scale_names(table: Any) -> Iterator[tuple[str, int]]:
    """Yield the words of `0 million` and `0 Mio.` with their powers of ten."""
    for patterns in table["compact_decimal_formats"]["long"].values():
        for number, pattern in patterns.items():
            word = pattern.pattern.strip("0 \u00a0\u202f'.").casefold()
            zeros = pattern.pattern.count("0")
            if len(word) > 2 and word.isalpha() and word not in NOT_SCALES and zeros:
                yield word, len(number) - zeros


if __name__ == "__main__":
    CLDR_NAMES_FILE.write_text(text_of_file(), encoding="utf-8")
