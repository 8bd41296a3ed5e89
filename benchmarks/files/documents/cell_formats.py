"""Format a cell's value as a spreadsheet shows it, by the cell's number format.

The number 1234.5 with the format `#,##0.00 "EUR"` becomes `1,234.50 EUR`. There are two
differences from a spreadsheet: a date becomes year-month-day, and a typed number keeps all
its digits. So amounts that are shown in whole euros keep their cents, and can be summed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, Final, Literal

GENERAL: Final = "General"
SIGNIFICANT_DIGITS: Final = 15
"""The digits that a spreadsheet keeps. Later digits are noise, as in 0.30000000000000004."""
TYPED_DIGITS: Final = 10
"""A number with at most this many digits was typed by a person: 1234.56. It is not rounded.

A number with more digits was computed, as 1/3 = 0.333333333333333. It is rounded as its
format says, because nobody needs its further digits.
"""
PLACEHOLDERS: Final = frozenset("0#?")
"""Codes of a format that stand for a digit.

`0` shows a zero if the number has no digit there.
"""


def cell_text(value: Any, number_format: str) -> str:
    """Return a cell's value as text; empty for an empty cell."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int | float | Decimal):
        return _number_text(value, number_format)
    if isinstance(value, datetime):
        return _datetime_text(value, number_format)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, time):
        return _time_text(value.hour, value.minute, value.second, number_format)
    if isinstance(value, timedelta):
        return _duration_text(value, number_format)
    return str(value)


def is_rounded(value: Any, number_format: str) -> bool:
    """Return True if the text of a cell has fewer digits than its number."""
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return False
    layout = _layout_for(value, number_format)
    if layout is None:
        return False
    number = layout.scaled(_exact(value))
    return _rounded(number, layout) != number


# Dates and times

DAY_ZERO: Final = datetime(1899, 12, 31)
"""The start of a spreadsheet's calendar. Day 1 is 1900-01-01.

A spreadsheet stores durations as numbers of days, too: 26 hours as 1.083.
The library for reading sheets returns that as a date, 2 o'clock on 1900-01-01,
which is 26 hours after DAY_ZERO.
"""
LAST_DAY_OF_DURATIONS: Final = datetime(1900, 12, 31)
"""A date up to this day is a duration if its format shows only hours.

Real dates in sheets are later.
"""


def _datetime_text(value: datetime, number_format: str) -> str:
    """Return a date. Add the time if the format shows it or it is not midnight."""
    value = _rounded_to_second(value)
    shown_parts = _parts_shown(number_format)
    is_duration = not shown_parts.date and value <= LAST_DAY_OF_DURATIONS
    if is_duration:
        return _duration_text(value - DAY_ZERO, number_format)
    day = value.date().isoformat()
    is_midnight = value.time() == time()
    if is_midnight and not shown_parts.hours:
        return day
    return f"{day} {_time_text(value.hour, value.minute, value.second, number_format)}"


def _rounded_to_second(value: datetime) -> datetime:
    """Round to the nearest second. Times are stored as fractions of a day, rarely exact."""
    return (value + timedelta(milliseconds=500)).replace(microsecond=0)


def _time_text(hours: int, minutes: int, seconds: int, number_format: str) -> str:
    text = f"{hours:02}:{minutes:02}"
    if seconds or _parts_shown(number_format).seconds:
        text += f":{seconds:02}"
    return text


def _duration_text(value: timedelta, number_format: str) -> str:
    """Return hours and minutes, and seconds if there are any. Hours may exceed 24."""
    total_seconds = round(abs(value.total_seconds()))
    minutes, seconds = divmod(total_seconds, 60)
    hours, minutes = divmod(minutes, 60)
    sign = "-" if value < timedelta() else ""
    return sign + _time_text(hours, minutes, seconds, number_format)


@dataclass(frozen=True, slots=True)
class _ShownParts:
    """The parts of a date and time that a format shows."""

    date: bool
    hours: bool
    seconds: bool


ELAPSED_CODES: Final = {"[h]": "h", "[hh]": "h", "[s]": "s", "[ss]": "s"}
"""Codes for elapsed hours and seconds, which may exceed 24 and 60, as in `[h]:mm`."""


def _parts_shown(number_format: str) -> _ShownParts:
    """Return the parts that a format shows: date and hours for `dd.mm.yyyy hh:mm`."""
    codes = set()
    for token in _tokens(number_format):
        text = token.text.lower()
        if token.kind == "code":
            codes.add(text)
        elif token.kind == "bracket" and text in ELAPSED_CODES:
            codes.add(ELAPSED_CODES[text])
    return _ShownParts(
        date="y" in codes or "d" in codes,
        hours="h" in codes,
        seconds="s" in codes,
    )


# Numbers


@dataclass(slots=True)
class _Layout:
    """How a number is shown, read from one section of a number format.

    For `"ca. "#,##0.00" km"`, the text `ca. ` is before the digits and ` km` after
    them. Thousands have commas, and there are always two decimals.
    """

    before: str = ""
    """The text before the digits, such as a currency sign."""
    after: str = ""
    """The text after the digits, such as a unit."""
    whole_part: list[str] = field(default_factory=list)
    """The placeholders before the decimal point, and the texts between them.

    For `00-00` it is `["0", "0", "-", "0", "0"]`: 1234 is shown as `12-34`."""
    least_decimals: int = 0
    most_decimals: int = 0
    has_thousands: bool = False
    """True if commas separate thousands."""
    percent_signs: int = 0
    """Each multiplies the number by 100."""
    scaling_commas: int = 0
    """The number of commas after the digits, as in `0,`. Each divides the number by 1,000."""
    has_own_sign: bool = False
    """True if `before` and `after` show that the number is negative, as in `(0.00)`."""

    def scaled(self, number: Decimal) -> Decimal:
        """Return the number to display: 25 for 0.25 with a percent sign."""
        exponent = 2 * self.percent_signs - 3 * self.scaling_commas
        return number.scaleb(exponent)


def _number_text(value: float | Decimal, number_format: str) -> str:
    """Return a number in its format: `1,234.50 EUR`."""
    layout = _layout_for(value, number_format)
    if layout is None:
        return _general_text(value)
    number = _rounded(layout.scaled(_exact(value)), layout)
    has_minus = number < 0 and not layout.has_own_sign
    sign = "-" if has_minus else ""
    whole, _, decimals = f"{abs(number):f}".partition(".")
    # Zeros at the end are shown only where the format has a `0`.
    decimals = decimals.rstrip("0").ljust(layout.least_decimals, "0")
    text = _whole_text(whole, layout)
    if decimals:
        text += f".{decimals}"
    return f"{sign}{layout.before}{text}{layout.after}".strip()


def _general_text(value: float | Decimal) -> str:
    """Return a number without a format. Very small and large numbers use powers of ten."""
    if isinstance(value, int):
        return str(value)
    return f"{value:.{SIGNIFICANT_DIGITS}g}"


def _exact(value: float | Decimal) -> Decimal:
    """Return a number without the noise of binary fractions: 0.3 for 0.30000000000000004."""
    if isinstance(value, int):
        return Decimal(value)
    return Decimal(f"{value:.{SIGNIFICANT_DIGITS}g}")


def _rounded(number: Decimal, layout: _Layout) -> Decimal:
    """Round a number by its format, unless it has so few digits that it was typed by hand."""
    digits = len(number.normalize().as_tuple().digits)
    if digits <= TYPED_DIGITS:
        return number
    return number.quantize(Decimal(1).scaleb(-layout.most_decimals), ROUND_HALF_UP)


def _whole_text(digits: str, layout: _Layout) -> str:
    """Return the digits before the decimal point as the layout shows them.

    - In `00000`: `501` -> `00501`.
    - In `#,##0`: `123456` -> `123,456`.
    - In `00-00-00`: `123456` -> `12-34-56`.
    """
    least_digits = layout.whole_part.count("0")
    digits = digits.lstrip("0")
    if layout.has_thousands:
        # Python counts the commas in the width: 6 for the five digits of `00,501`.
        width = least_digits + max(least_digits - 1, 0) // 3
        return f"{int(digits or '0'):0{width},}"
    digits = digits.rjust(least_digits, "0")
    has_text_between = any(part not in PLACEHOLDERS for part in layout.whole_part)
    if has_text_between:
        return _interleaved(digits, layout.whole_part)
    return digits or "0"


def _interleaved(digits: str, whole_part: list[str]) -> str:
    """Fill digits into a format such as `00-00`, from the right: `123` -> `1-23`.

    Text is shown only if there are digits before it. Surplus digits go in front.
    """
    reversed_parts: list[str] = []
    remaining_digits = digits
    for part in reversed(whole_part):
        if part in PLACEHOLDERS:
            reversed_parts.append(remaining_digits[-1:])
            remaining_digits = remaining_digits[:-1]
        elif remaining_digits:
            reversed_parts.append(part)
    return remaining_digits + "".join(reversed(reversed_parts))


# The layout of a number


def _layout_for(value: float | Decimal, number_format: str) -> _Layout | None:
    """Return how a number is shown. None: as it is, without a format.

    A format has up to four sections: for positive numbers, negative numbers, zero, and
    texts, as in `0.00;(0.00);"-"`. If the section for negative numbers or zero is
    missing, the first one is used.
    """
    if number_format == GENERAL or not math.isfinite(value):
        return None
    sections = _sections(number_format)
    if value < 0 and len(sections) > 1:
        return _negative_layout(sections[1])
    if value == 0 and len(sections) > 2:
        return _zero_layout(sections[2])
    return _parsed_layout(sections[0])


def _negative_layout(section: list[_Token]) -> _Layout | None:
    """Return the layout of the section for negative numbers: `(0.00)` or `-0.00`.

    If the section shows a minus or parentheses, no other minus is added to the number.
    """
    layout = _parsed_layout(section)
    if layout is not None:
        surrounding_text = layout.before + layout.after
        layout.has_own_sign = "-" in surrounding_text or "(" in surrounding_text
    return layout


def _zero_layout(section: list[_Token]) -> _Layout | None:
    """Return the layout of the section for zero, or None if zero is then shown as `0`.

    That is so for a section without a digit, such as `"-"`, so that a column of numbers
    has only numbers.
    """
    layout = _parsed_layout(section)
    if layout is None or "0" not in layout.whole_part:
        return None
    return layout


def _parsed_layout(section: list[_Token]) -> _Layout | None:
    """Return the layout that a section describes.

    None if it shows no digits (`"n/a"`), or has a code that is not supported (`# ?/?`).
    """
    last_placeholder = _last_placeholder(section)
    if last_placeholder is None or not _is_supported(section):
        return None
    layout = _Layout(has_thousands=_has_comma_between_digits(section))
    decimal_placeholders = ""
    is_after_point = False
    for position, token in enumerate(section):
        is_after_digits = position > last_placeholder
        code = token.text if token.kind == "code" else ""
        if code in PLACEHOLDERS and is_after_point:
            decimal_placeholders += code
        elif code in PLACEHOLDERS:
            layout.whole_part.append(code)
        elif code == ".":
            is_after_point = True
        elif code == "," and is_after_digits:
            layout.scaling_commas += 1
        elif code == ",":
            continue  # A comma between digits is in `has_thousands` already.
        else:
            if code == "%":
                layout.percent_signs += 1
            _add_text(layout, _shown_text(token), is_after_digits=is_after_digits)
    layout.least_decimals = decimal_placeholders.count("0")
    layout.most_decimals = len(decimal_placeholders)
    return layout


UNSUPPORTED_CODES: Final = frozenset("/eE@")
"""Codes of fractions, powers of ten and texts.

A number with such a format is shown as if it had none.
"""


def _is_supported(section: list[_Token]) -> bool:
    """Return True if a section has no condition and no unsupported code."""
    for token in section:
        if token.kind == "code" and token.text in UNSUPPORTED_CODES:
            return False
        if token.kind == "bracket" and _is_condition(token.text):
            return False
    return True


def _is_condition(bracket: str) -> bool:
    """Return True if a bracket is a condition, such as `[>=100]`.

    An empty one counts, too: nobody knows what it means, so its format is not used.
    """
    inside = bracket[1:-1]
    return not inside or inside[0] in "<>="


def _shown_text(token: _Token) -> str:
    """Return the text that a token shows: the currency for `[$€-407]`, nothing for a colour."""
    if token.kind != "bracket":
        return token.text
    inside = token.text[1:-1]
    if inside.startswith("$"):
        return inside[1:].partition("-")[0]
    return ""


def _add_text(layout: _Layout, text: str, *, is_after_digits: bool) -> None:
    """Add text before, between or after the digits."""
    if is_after_digits:
        layout.after += text
    elif layout.whole_part:  # between digits
        layout.whole_part.append(text)
    else:
        layout.before += text


def _last_placeholder(tokens: list[_Token]) -> int | None:
    """Return the index of the last digit placeholder; None if there is none."""
    last = None
    for position, token in enumerate(tokens):
        if token.kind == "code" and token.text in PLACEHOLDERS:
            last = position
    return last


def _has_comma_between_digits(tokens: list[_Token]) -> bool:
    """Return True for a comma that separates thousands: in `#,##0`, but not in `0,`."""
    codes = [token.text for token in tokens if token.kind == "code"]
    for before, comma, after in zip(codes, codes[1:], codes[2:], strict=False):
        if comma == "," and before in PLACEHOLDERS and after in PLACEHOLDERS:
            return True
    return False


# The parts of a number format


@dataclass(frozen=True, slots=True)
class _Token:
    """A part of a number format."""

    kind: Literal["code", "bracket", "text"]
    """A `code` is a character with a meaning, a `bracket` like `[Red]`; `text` is shown as is."""
    text: str


CODES: Final = "0#?.,%eE@/ymdhs;"
"""Characters with a meaning in a format.

They stand for digits and their separators, percent, powers of ten, texts, and the parts
of dates. The semicolon ends a section.
"""


def _tokens(number_format: str) -> list[_Token]:
    """Split a format into its parts: `0.0" km"` -> the codes `0`, `.`, `0` and the text ` km`.

    A quotation or bracket without an end goes up to the end of the format.
    """
    tokens: list[_Token] = []
    position = 0
    while position < len(number_format):
        character = number_format[position]
        if character == '"':
            text, _, _ = number_format[position + 1 :].partition('"')
            tokens.append(_Token("text", text))
            position += len(text) + 2  # with both quotation marks
        elif character == "[":
            inside, _, _ = number_format[position + 1 :].partition("]")
            bracket = number_format[position : position + len(inside) + 2]
            tokens.append(_Token("bracket", bracket))
            position += len(bracket)
        elif character == "\\":
            tokens.append(_Token("text", number_format[position + 1 : position + 2]))
            position += 2
        elif character in "_*":
            # `_x` is a space as wide as `x`, and `*x` fills the cell with `x`. Neither is shown.
            position += 2
        elif character.lower() in CODES:
            tokens.append(_Token("code", character))
            position += 1
        else:
            tokens.append(_Token("text", character))
            position += 1
    return tokens


def _sections(number_format: str) -> list[list[_Token]]:
    """Return the sections of a format: for positive numbers, negative numbers, zero, and texts."""
    sections: list[list[_Token]] = [[]]
    for token in _tokens(number_format):
        if token.kind == "code" and token.text == ";":
            sections.append([])
        else:
            sections[-1].append(token)
    return sections
