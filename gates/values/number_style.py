"""Decides how to read the ambiguous numbers and dates of a text.

`1.199` is 1199 in German but 1.199 in English, and `03/04/2026` is in March or in
April. `number_style_of` decides by the unambiguous numbers and dates in the same text,
by its format (JSON has decimal points), and by its language:

    number_style_of("Der Preis ist 12,5 kg")     # NumberStyle(decimal_mark=",", ...)
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal, TypeAlias

import re2

from controlplane.gates.values.locale_names import locale_names
from controlplane.gates.values.text_language import language_of

DecimalMark: TypeAlias = Literal[".", ",", ""]
DateOrder: TypeAlias = Literal["day first", "month first", ""]

SAMPLE_CHARS: Final = 100_000
"""Only this many characters of a text are examined, which bounds the time for long texts."""

# No digit or mark may touch a number, or it would be a part of a longer one.
_NUMBER_START: Final = r"(?:^|[^\d.,])"
_NUMBER_END: Final = r"(?:$|[^\d.,])"


def _number_with_decimals(decimal_mark: str, grouping_mark: str) -> str:
    """Return a pattern of the numbers in which `decimal_mark` can only be the decimal mark.

    The point of `1.250` may also group digits by three, so this number is not matched.
    """
    forms = (
        rf"0{decimal_mark}\d+",  # 0.125: a number with groups does not begin with 0
        rf"\d+{decimal_mark}\d{{1,2}}",  # 12.5: a group has three digits
        rf"\d+{decimal_mark}\d{{4,}}",  # 3.1416
        rf"\d{{1,3}}(?:{grouping_mark}\d{{3}})+{decimal_mark}\d+",  # 1,250.00: commas group
    )
    return f"{_NUMBER_START}(?:{'|'.join(forms)}){_NUMBER_END}"


_POINT_DECIMALS: Final = re2.compile(_number_with_decimals(r"\.", ","))
"""Numbers whose point can only be a decimal mark: `0.125`, `12.5`, `1,250.00`."""
_COMMA_DECIMALS: Final = re2.compile(_number_with_decimals(",", r"\."))
"""Numbers whose comma can only be a decimal mark: `0,125`, `12,5`, `1.250,00`."""
_DAY_FIRST: Final = re2.compile(r"\b(?:1[3-9]|2\d|3[01])/\d{1,2}/\d{4}\b")
"""A date whose first number is over 12, so it is the day: `31/03/2026`."""
_MONTH_FIRST: Final = re2.compile(r"\b\d{1,2}/(?:1[3-9]|2\d|3[01])/\d{4}\b")
"""A date whose second number is over 12, so it is the day: `03/31/2026`."""
_GROUPS_BY_COMMAS: Final = re2.compile(
    rf"{_NUMBER_START}\d{{1,3}}(?:,\d{{3}})+{_NUMBER_END}"
)
"""A number whose groups of digits are separated by commas: `1,250,000`."""
_POINT_BEHIND_BLANK: Final = re2.compile(r"\d \d{3}\.\d")
"""A decimal point behind a blank: `17 342.5`, which are two cells of a row, 17 and 342.5.

It is not one number: a text with decimal points groups digits by commas, not by blanks.
"""


@dataclass(frozen=True, slots=True)
class NumberStyle:
    """How to read ambiguous numbers and dates. An empty field means that nothing decides."""

    decimal_mark: DecimalMark = ""
    groups_by_blanks: bool = True
    """True if `17 342` is one number, even without a unit behind it."""
    date_order: DateOrder = ""


@lru_cache(maxsize=256)
def number_style_of(text: str) -> NumberStyle:
    """Return the style of a text: `NumberStyle(",", True, "")` for "Der Preis ist 12,5 kg"."""
    sample = text[:SAMPLE_CHARS]
    decimal_mark = _decimal_mark_of(sample)
    # Digits are grouped by blanks unless something shows that commas group them. A decimal point
    # shows it, too, because languages with decimal points group by commas.
    groups_by_commas = (
        decimal_mark == "."
        or _GROUPS_BY_COMMAS.search(sample) is not None
        or _POINT_BEHIND_BLANK.search(sample) is not None
    )
    return NumberStyle(
        decimal_mark=decimal_mark,
        groups_by_blanks=not groups_by_commas,
        date_order=_date_order_of(sample),
    )


def _decimal_mark_of(text: str) -> DecimalMark:
    """Return the decimal mark of a text by its format, its unambiguous numbers or its language.

    "Der Preis ist 12,5 kg" has a comma. Returns "" if nothing decides.
    """
    if text.lstrip()[:1] in ("{", "["):  # JSON
        return "."
    has_points = _POINT_DECIMALS.search(text) is not None
    has_commas = _COMMA_DECIMALS.search(text) is not None
    if has_points and not has_commas:
        return "."
    if has_commas and not has_points:
        return ","

    # The numbers do not decide, so the language does.
    match locale_names().decimal_marks.get(language_of(text)):
        case ".":
            return "."
        case ",":
            return ","
    return ""


def _date_order_of(text: str) -> DateOrder:
    """Return the order of day and month that the dates of a text show.

    A date such as `31/03/2026` shows it. Returns "" if no date does, or if they disagree.
    """
    has_days_first = _DAY_FIRST.search(text) is not None
    has_months_first = _MONTH_FIRST.search(text) is not None
    if has_days_first and not has_months_first:
        return "day first"
    if has_months_first and not has_days_first:
        return "month first"
    return ""
