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


def number_value(span: Span, numeral: Numeral, end: int) -> WrittenValue:
    """Return the number from the start of a match to an offset, with its sign, scale and unit.

    `numeral` has the amount of the digits alone: of 3.4 in `3.4 million euros`, the result is
    3400000 EUR, and of 5 in `€-5`, it is -5 EUR.
    """
    text = span.match.string
    start = span.start
    text_before = text[max(start - CHARS_BEFORE, 0) : start]
    text_behind = text[end : end + MAX_UNIT_CHARS]

    # 1. Behind the number: its scale and unit, as in `3.4 million euros`.
    measure = measure_behind(text_behind)
    if measure.power:
        numeral = times_power_of_ten(numeral, measure.power)
    unit = measure.unit
    if unit == "year" and len(numeral.amount) == YEAR_DIGITS:
        unit = ""  # `2026年` names a year, and does not count 2026 years

    # 2. Directly before the number: its minus sign, which becomes a part of the value.
    minus = ""
    sign_match = _SIGN_BEFORE.search(text_before)
    if sign_match is not None and sign_match[1] == "-":
        minus = "-"
        start -= len(minus)
        text_before = text_before.removesuffix(minus)

    # 3. Before that: its currency, as in `€-5`, if it has no unit yet.
    if not unit:
        currency_match = _CURRENCY_BEFORE.search(text_before)
        if currency_match is not None:
            unit = currency_of(currency_match[1])

    # 4. The word behind a number without a unit, which says what it counts: `45 seats`.
    follower = ""
    if not unit:
        follower = measure.follower

    # 5. The second reading of an ambiguous number: `1.199` is 1199 or 1.199.
    other_amount = ""
    if numeral.other_amount:
        other_amount = minus + numeral.other_amount
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
