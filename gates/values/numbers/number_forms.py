"""Reads numbers in digits: `1,250.50`, `1 250`, `12`."""

from __future__ import annotations

from typing import Final

from controlplane.gates.values.numbers.digits import numeral_of_digits
from controlplane.gates.values.numbers.number_values import number_value
from controlplane.gates.values.spans import Span, is_word_character
from controlplane.gates.values.value_forms import Form
from controlplane.gates.values.value_kinds import Kind, WrittenValue

_GROUPED: Final = r"\d{1,3}(?:[ \x{a0}']\d{3})+(?:[.,]\d+)?\b"
"""`1 250`, `17 342 500.5`: groups of three digits. `\\x{a0}` is a hard blank."""
_PLAIN: Final = r"\d+(?:[.,]\d+)*"
"""`12`, `1,250.50`"""


def read_number(span: Span) -> list[WrittenValue]:
    """Read digits with marks: `1,250.50 EUR` -> 1250.5 EUR.

    `17 342 500` without a unit is one number in a text that groups digits by blanks, and three
    in another text.
    """
    before = span.before(2)
    is_in_word = is_word_character(before[-1:])
    is_exponent = before[-1:] == "^" and before[:1].isalnum()  # `10^6`
    if is_in_word or is_exponent:
        return []
    numeral = numeral_of_digits(span.written, span.style)
    value = number_value(span, numeral, span.end)
    has_blanks = " " in span.written
    if has_blanks and not value.unit and not span.style.groups_by_blanks:
        return _separate_numbers(span)
    return [value]


def _separate_numbers(span: Span) -> list[WrittenValue]:
    """Return the numbers between the blanks of a match: `17 342 500` -> 17, 342, 500."""
    values: list[WrittenValue] = []
    start = span.start
    for part in span.written.split(" "):
        end = start + len(part)
        numeral = numeral_of_digits(part, span.style)
        value = WrittenValue(
            kind=Kind.NUMBER,
            text=part,
            start=start,
            end=end,
            canonical=numeral.amount,
            decimals=numeral.decimals,
            other_canonical=numeral.other_amount,
            other_decimals=numeral.other_decimals,
        )
        values.append(value)
        start = end + 1
    return values


NUMBERS: Final = Form(Kind.NUMBER, f"{_GROUPED}|{_PLAIN}", read_number)
