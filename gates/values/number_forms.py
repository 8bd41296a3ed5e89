"""Reads numbers with signs, scales and units: `-1,250.50 EUR`, `3½ h`, `3.4 million`, `2.4億円`.

The forms are at the end; above them is the pattern and the reader of each.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final

import re2

from controlplane.gates.values.locale_names import MYRIADS
from controlplane.gates.values.numerals import (
    CJK_NUMERALS,
    Numeral,
    fraction_of_sign,
    numeral_of_digits,
    numeral_of_digits_with_signs,
    numeral_of_signs,
    times_power_of_ten,
    with_fraction,
)
from controlplane.gates.values.unit_names import currency_of, measure_behind
from controlplane.gates.values.value_forms import Form
from controlplane.gates.values.value_kinds import (
    Kind,
    Span,
    WrittenValue,
    is_word_character,
)

MAX_UNIT_CHARS: Final = 40
"""Characters after a number that are searched for its scale and unit."""
CHARS_BEFORE: Final = 5
"""Characters before a number that are searched for its sign and currency: `CHF -`."""
YEAR_DIGITS: Final = 4
_THOUSANDS: Final = ("千", "천")
"""Signs for a thousand. They are also parts of words and names."""
_NEVER_FIRST: Final = frozenset(MYRIADS) - {"千"}
"""Signs with which no number begins, because they multiply what is before them.

So `万一` is not a number, but a word (emergency). 千 can come first: `千二百` is 1200.
"""
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
"""A sign at the end of the text before a number: ` -`, `(-`, `€-`."""


# Fractions: `3½`, `½`, `3 1/2`

_FRACTION: Final = r"(?:(?P<whole>\d{1,9}) ?)?[¼½¾⅐-⅞]"
"""`3½`, `3 ½`, `½`"""
_MIXED_FRACTION: Final = (
    r"(?P<whole>\d{1,9})[ \x{a0}-](?P<numerator>[1-7])/(?P<denominator>[2-8])"
)
"""`3 1/2`, `3-1/2`"""


def read_fraction(span: Span) -> list[WrittenValue]:
    """Read a number with a fraction, or a fraction's sign alone: `3 1/2` -> 3.5, `½` -> 0.5."""
    if span.part("denominator"):
        fraction = Fraction(int(span.part("numerator")), int(span.part("denominator")))
    else:
        fraction = fraction_of_sign(span.written[-1])  # the `½` of `3½`
    whole = Numeral(span.part("whole") or "0")
    return [_number_value(span, with_fraction(whole, fraction), span.start, span.end)]


# Numbers of Chinese, Japanese and Korean: `6,189万9,000`, `三百二十`

_MYRIAD_SIGN: Final = "[" + "".join(MYRIADS) + "]"
"""`万` (10,000), `億`, and other signs of powers of ten."""
_DIGITS_WITH_SIGN: Final = rf"\d[\d.,]* ?{_MYRIAD_SIGN}+ ?"
"""`6,189万`, `2.4億 `"""
_CLOSING_DIGITS: Final = r"(?:\d[\d.,]*\d|\d)?"
"""`9,000` of `6,189万9,000`. A comma or point at the end is not part of the number."""
_MYRIADS: Final = rf"(?:{_DIGITS_WITH_SIGN})+{_CLOSING_DIGITS}"
"""`6,189万9,000`"""
_CJK_NUMBER: Final = "[" + "".join(sorted(CJK_NUMERALS)) + "]{2,}"
"""`三百二十`"""


def read_myriads(span: Span) -> list[WrittenValue]:
    """Read digits with signs of powers of ten: `6,189万9,000` -> 61899000, `2.4億` -> 240000000.

    Returns nothing for `5千` at the end of a text. 千 is also a part of names, so only a
    unit behind it shows that this is a number. The same holds for `5万 ` with a blank.
    """
    is_at_end_of_text = span.behind(1) == ""
    needs_unit = span.written.endswith((" ", *_THOUSANDS))
    if is_at_end_of_text and needs_unit:
        return []
    written = span.written.rstrip()
    numeral = numeral_of_digits_with_signs(written, span.style)
    return [_number_value(span, numeral, span.start, span.start + len(written))]


def read_cjk_number(span: Span) -> list[WrittenValue]:
    """Read a number in signs: `三百二十` -> 320. Returns nothing for signs that may be a word."""
    # A sign that multiplies what is before it: `万一` is a word (emergency).
    if span.written[0] in _NEVER_FIRST:
        return []
    numeral = numeral_of_signs(span.written)
    if numeral is None:
        return []
    value = _number_value(span, numeral, span.start, span.end)

    # Two signs without a unit may be a word, such as `十分` (enough).
    if not value.unit and len(span.written) <= 2:
        return []
    return [value]


# Numbers in digits: `1,250.50`, `1 250`, `12`

_GROUPED: Final = r"\d{1,3}(?:[ \x{a0}']\d{3})+(?:[.,]\d+)?\b"
"""`1 250`, `17 342 500.5`: groups of three digits. `\\x{a0}` is a hard blank."""
_PLAIN: Final = r"\d+(?:[.,]\d+)*"
"""`12`, `1,250.50`"""


def read_number(span: Span) -> list[WrittenValue]:
    """Read digits with marks: `1,250.50 EUR`.

    `17 342 500` without a unit is one number only in a text that groups digits by blanks.
    """
    before = span.before(2)
    is_in_word = is_word_character(before[-1:])
    is_exponent = before[-1:] == "^" and before[:1].isalnum()  # `10^6`
    if is_in_word or is_exponent:
        return []
    numeral = numeral_of_digits(span.written, span.style)
    value = _number_value(span, numeral, span.start, span.end)
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


def _number_value(span: Span, numeral: Numeral, start: int, end: int) -> WrittenValue:
    """Return the number between two offsets with its sign, scale and unit or next word.

    `numeral` has the amount of the digits: 3.4 of `3.4 million euros` -> 3400000 EUR; 45 of
    `45 seats` -> 45, with `seats` as the next word.
    """
    text = span.match.string
    text_before = text[max(start - CHARS_BEFORE, 0) : start]
    text_behind = text[end : end + MAX_UNIT_CHARS]

    # 1. The scale: `3.4 million` is 3400000.
    measure = measure_behind(text_behind)
    if measure.power:
        numeral = times_power_of_ten(numeral, measure.power)

    # 2. The minus sign, which may stand between a currency and the number: `€-5`. It becomes a part
    #    of the value, so the value starts one character earlier.
    minus = ""
    sign_match = _SIGN_BEFORE.search(text_before)
    if sign_match is not None and sign_match[1] == "-":
        minus = "-"
        start -= 1
        text_before = text_before.removesuffix(minus)

    # 3. The unit behind the number, or else the currency before it.
    unit = measure.unit
    is_year = unit == "year" and len(numeral.amount) == YEAR_DIGITS  # `2026年`
    if is_year:
        unit = ""
    currency_match = _CURRENCY_BEFORE.search(text_before)
    if currency_match is not None and not unit:
        unit = currency_of(currency_match[1])

    # 4. The second reading of an ambiguous number such as `1.199`, and the word for what is
    #    counted, which a number with a unit does not need.
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


# `is_alone`: a match counts only if no letter or digit touches it. `joining_marks`: nor may
# one of these marks join it to a digit: `3 1/2` is not read in `3 1/2/26`.

MIXED_FRACTIONS: Final = Form(
    Kind.NUMBER, _MIXED_FRACTION, read_fraction, is_alone=True, joining_marks="/.,"
)
FRACTIONS: Final = Form(Kind.NUMBER, _FRACTION, read_fraction, is_alone=True)
MYRIAD_NUMBERS: Final = Form(Kind.NUMBER, _MYRIADS, read_myriads)
CJK_NUMBERS: Final = Form(Kind.NUMBER, _CJK_NUMBER, read_cjk_number)
NUMBERS: Final = Form(Kind.NUMBER, f"{_GROUPED}|{_PLAIN}", read_number)
