"""Makes `cldr_names.json` from the tables of Unicode's CLDR, which the package `babel` holds:

    python -m tests.support.cldr_tables

All of CLDR's data about these languages takes 30 MB of memory and 150 ms to read; the
names that are needed take 1 MB and 2 ms. A test checks that the file is up to date.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from babel.localedata import LocaleDataDict, load

from controlplane.gates.values.notations import (
    CLDR_NAMES_FILE,
    CURRENCIES,
    LOCALES,
    NOT_SCALES,
    UNIT_BY_NAME,
)

NOTICE: Final = (
    "Names from the Unicode CLDR. Copyright (c) Unicode, Inc. "
    "License Unicode-3.0: https://www.unicode.org/license.txt"
)

_SHORTEST_MONTH: Final = 3
_SHORTEST_SCALE: Final = 3
"""Shorter names, such as `M` and `Md`, are left out, because they have other meanings."""


def cldr_names() -> dict[str, Any]:
    """Return the names in the languages of `LOCALES`.

    If a name has different meanings in two languages, the first one in `LOCALES` counts.
    """
    months: dict[str, int] = {}
    units: dict[str, str] = {}
    scales: dict[str, int] = {}
    decimal_marks: dict[str, str] = {}
    for locale in LOCALES:
        data: Any = load(locale)
        # Some parts of a table only refer to another one. `LocaleDataDict` follows them.
        table = LocaleDataDict(data)
        for name, number in _month_names(table):
            months.setdefault(name, number)
        for name, unit_name in _unit_names(table):
            units.setdefault(name, unit_name)
        for name, currency in _currency_names(table):
            units.setdefault(name, currency)
        for name, power in _scale_names(table):
            scales.setdefault(name, power)
        # `latn` are the digits 0 to 9.
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


# The tables of one language, as `babel` holds them. Each function shows the part that it reads.


def _month_names(table: LocaleDataDict) -> Iterator[tuple[str, int]]:
    """Yield the names of months with their numbers: `march`, 3.

        table["months"]["format"]["abbreviated"][3] == "Mar."

    Leaves out names with digits, such as the Japanese `3月`, which the patterns of dates have.
    """
    # A name may have two forms. In Polish, March is `marca` in a date, and `marzec` alone.
    for context in ("format", "stand-alone"):
        for width in ("wide", "abbreviated"):
            for number, name in table["months"][context][width].items():
                word = name.casefold().rstrip(".")
                if word.isalpha() and len(word) >= _SHORTEST_MONTH:
                    yield word, number


def _unit_names(table: LocaleDataDict) -> Iterator[tuple[str, str]]:
    """Yield the spellings of units with the names of the units: `kilograms`, kg.

        table["unit_patterns"]["mass-kilogram"]["long"] == {"one": "{0} kilogram", "other": …}

    Long spellings come first. Leaves out short spellings of one or two ASCII letters,
    whose meaning differs by language. `Unit.symbols` lists those to recognize.
    """
    patterns = table["unit_patterns"]
    for width in ("long", "short"):
        for unit in UNIT_BY_NAME.values():
            forms = patterns.get(unit.cldr_name, {}).get(width, {})
            for plural_form, pattern in forms.items():
                is_quotient = plural_form == "per"  # `{0} per kilogram`
                if is_quotient or not isinstance(pattern, str):
                    continue
                name = _unit_name(pattern)
                is_ambiguous = width == "short" and name.isascii() and len(name) < 3
                if name and not is_ambiguous:
                    yield name, unit.name
                    yield name.rstrip("."), unit.name


def _unit_name(pattern: str) -> str:
    """Return the name in a pattern, as `unit_of` looks it up: `{0} kg` -> `kg`, `{0} m²` -> `m2`.

    The sign of multiplication is dropped, because people write `kWh` for `kW⋅h`.
    """
    name = pattern.replace("{0}", "").strip(" \u00a0\u202f")
    return name.replace("²", "2").replace("³", "3").replace("⋅", "")


def _currency_names(table: LocaleDataDict) -> Iterator[tuple[str, str]]:
    """Yield the names of currencies with their codes: `Swiss francs`, CHF.

        table["currency_names"]["CHF"] == "Swiss Franc"
        table["currency_names_plural"]["CHF"] == {"one": "Swiss franc", "other": …}

    The plural names are those behind an amount: `2 Swiss francs`.
    """
    for currency in CURRENCIES:
        for name in table.get("currency_names_plural", {}).get(currency, {}).values():
            yield name, currency
        name = table.get("currency_names", {}).get(currency)
        if isinstance(name, str):
            yield name, currency


def _scale_names(table: LocaleDataDict) -> Iterator[tuple[str, int]]:
    """Yield the words of scales with their powers of ten: `million`, 6.

        table["compact_decimal_formats"]["long"]["other"]["10000000"].pattern == "00 million"

    This says that 10000000 is written as `10 million`. The number has eight digits. Two
    of them, the zeros of the pattern, are written, so `million` stands for the other six.
    """
    for patterns in table["compact_decimal_formats"]["long"].values():
        for number, pattern in patterns.items():
            # `00 million` -> `million`: without zeros, blanks, quotes and points
            word = pattern.pattern.strip("0 \u00a0\u202f'.").casefold()
            digits_before_word = pattern.pattern.count("0")
            digits_replaced = len(number) - digits_before_word
            is_word = word.isalpha() and len(word) >= _SHORTEST_SCALE
            if is_word and word not in NOT_SCALES and digits_before_word:
                yield word, digits_replaced


if __name__ == "__main__":
    CLDR_NAMES_FILE.write_text(text_of_file(), encoding="utf-8")
