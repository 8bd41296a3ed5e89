"""Adds to a number what stands around it: sign, scale, unit, currency.

`€-5` is -5 EUR, and `3.4 million euros` is 3400000 EUR.
"""

from __future__ import annotations

from typing import Final

import re2

from controlplane.gates.values.measures import measure_behind
from controlplane.gates.values.numbers.numerals import Numeral, times_power_of_ten
from controlplane.gates.values.spans import Span
from controlplane.gates.values.unit_names import currency_of
from controlplane.gates.values.value_kinds import Kind, WrittenValue

MAX_UNIT_CHARS: Final = 40
"""Characters after a number that are searched for its scale and unit."""
CHARS_BEFORE: Final = 5
"""Characters before a number that are searched for its sign and currency: `CHF -`."""
YEAR_DIGITS: Final = 4
_CURRENCY_SIGN: Final = r"[\p{L}]{0,3}\p{Sc}"
"""`€`, `US$`"""
_CURRENCY_CODE: Final = r"\b[A-Z]{3}"
"""`EUR`"""
_CURRENCY_ABBREVIATION: Final = r"\bRs\.?|\bFr\.?|\bkr\.?"
_CURRENCY_BEFORE: Final = re2.compile(
    rf"({_CURRENCY_SIGN}|{_CURRENCY_CODE}|{_CURRENCY_ABBREVIATION})[ \x{{a0}}]?$"
)
"""A currency at the end of the text before a number: `€`, `EUR `, `kr. `.

`\\x{a0}` is a hard blank; an f-string needs two braces for it.
"""
_BEFORE_SIGN: Final = r"(?:^|[\s(\x{a0}:=;,|>\p{Sc}])"
"""The beginning of a text, or a character after which `-5` is negative: `(`, `=`, `€`.

After a letter, as in `B-5`, the `-` is a hyphen.
"""
_SIGN_BEFORE: Final = re2.compile(_BEFORE_SIGN + "([+-])$")
"""A sign at the end of the text before a number: ` -`, `(-`, `€-`. Group 1 is `+` or `-`."""


def number_value(span: Span, numeral: Numeral, start: int, end: int) -> WrittenValue:
    """Return the number between two offsets with its sign, scale and unit or next word.

    `numeral` has the amount of the digits: 3.4 of `3.4 million euros` -> 3400000 EUR; 45 of
    `45 seats` -> 45, with `seats` as the next word.
    """
    text = span.match.string
    text_before = text[max(start - CHARS_BEFORE, 0) : start]
    text_behind = text[end : end + MAX_UNIT_CHARS]

    # 1. The scale, unit or next word behind the number: `3.4 million` is 3400000.
    measure = measure_behind(text_behind)
    if measure.power:
        numeral = times_power_of_ten(numeral, measure.power)

    # 2. The minus sign, which becomes a part of the value. It may stand behind a currency, as
    #    in `€-5`, so it is taken from the text in which the currency is looked for.
    minus = ""
    sign_match = _SIGN_BEFORE.search(text_before)
    if sign_match is not None and sign_match[1] == "-":
        minus = "-"
        start -= len(minus)
        text_before = text_before.removesuffix(minus)

    # 3. The unit behind the number, or else the currency before it.
    unit = measure.unit
    is_year = unit == "year" and len(numeral.amount) == YEAR_DIGITS  # `2026年`
    if is_year:
        unit = ""
    currency_match = _CURRENCY_BEFORE.search(text_before)
    if currency_match is not None and not unit:
        unit = currency_of(currency_match[1])

    # 4. The second reading of an ambiguous number: `1.199` is 1199 or 1.199. And the next word,
    #    which says what a number without a unit counts: `seats`.
    other_amount = ""
    if numeral.other_amount:
        other_amount = minus + numeral.other_amount
    follower = ""
    if not unit:
        follower = measure.follower
    return WrittenValue(
        kind=Kind.NUMBER,
        text=text[start:end],
        start=start,
        end=end,
        canonical=minus + numeral.amount,
        unit=unit,
        decimals=numeral.decimals,
        other_canonical=other_amount,
        other_decimals=numeral.other_decimals,
        follower=follower,
    )
