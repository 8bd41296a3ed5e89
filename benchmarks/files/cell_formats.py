"""The text that a spreadsheet shows for a cell: its value in the cell's number format.

Dates are written as year-month-day. A number is rounded by its format only if it has more digits than people type:
a sum over the cells of an amount in full euros is then still right to the cent.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, Final

GENERAL: Final = "General"
SIGNIFICANT_DIGITS: Final = 15
"""Digits of a number that a spreadsheet keeps; later ones are noise, as in 0.30000000000000004."""
TYPED_DIGITS: Final = 10
"""A number with more significant digits was computed, and is rounded as its format says."""
DAY_ZERO: Final = datetime(1899, 12, 31)
"""The day before the first one: a time of day that counts beyond 24 hours is stored as a time some days later."""
LAST_DAY_OF_DURATIONS: Final = datetime(1900, 12, 31)
"""A time of day in this first year is a duration: no sheet has real dates of 1900 in a format without a date."""
PLACEHOLDERS: Final = "0#?"


def cell_text(value: Any, number_format: str) -> str:
    """Return a cell's value as text; an empty text for an empty cell."""
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
    """Say whether the text of a cell has fewer digits than its number."""
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return False
    layout = _layout_of(value, number_format)
    if layout is None:
        return False
    number = layout.scaled(_exact(value))
    return _rounded(number, layout) != number


# Dates and times


def _datetime_text(value: datetime, number_format: str) -> str:
    value = _without_milliseconds(value)
    shows = _parts_shown(number_format)
    if not shows.date and value <= LAST_DAY_OF_DURATIONS:
        return _duration_text(value - DAY_ZERO, number_format)
    day = value.date().isoformat()
    if value.time() == time() and not shows.hours:
        return day
    return f"{day} {_time_text(value.hour, value.minute, value.second, number_format)}"


def _without_milliseconds(value: datetime) -> datetime:
    """Round to the second: times are stored as fractions of a day, which are seldom exact."""
    return (value + timedelta(milliseconds=500)).replace(microsecond=0)


def _time_text(hours: int, minutes: int, seconds: int, number_format: str) -> str:
    text = f"{hours:02}:{minutes:02}"
    if seconds or _parts_shown(number_format).seconds:
        text += f":{seconds:02}"
    return text


def _duration_text(value: timedelta, number_format: str) -> str:
    """Return hours, which may be more than 24, and minutes, and seconds if there are any."""
    total_seconds = round(abs(value.total_seconds()))
    minutes, seconds = divmod(total_seconds, 60)
    hours, minutes = divmod(minutes, 60)
    sign = "-" if value < timedelta() else ""
    return sign + _time_text(hours, minutes, seconds, number_format)


@dataclass(frozen=True, slots=True)
class _ShownParts:
    """Which parts of a point in time a format shows."""

    date: bool
    hours: bool
    seconds: bool


def _parts_shown(number_format: str) -> _ShownParts:
    letters = ""
    for token in _tokens(number_format):
        if token.kind == "code" or token.text.lower().strip("[]") in ("h", "hh", "m", "mm", "s"):
            letters += token.text.lower()
    return _ShownParts(
        date="y" in letters or "d" in letters,
        hours="h" in letters,
        seconds="s" in letters,
    )


# Numbers


@dataclass(slots=True)
class _Layout:
    """What one section of a number format does to a number."""

    before: str = ""
    """The text before the digits, as a currency sign."""
    after: str = ""
    whole: list[str] = field(default_factory=list)
    """The signs before the decimal point: placeholders of digits, and texts between them."""
    least_decimals: int = 0
    most_decimals: int = 0
    has_thousands: bool = False
    percents: int = 0
    thousands_scale: int = 0
    """Commas after the digits, each of which divides by 1,000."""
    has_own_sign: bool = False
    """The section is for negative numbers alone, and writes their sign itself."""

    def scaled(self, number: Decimal) -> Decimal:
        """Return the number that the digits show, as 25 for a quarter in percent."""
        exponent = 2 * self.percents - 3 * self.thousands_scale
        return number.scaleb(exponent)


def _number_text(value: float | Decimal, number_format: str) -> str:
    layout = _layout_of(value, number_format)
    if layout is None:
        return _general_text(value)
    number = layout.scaled(_exact(value))
    number = _rounded(number, layout)
    sign = "-" if number < 0 and not layout.has_own_sign else ""
    whole, _, decimals = f"{abs(number):f}".partition(".")
    decimals = decimals.rstrip("0").ljust(layout.least_decimals, "0")
    text = _whole_text(whole, layout)
    if decimals:
        text += f".{decimals}"
    return f"{sign}{layout.before}{text}{layout.after}".strip()


def _general_text(value: float | Decimal) -> str:
    """Return a number without a format; numbers that are very small or large in powers of ten."""
    if isinstance(value, int):
        return str(value)
    return f"{value:.{SIGNIFICANT_DIGITS}g}"


def _exact(value: float | Decimal) -> Decimal:
    if isinstance(value, int):
        return Decimal(value)
    return Decimal(f"{value:.{SIGNIFICANT_DIGITS}g}")


def _rounded(number: Decimal, layout: _Layout) -> Decimal:
    """Round a computed number by its format, and leave one as it is that somebody typed."""
    digits = len(number.normalize().as_tuple().digits)
    if digits <= TYPED_DIGITS:
        return number
    return number.quantize(Decimal(1).scaleb(-layout.most_decimals), ROUND_HALF_UP)


def _whole_text(digits: str, layout: _Layout) -> str:
    """Return the digits before the decimal point: with leading zeros, and with what stands between them."""
    places = sum(sign in PLACEHOLDERS for sign in layout.whole)
    least_digits = layout.whole.count("0")
    digits = digits.lstrip("0").rjust(least_digits, "0")
    if layout.has_thousands:
        return f"{int(digits or '0'):,}".rjust(least_digits, "0")
    if places == len(layout.whole):
        return digits or "0"
    return _interleaved(digits, layout.whole)


def _interleaved(digits: str, signs: list[str]) -> str:
    """Put digits in the places of a format such as `00-00`, the last digit in the last place."""
    parts: list[str] = []
    remaining = digits
    for sign in reversed(signs):
        if sign not in PLACEHOLDERS:
            if remaining:
                parts.append(sign)
            continue
        parts.append(remaining[-1:])
        remaining = remaining[:-1]
    return remaining + "".join(reversed(parts))


def _layout_of(value: float | Decimal, number_format: str) -> _Layout | None:
    """Return the layout for a number; None if it is shown without a format.

    Formats with conditions, fractions or powers of ten are not followed.
    """
    if number_format == GENERAL or not math.isfinite(value):
        return None
    sections = _sections(number_format)
    if value < 0 and len(sections) > 1:
        layout = _layout(sections[1])
        if layout is not None:
            shown = layout.before + layout.after
            layout.has_own_sign = "-" in shown or "(" in shown
        return layout
    if value == 0 and len(sections) > 2:
        layout = _layout(sections[2])
        if layout is None or "0" not in layout.whole:  # Accounting formats show a dash for zero.
            return None
        return layout
    return _layout(sections[0])


def _layout(tokens: list[_Token]) -> _Layout | None:
    """Return the layout of one section; None if it shows no digits, or is not followed."""
    layout = _Layout(has_thousands=_has_comma_between_digits(tokens))
    decimals = ""
    is_after_point = False
    last_digit = _last_placeholder(tokens)
    if last_digit < 0:
        return None
    for position, token in enumerate(tokens):
        sign = token.text
        if token.kind == "bracket":
            currency = _currency_of(sign)
            if currency is None:
                return None
            _add_text(layout, currency, position, last_digit)
        elif token.kind == "text":
            _add_text(layout, sign, position, last_digit)
        elif sign in PLACEHOLDERS and is_after_point:
            decimals += sign
        elif sign in PLACEHOLDERS:
            layout.whole.append(sign)
        elif sign == ".":
            is_after_point = True
        elif sign == ",":
            layout.thousands_scale += int(position > last_digit)
        elif sign == "%":
            layout.percents += 1
            _add_text(layout, sign, position, last_digit)
        elif sign in "/eE@":
            return None
        else:
            _add_text(layout, sign, position, last_digit)
    layout.least_decimals = decimals.count("0")
    layout.most_decimals = len(decimals)
    return layout


def _add_text(layout: _Layout, text: str, position: int, last_digit: int) -> None:
    """Add a text before, between or after the digits."""
    if position > last_digit:
        layout.after += text
    elif layout.whole:
        layout.whole.append(text)
    else:
        layout.before += text


def _last_placeholder(tokens: list[_Token]) -> int:
    """Return the position of the last placeholder of a digit; -1 without any."""
    last = -1
    for position, token in enumerate(tokens):
        if token.kind == "code" and token.text in PLACEHOLDERS:
            last = position
    return last


def _has_comma_between_digits(tokens: list[_Token]) -> bool:
    codes = [token.text for token in tokens if token.kind == "code"]
    for before, comma, after in zip(codes, codes[1:], codes[2:], strict=False):
        if comma == "," and before in PLACEHOLDERS and after in PLACEHOLDERS:
            return True
    return False


def _currency_of(bracket: str) -> str | None:
    """Return the sign in a bracket as `[$€-407]`, an empty text for a colour; None for a condition."""
    inside = bracket[1:-1]
    if inside.startswith("$"):
        return inside[1:].partition("-")[0]
    if inside[:1] in "<>=":
        return None
    return ""


# The parts of a number format


@dataclass(frozen=True, slots=True, eq=False)
class _Token:
    """A part of a number format: a `code` of one character, a `bracket`, or a `text` that is shown as it is."""

    kind: str
    text: str


CODES: Final = "0#?.,%eE@/ymdhs"


def _tokens(number_format: str) -> list[_Token]:
    tokens: list[_Token] = []
    position = 0
    while position < len(number_format):
        sign = number_format[position]
        following = number_format[position + 1 : position + 2]
        if sign == '"':
            end = number_format.find('"', position + 1)
            end = len(number_format) if end < 0 else end
            tokens.append(_Token("text", number_format[position + 1 : end]))
            position = end + 1
        elif sign == "[":
            end = number_format.find("]", position)
            end = len(number_format) - 1 if end < 0 else end
            tokens.append(_Token("bracket", number_format[position : end + 1]))
            position = end + 1
        elif sign == "\\":
            tokens.append(_Token("text", following))
            position += 2
        elif sign in "_*":  # A blank as wide as the next character, or as many of it as fit.
            position += 2
        elif sign.lower() in CODES or sign == ";":
            tokens.append(_Token("code", sign))
            position += 1
        else:
            tokens.append(_Token("text", sign))
            position += 1
    return tokens


def _sections(number_format: str) -> list[list[_Token]]:
    """Return the sections of a format: for positive and for negative numbers, for zero, and for texts."""
    sections: list[list[_Token]] = [[]]
    for token in _tokens(number_format):
        if token.kind == "code" and token.text == ";":
            sections.append([])
        else:
            sections[-1].append(token)
    return sections
