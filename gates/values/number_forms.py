"""How numbers with signs, scales and units are written."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

import re2

from controlplane.gates.values.locale_names import (
    MYRIADS,
)
from controlplane.gates.values.numerals import (
    CJK_NUMERALS,
    Numeral,
    numeral_of_cjk,
    numeral_of_digits,
    numeral_of_myriads,
    numeral_of_sign,
    times_power_of_ten,
    with_fraction,
)
from controlplane.gates.values.unit_names import currency_of, measure_behind
from controlplane.gates.values.value_kinds import Kind, Span, WrittenValue, is_word_character

MOST_UNIT_CHARS: Final = 40
GROUPED_PATTERN: Final = r"\d{1,3}(?:[ \x{a0}']\d{3})+(?:[.,]\d+)?\b"
PLAIN_PATTERN: Final = r"\d+(?:[.,]\d+)*"
FRACTION_SIGN_PATTERN: Final = r"[¼½¾⅐-⅞]"
_MYRIAD_SIGN: Final = "[" + "".join(MYRIADS) + "]"
MYRIAD_NUMBER_PATTERN: Final = rf"(?:\d[\d.,]* ?{_MYRIAD_SIGN}+ ?)+(?:\d[\d.,]*\d|\d)?"
CJK_NUMBER_PATTERN: Final = "[" + "".join(sorted(CJK_NUMERALS)) + "]{2,}"
MIXED_FRACTION_PATTERN: Final = (
    r"(?P<whole>\d{1,9})[ \x{a0}-](?P<numerator>[1-7])/(?P<denominator>[2-8])"
)
_UNIT_BEFORE: Final = re2.compile(
    r"([\p{L}]{0,3}\p{Sc}|\b[A-Z]{3}|\bRs\.?|\bFr\.?|\bkr\.?)[ \x{a0}]?$"
)
_SIGN_BEFORE: Final = re2.compile(r"(?:^|[\s(\x{a0}:=;,|>\p{Sc}])([+-])$")


def read_fraction(span: Span) -> list[WrittenValue]:
    """Return a number with a fraction, or a fraction's sign alone: `3½`, `3 1/2`, `½`."""
    if span.part("denominator"):
        fraction = Fraction(int(span.part("numerator")), int(span.part("denominator")))
    else:
        fraction = numeral_of_sign(span.written[-1])
    numeral = with_fraction(Numeral(span.part("whole") or "0"), fraction)
    return [_number_value(span, numeral, span.start, span.end)]


def read_myriads(span: Span) -> list[WrittenValue]:
    if span.written[-1] in (" ", "千", "천") and not span.behind(1):
        return []
    written = span.written.rstrip()
    numeral = numeral_of_myriads(written, span.style)
    return [_number_value(span, numeral, span.start, span.start + len(written))]


def read_cjk_number(span: Span) -> list[WrittenValue]:
    numeral = numeral_of_cjk(span.written)
    if numeral is None or (span.written[0] in MYRIADS and span.written[0] not in "千"):
        return []
    value = _number_value(span, numeral, span.start, span.end)
    return [value] if value.unit or len(span.written) > 2 else []


def read_number(span: Span) -> list[WrittenValue]:
    before = span.before(2)
    if is_word_character(before[-1:]) or (before[-1:] == "^" and before[:1].isalnum()):
        return []
    numeral = numeral_of_digits(span.written, span.style)
    value = _number_value(span, numeral, span.start, span.end)
    if " " in span.written and not value.unit and not span.style.groups_by_blanks:
        return _separate_numbers(span)
    return [value]


def _separate_numbers(span: Span) -> list[WrittenValue]:
    """Return the numbers of `17 342 500` each for itself."""
    values: list[WrittenValue] = []
    start = span.start
    for part in span.written.split(" "):
        numeral = numeral_of_digits(part, span.style)
        end = start + len(part)
        values.append(
            WrittenValue(
                Kind.NUMBER, part, start, end, numeral.amount, "", numeral.decimals,
                numeral.other_amount, numeral.other_decimals,
            )
        )  # fmt: skip
        start = end + 1
    return values


def _number_value(span: Span, numeral: Numeral, start: int, end: int) -> WrittenValue:
    """Return a number with its sign, scale and unit."""
    text = span.match.string
    before = text[max(start - 5, 0) : start]
    behind = text[end : end + MOST_UNIT_CHARS]
    measure = measure_behind(behind)
    if measure.power:
        numeral = times_power_of_ten(numeral, measure.power)
    unit = measure.unit
    sign_match = _SIGN_BEFORE.search(before)
    sign = "-" if sign_match and sign_match[1] == "-" else ""
    if sign:
        start -= 1
        before = before[:-1]
    if unit == "year" and len(numeral.amount) == 4:  # `2026年` is a year, no duration
        unit = ""
    unit_before = _UNIT_BEFORE.search(before)
    if unit_before and not unit:
        unit = currency_of(unit_before[1])
    other_amount = sign + numeral.other_amount if numeral.other_amount else ""
    return WrittenValue(
        Kind.NUMBER,
        text[start:end],
        start,
        end,
        sign + numeral.amount,
        unit,
        numeral.decimals,
        other_amount,
        numeral.other_decimals,
        measure.power,
        "" if unit else measure.follower,
    )
