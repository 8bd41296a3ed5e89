"""Reads numbers of Chinese, Japanese and Korean: `6,189万9,000`, `2.4億円`, `三百二十`."""

from __future__ import annotations

from typing import Final

from controlplane.gates.values.locale_names import MYRIADS
from controlplane.gates.values.numbers.cjk_numerals import (
    CJK_NUMERALS,
    numeral_of_digits_with_signs,
    numeral_of_signs,
)
from controlplane.gates.values.numbers.number_values import number_value
from controlplane.gates.values.spans import Span
from controlplane.gates.values.value_forms import Form
from controlplane.gates.values.value_kinds import Kind, WrittenValue

_THOUSANDS: Final = ("千", "천")
"""Signs for a thousand, in Chinese characters and in Korean ones."""
_NEVER_FIRST: Final = frozenset(MYRIADS) - {"千"}
"""Signs with which no number begins, because they multiply what is before them.

So `万一` is not a number, but a word (emergency). Only 千 can come first: `千二百` is 1200.
"""
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

    `5千` is read only if text follows, because a name may end with 千, too. So is `5万 ` with a
    blank.
    """
    is_at_end_of_text = span.behind(1) == ""
    if is_at_end_of_text and span.written.endswith((" ", *_THOUSANDS)):
        return []
    written = span.written.rstrip()
    numeral = numeral_of_digits_with_signs(written, span.style)
    return [number_value(span, numeral, span.start + len(written))]


def read_cjk_number(span: Span) -> list[WrittenValue]:
    """Read a number in signs: `三百二十` -> 320. Returns nothing for signs that may be a word."""
    if span.written[0] in _NEVER_FIRST:  # `万一` (emergency)
        return []
    numeral = numeral_of_signs(span.written)
    if numeral is None:
        return []
    value = number_value(span, numeral, span.end)
    is_short = len(span.written) <= 2
    if is_short and not value.unit:  # `十分` (enough)
        return []
    return [value]


MYRIAD_NUMBERS: Final = Form(Kind.NUMBER, _MYRIADS, read_myriads)
CJK_NUMBERS: Final = Form(Kind.NUMBER, _CJK_NUMBER, read_cjk_number)
