"""Converts workbooks to text: each sheet as CSV, with notes about what CSV cannot show.

A cell becomes the text that a spreadsheet shows: `1,234.50 EUR`. That the cells A1 to C1 are
merged, or that the sheet is hidden, becomes a note, because an answer may depend on it.
"""

from __future__ import annotations

import csv
import gc
import math
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache
from io import BytesIO, StringIO
from operator import itemgetter
from typing import Any, Final, Literal, NamedTuple, TypeAlias

import re2
from openpyxl.reader.excel import ExcelReader
from openpyxl.styles.numbers import BUILTIN_FORMATS
from openpyxl.styles.stylesheet import apply_stylesheet
from openpyxl.utils import get_column_letter
from openpyxl.worksheet._reader import WorkSheetParser
from openpyxl.worksheet.formula import ArrayFormula, DataTableFormula

# Splits the number format of a cell into its parts.
#
# `0.0" km"` has the codes `0`, `.`, `0` and the text ` km`. Semicolons divide a format into
# sections for positive numbers, negative numbers, zero, and texts.


@dataclass(frozen=True, slots=True)
class _FormatToken:
    """A part of a number format."""

    kind: Literal["code", "bracket", "text"]
    """A `code` is a character with a meaning, a `bracket` like `[Red]`; `text` is shown as is."""
    text: str

    @property
    def code(self) -> str:
        """The character of a code: `0`. Empty for a bracket or a text."""
        return self.text if self.kind == "code" else ""


_CODES: Final = "0#?.,%eE@/ymdhs;"
"""Characters with a meaning in a format.

They stand for digits and their separators, percent, powers of ten, texts, and the parts
of dates. The semicolon ends a section.
"""


def _format_tokens(number_format: str) -> list[_FormatToken]:
    """Split a format into its parts: `0.0" km"` -> the codes `0`, `.`, `0` and the text ` km`.

    A quotation or bracket without an end goes up to the end of the format.
    """
    tokens: list[_FormatToken] = []
    position = 0
    while position < len(number_format):
        character = number_format[position]
        if character == '"':
            text, _, _ = number_format[position + 1 :].partition('"')
            tokens.append(_FormatToken("text", text))
            position += len(text) + 2  # with both quotation marks
        elif character == "[":
            inside, _, _ = number_format[position + 1 :].partition("]")
            bracket = number_format[position : position + len(inside) + 2]
            tokens.append(_FormatToken("bracket", bracket))
            position += len(bracket)
        elif character == "\\":
            tokens.append(
                _FormatToken("text", number_format[position + 1 : position + 2])
            )
            position += 2
        elif character in "_*":
            # `_x` is a space as wide as `x`, and `*x` fills the cell with `x`. Neither is shown.
            position += 2
        elif character.lower() in _CODES:
            tokens.append(_FormatToken("code", character))
            position += 1
        else:
            tokens.append(_FormatToken("text", character))
            position += 1
    return tokens


def _format_sections(number_format: str) -> list[list[_FormatToken]]:
    """Return the sections of a format: for positive numbers, negative numbers, zero, and texts."""
    sections: list[list[_FormatToken]] = [[]]
    for token in _format_tokens(number_format):
        if token.code == ";":
            sections.append([])
        else:
            sections[-1].append(token)
    return sections


# The text of a date, a time or a duration in a cell: `2027-03-01`, `14:30:00`.
#
# A date is written year-month-day, whatever its format says, so that nobody takes 03/01 for
# January. Its format only decides whether the time is shown, too.

_DAY_ZERO: Final = datetime(1899, 12, 31)
"""The start of a spreadsheet's calendar. Day 1 is 1900-01-01.

A spreadsheet stores a duration as a number of days, too: 26 hours as 1.083. The library that
reads sheets returns the date after so many days: 2 o'clock on 1900-01-01.
"""
_LAST_DAY_OF_DURATIONS: Final = datetime(1900, 12, 31)
"""A date up to this day is a duration if its format shows no date.

Real dates in sheets are later.
"""


def _datetime_text(value: datetime, number_format: str) -> str:
    """Return a date, with its time if the format shows it or it is not midnight, or a duration.

    | value              | format             | text               |
    | ------------------ | ------------------ | ------------------ |
    | 2027-03-01, 00:00  | `dd.mm.yyyy`       | `2027-03-01`       |
    | 2027-03-01, 00:00  | `dd.mm.yyyy hh:mm` | `2027-03-01 00:00` |
    | 2027-03-01, 14:30  | `dd.mm.yyyy`       | `2027-03-01 14:30` |
    | 1900-01-01, 02:00  | `[h]:mm`           | `26:00`            |
    """
    value = _rounded_to_second(value)
    shown_parts = _parts_shown(number_format)
    if not shown_parts.date and value <= _LAST_DAY_OF_DURATIONS:
        return _duration_text(value - _DAY_ZERO, number_format)
    day = value.date().isoformat()
    is_midnight = value.time() == time()
    if is_midnight and not shown_parts.hours:
        return day
    return f"{day} {_time_text(value.hour, value.minute, value.second, number_format)}"


def _rounded_to_second(value: datetime) -> datetime:
    """Round to the nearest second. Times are stored as fractions of a day, rarely exact."""
    return (value + timedelta(milliseconds=500)).replace(microsecond=0)


def _time_text(hours: int, minutes: int, seconds: int, number_format: str) -> str:
    """Return a time: `9`, `5`, `0` -> `09:05`, or `09:05:00` if the format shows seconds."""
    text = f"{hours:02}:{minutes:02}"
    if seconds or _parts_shown(number_format).seconds:
        text += f":{seconds:02}"
    return text


def _duration_text(value: timedelta, number_format: str) -> str:
    """Return hours and minutes, and seconds if there are any: `26:05` for 26 hours, 5 minutes."""
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


_ELAPSED_CODES: Final = {"[h]": "h", "[hh]": "h", "[s]": "s", "[ss]": "s"}
"""Codes for elapsed hours and seconds, which may exceed 24 and 60, as in `[h]:mm`."""


@lru_cache(maxsize=256)
def _parts_shown(number_format: str) -> _ShownParts:
    """Return the parts that a format shows: date and hours for `dd.mm.yyyy hh:mm`."""
    codes = set()
    for token in _format_tokens(number_format):
        text = token.text.lower()
        if token.kind == "code":
            codes.add(text)
        elif token.kind == "bracket" and text in _ELAPSED_CODES:
            codes.add(_ELAPSED_CODES[text])
    return _ShownParts(
        date="y" in codes or "d" in codes,
        hours="h" in codes,
        seconds="s" in codes,
    )


# How a number is shown in a cell: with which signs, digits, separators and texts.
#
# The format `"ca. "#,##0.00" km"` shows 1234.5 as `ca. 1,234.50 km`. `layout_parser` reads this
# layout from the format, and `_number_text` writes a number in it.

_PLACEHOLDERS: Final = frozenset("0#?")
"""Codes of a format that stand for a digit.

`0` shows a zero if the number has no digit there.
"""


@dataclass(frozen=True, slots=True)
class _NumberLayout:
    """How a number is shown, read from one section of a number format.

    For `"ca. "#,##0.00" km"`, the text `ca. ` is before the digits and ` km` after
    them. Thousands have commas, and there are always two decimals.
    """

    before: str = ""
    """The text before the digits, such as a currency sign."""
    after: str = ""
    """The text after the digits, such as a unit."""
    whole_part: tuple[str, ...] = ()
    """The placeholders before the decimal point, and the texts between them.

    For `00-00` it is `("0", "0", "-", "0", "0")`: 1234 is shown as `12-34`."""
    least_decimals: int = 0
    """The number of decimals that are shown even if they are zeros: 1 for `0.0#`."""
    most_decimals: int = 0
    """The number of decimals that have room: 2 for `0.0#`."""
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


# Reads from a cell's number format how the cell shows a number.
#
# For `"ca. "#,##0.00" km"`, the text `ca. ` is before the digits, and there are commas and two
# decimals. Authors of spreadsheets put units and currencies into formats. A question about
# amounts in EUR could not be answered without them.

_GENERAL: Final = "General"
_UNSUPPORTED_CODES: Final = frozenset("/eE@")
"""Codes of fractions, powers of ten and texts.

A number with such a format is shown as if it had none.
"""


def _layout_for(value: float | Decimal, number_format: str) -> _NumberLayout | None:
    """Return how a number is shown. None: as it is, without a format."""
    if number_format == _GENERAL or not math.isfinite(value):
        return None
    layouts = _layouts_of(number_format)
    if value < 0:
        return layouts.negative
    if value == 0:
        return layouts.zero
    return layouts.positive


class _Layouts(NamedTuple):
    """The layouts of one format, by the sign of the number."""

    positive: _NumberLayout | None
    negative: _NumberLayout | None
    zero: _NumberLayout | None


@lru_cache(maxsize=256)
def _layouts_of(number_format: str) -> _Layouts:
    """Return the layouts of a format: three for `0.00;(0.00);0`.

    A format has up to four sections: for positive numbers, negative numbers, zero, and
    texts. If the section for negative numbers or zero is missing, the first one is used.
    """
    sections = _format_sections(number_format)
    positive = _layout_of(sections[0])
    negative = positive
    zero = positive
    if len(sections) > 1:
        negative = _negative_layout(sections[1])
    if len(sections) > 2:
        zero = _zero_layout(sections[2])
    return _Layouts(positive, negative, zero)


def _negative_layout(section: Sequence[_FormatToken]) -> _NumberLayout | None:
    """Return the layout of the section for negative numbers: `(0.00)` or `-0.00`.

    If the section shows a minus or parentheses, no other minus is added to the number.
    """
    layout = _layout_of(section)
    if layout is None:
        return None
    surrounding_text = layout.before + layout.after
    has_own_sign = "-" in surrounding_text or "(" in surrounding_text
    return replace(layout, has_own_sign=has_own_sign)


def _zero_layout(section: Sequence[_FormatToken]) -> _NumberLayout | None:
    """Return the layout of the section for zero, or None if zero is then shown as `0`.

    That is so for a section without a digit, such as `"-"`, so that a column of numbers
    has only numbers.
    """
    layout = _layout_of(section)
    if layout is None or "0" not in layout.whole_part:
        return None
    return layout


def _layout_of(section: Sequence[_FormatToken]) -> _NumberLayout | None:
    """Return the layout that a section of a format describes, from its tokens: `0.00" km"`.

    A token is a code (`0`), a text (` km`) or something in brackets (`[Red]`). The result is
    None if the section shows no digits (`"n/a"`), or has a code that is not supported
    (`# ?/?`).
    """
    digit_positions = []
    for position, token in enumerate(section):
        if token.code in _PLACEHOLDERS:
            digit_positions.append(position)
    if not digit_positions or not _is_supported(section):
        return None

    end_of_digits = digit_positions[-1] + 1
    after_digits = section[end_of_digits:]
    layout = _layout_up_to_last_digit(section[:end_of_digits])
    return replace(
        layout,
        after="".join(_shown_text(token) for token in after_digits),
        scaling_commas=sum(token.code == "," for token in after_digits),
        percent_signs=sum(token.code == "%" for token in section),
    )


def _is_supported(section: Sequence[_FormatToken]) -> bool:
    """Return True if a section has no condition and no unsupported code."""
    for token in section:
        if token.code in _UNSUPPORTED_CODES:
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


def _layout_up_to_last_digit(tokens: Sequence[_FormatToken]) -> _NumberLayout:
    """Return the layout of the tokens up to the last placeholder of a digit: `"ca. "#,##0.00`."""
    before = ""
    whole_part: list[str] = []
    decimals = ""
    is_after_point = False
    for token in tokens:
        if token.code == ".":
            is_after_point = True
        elif token.code in _PLACEHOLDERS and is_after_point:
            decimals += token.code
        elif token.code in _PLACEHOLDERS:
            whole_part.append(token.code)
        elif token.code == ",":
            continue  # It may separate thousands (`has_thousands`).
        elif whole_part:
            whole_part.append(_shown_text(token))
        else:
            before += _shown_text(token)
    return _NumberLayout(
        before=before,
        whole_part=tuple(whole_part),
        least_decimals=decimals.count("0"),
        most_decimals=len(decimals),
        has_thousands=_has_comma_between_digits(tokens),
    )


def _shown_text(token: _FormatToken) -> str:
    """Return the text that a token shows beside the digits.

    It is `€` for `[$€-407]`, and empty for a colour such as `[Red]`, a point and a comma.
    """
    if token.code in (".", ","):
        return ""
    if token.kind != "bracket":
        return token.text
    inside = token.text[1:-1]
    if inside.startswith("$"):
        return inside[1:].partition("-")[0]
    return ""


def _has_comma_between_digits(tokens: Sequence[_FormatToken]) -> bool:
    """Return True for a comma that separates thousands: in `#,##0`, but not in `0,`."""
    codes = [token.code for token in tokens if token.code]
    for before, comma, after in zip(codes, codes[1:], codes[2:], strict=False):
        if comma == "," and before in _PLACEHOLDERS and after in _PLACEHOLDERS:
            return True
    return False


# The text of a number in a cell: 1234.5 with the format `#,##0.00 "EUR"` is `1,234.50 EUR`.
#
# A typed number keeps all its digits, also if its format shows fewer. So amounts that are shown in
# whole euros keep their cents, and can be summed.

_SIGNIFICANT_DIGITS: Final = 15
"""The digits that a spreadsheet keeps. Later digits are noise, as in 0.30000000000000004."""
_TYPED_DIGITS: Final = 10
"""A number with at most this many digits was typed by a person: 1234.56. It is not rounded.

A number with more digits was computed, as 1/3 = 0.333333333333333. It is rounded as its
format says, because nobody needs its further digits.
"""


def _number_text(value: float | Decimal, number_format: str) -> str:
    """Return a number in its format: `1,234.50 EUR`."""
    layout = _layout_for(value, number_format)
    if layout is None:
        return _general_text(value)
    number = _rounded_number(layout.scaled(_exact_decimal(value)), layout)
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
    return f"{value:.{_SIGNIFICANT_DIGITS}g}"


def _exact_decimal(value: float | Decimal) -> Decimal:
    """Return a number without the noise of binary fractions: 0.3 for 0.30000000000000004."""
    if isinstance(value, int):
        return Decimal(value)
    return Decimal(f"{value:.{_SIGNIFICANT_DIGITS}g}")


def _rounded_number(number: Decimal, layout: _NumberLayout) -> Decimal:
    """Round a number by its format, unless it has so few digits that it was typed by hand."""
    digits = len(number.normalize().as_tuple().digits)
    if digits <= _TYPED_DIGITS:
        return number
    return number.quantize(Decimal(1).scaleb(-layout.most_decimals), ROUND_HALF_UP)


def _whole_text(digits: str, layout: _NumberLayout) -> str:
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
    has_text_between = any(part not in _PLACEHOLDERS for part in layout.whole_part)
    if has_text_between:
        return _interleaved(digits, layout.whole_part)
    return digits or "0"


def _interleaved(digits: str, whole_part: Sequence[str]) -> str:
    """Fill digits into a format such as `00-00`, from the right: `123` -> `1-23`.

    Text is shown only if there are digits before it. Surplus digits go in front.
    """
    reversed_parts: list[str] = []
    remaining_digits = digits
    for part in reversed(whole_part):
        if part in _PLACEHOLDERS:
            reversed_parts.append(remaining_digits[-1:])
            remaining_digits = remaining_digits[:-1]
        elif remaining_digits:
            reversed_parts.append(part)
    return remaining_digits + "".join(reversed(reversed_parts))


# Format a cell's value as a spreadsheet shows it, by the cell's number format.
#
# The number 1234.5 with the format `#,##0.00 "EUR"` becomes `1,234.50 EUR`. There are two
# differences from a spreadsheet: a date becomes year-month-day, and a typed number keeps all
# its digits. So amounts that are shown in whole euros keep their cents, and can be summed.


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
    text = str(value)
    if "_x00" in text:
        for code, sign in _ESCAPED_SIGNS.items():
            text = text.replace(code, sign)
    return text


_ESCAPED_SIGNS: Final = {"_x000D_": "", "_x000A_": "\n", "_x0009_": "\t"}
"""Line breaks and tabs as some programs write them in a text."""


def is_rounded(value: Any, number_format: str) -> bool:
    """Return True if the text of a cell has fewer digits than its number."""
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return False
    layout = _layout_for(value, number_format)
    if layout is None:
        return False
    number = layout.scaled(_exact_decimal(value))
    return _rounded_number(number, layout) != number


# Fills the merged cells of a spreadsheet, so that each row of its text is complete.
#
# In a workbook, the cells A4 and A5 may be merged and show `North` once. The file has the text
# only in A4. In CSV, the row of A5 would have no region, so the text is copied to it.

MAX_MERGED_CELLS: Final = 100_000
"""The most cells of a sheet's merged areas that are filled. A file can claim millions."""


def _fill_merged_areas(rows: list[list[str]], merged_areas: Iterable[Any]) -> list[str]:
    """Copy the text of each merged area to all its cells. Return the areas: `["A4:A5"]`.

    `rows` are the texts of the sheet's cells, and are changed. An area in one row over the
    full width is a title, so its text is not repeated. After `MAX_MERGED_CELLS` cells,
    further areas are neither filled nor returned.
    """
    areas = []
    remaining_cells = MAX_MERGED_CELLS
    for area in sorted(merged_areas, key=_first_cell):
        text = _text_of(area, rows)
        if not text:
            continue
        if not _is_title(area, rows):
            # The rows and columns of an area count from 1, and may go beyond the texts.
            area_rows = rows[area.min_row - 1 : area.max_row]
            columns = range(area.min_col - 1, min(area.max_col, len(rows[0])))
            remaining_cells -= len(area_rows) * len(columns)
            if remaining_cells < 0:
                break
            for row in area_rows:
                for column in columns:
                    row[column] = text
        areas.append(str(area.coord))
    return areas


def _first_cell(area: Any) -> tuple[int, int]:
    """Return the row and column of an area's first cell."""
    return area.min_row, area.min_col


def _text_of(area: Any, rows: list[list[str]]) -> str:
    """Return the text in an area's first cell. Empty if the area is below or right of all texts."""
    row_number, column_number = _first_cell(area)
    if row_number > len(rows) or column_number > len(rows[0]):
        return ""
    return rows[row_number - 1][column_number - 1]


def _is_title(area: Any, rows: list[list[str]]) -> bool:
    """Return True for an area in one row over the full width."""
    is_one_row = bool(area.min_row == area.max_row)
    return is_one_row and area.min_col == 1 and area.max_col >= len(rows[0])


# Finds formulas of a workbook whose values were not saved, and shows them as formulas.
#
# A cell with the formula `=B2*2` usually has its last value in the file, too: 8. Programs that
# write workbooks without computing them save none, and the cell would seem to be empty.

# In the XML of a sheet, a cell with a formula and its value is `<c><f>B2*2</f><v>8</v></c>`.
_PREFIX: Final = rb"(?:\w+:)?"  # of a namespace: `<x:f>`
# <f>B2*2</f>
_FORMULA: Final = b"<" + _PREFIX + rb"f(?:\s[^>]*)?(?:/>|>[^<]*</" + _PREFIX + b"f>)"
# <v/>, or no value at all
_EMPTY_VALUE: Final = b"(?:<" + _PREFIX + rb"v\s*/>|<v></v>)?"
_END_OF_CELL: Final = b"</" + _PREFIX + b"c>"
_FORMULA_WITHOUT_VALUE: Final = re2.compile(
    _FORMULA + rb"\s*" + _EMPTY_VALUE + rb"\s*" + _END_OF_CELL
)
"""A formula without a saved value, such as `<f>B2*2</f><v/></c>`. Some programs save no values."""


def _lacks_values(sheet_xml: bytes) -> bool:
    """Return True if a formula of a sheet has no saved value."""
    return _FORMULA_WITHOUT_VALUE.search(sheet_xml) is not None


def _formula_of(value: Any) -> str:
    """Return a cell's formula as its author wrote it: `=B2*2`; empty for any other value.

    `value` is what openpyxl has read. A formula for several cells is an object of its own.
    """
    if isinstance(value, ArrayFormula):
        value = value.text
    if isinstance(value, DataTableFormula):
        return "=TABLE()"
    if isinstance(value, str) and value.startswith("="):
        return value
    return ""


_SHOWN_CELLS: Final = 8
"""The most cells or areas that a note names. The others are only counted."""
_MOST_CELLS_WITH_STRAYS: Final = 1_000_000
_CELLS_FOR_A_STRAY: Final = 100_000
_MOST_CELLS_FOR_A_TEXT: Final = 20
_MOST_CELLS: Final = 20_000_000
"""A sheet has a million cells up to its last text, and 20 for each text, or else its strays are
left out: the texts that would cost 100,000 cells each. With more than the most cells, others that
are far away are left out, too."""
Place: TypeAlias = tuple[int, int]
"""The row and column of a cell, from 1: `(4, 1)` for `A4`."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """One sheet of a workbook."""

    title: str
    text: str
    notes: tuple[str, ...]


def sheets_of(data: bytes) -> list[Sheet]:
    """Return the sheets of an XLSX file, except those that are charts.

    Only the parts of the file with cells are read: a picture that is damaged costs nothing, and a
    damaged sheet only its rows after the damage.
    """
    # Cells are many and have no cycles. Looking for some would take a third of the time.
    gc.disable()
    try:
        return list(_sheets(data))
    finally:
        gc.enable()


def _sheets(data: bytes) -> Iterator[Sheet]:
    """Yield the sheets of an XLSX file."""
    # With `data_only`, a cell with a formula has the value that was saved with the formula.
    file = BytesIO(_with_usual_names(data))
    reader = ExcelReader(file, read_only=True, data_only=True, keep_links=False)
    reader.read_manifest()
    reader.read_strings()
    reader.read_workbook()
    apply_stylesheet(reader.archive, reader.wb)
    for sheet, relation in reader.parser.find_sheets():
        has_cells = "chartsheet" not in relation.Type
        if has_cells and relation.target in reader.valid_files:
            xml = reader.archive.read(relation.target)
            yield _sheet(sheet.name, sheet.state, _SheetCells(xml, reader))


_STRICT_NAMES: Final = b"http://purl.oclc.org/ooxml/"
_USUAL_NAMES: Final = {
    _STRICT_NAMES + b"spreadsheetml/main": (
        b"http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    ),
    _STRICT_NAMES + b"officeDocument/relationships": (
        b"http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    ),
}


def _with_usual_names(data: bytes) -> bytes:
    """Return a workbook with the usual names of XML elements if it has those of the strict format.

    The library would find no cells in it.
    """
    with zipfile.ZipFile(BytesIO(data)) as archive:
        names = archive.namelist()
        workbook = "xl/workbook.xml"
        if workbook not in names or _STRICT_NAMES not in archive.read(workbook):
            return data
        usual = BytesIO()
        with zipfile.ZipFile(usual, "w") as usual_archive:
            for name in names:
                content = archive.read(name)
                for strict_name, usual_name in _USUAL_NAMES.items():
                    content = content.replace(strict_name, usual_name)
                usual_archive.writestr(name, content)
    return usual.getvalue()


class _SheetCells:
    """The cells of one sheet that have values, and its merged areas."""

    def __init__(self, xml: bytes, reader: Any) -> None:
        """Read a sheet's XML. `reader` has read the workbook's texts and formats."""
        self.values: dict[Place, Any] = {}
        self.number_formats: dict[Place, str] = {}
        self.merged_areas: list[Any] = []
        self.formulas: dict[Place, str] = {}
        """The formulas of cells without a saved value."""
        self.hidden: list[str] = []
        """The names of rows and columns that the sheet hides: `["3", "D"]`."""
        self.damage = ""
        """Why the rest of the sheet could not be read; empty if all was."""
        workbook = reader.wb
        formats = [
            _number_format(style.numFmtId, workbook) for style in workbook._cell_styles
        ]
        parser = self._parser(xml, reader, data_only=True)
        for cell in self._cells(parser):
            place = (cell["row"], cell["column"])
            self.values[place] = cell["value"]
            self.number_formats[place] = formats[cell["style_id"]]
        if parser.merged_cells is not None:
            self.merged_areas = list(parser.merged_cells.mergeCell)
            self._empty_merged_cells()
        self.hidden = _hidden_names(parser.row_dimensions)
        self.hidden += _hidden_names(parser.column_dimensions)
        if _lacks_values(xml):
            # Without a saved value the cell is empty. So read the formulas, to show them instead.
            for cell in self._cells(self._parser(xml, reader, data_only=False)):
                place = (cell["row"], cell["column"])
                formula = _formula_of(cell["value"])
                if formula and place not in self.values:
                    self.formulas[place] = formula

    @staticmethod
    def _parser(xml: bytes, reader: Any, *, data_only: bool) -> WorkSheetParser:
        """Return what reads the rows of a sheet."""
        workbook = reader.wb
        return WorkSheetParser(
            BytesIO(xml),
            reader.shared_strings,
            data_only=data_only,
            epoch=workbook.epoch,
            date_formats=workbook._date_formats,
            timedelta_formats=workbook._timedelta_formats,
        )

    def _cells(self, parser: WorkSheetParser) -> Iterator[dict[str, Any]]:
        """Yield the cells that have values, up to the place where the sheet is damaged."""
        row_number = 0
        try:
            for number, row in parser.parse():
                row_number = number
                for cell in row:
                    if cell["value"] is not None:
                        yield cell
        except Exception as error:  # noqa: BLE001 - a broken file may make the library raise anything
            self.damage = (
                f"the sheet is damaged, and could not be read after row {row_number}: "
                f"{type(error).__name__}"
            )

    def _empty_merged_cells(self) -> None:
        """Remove the values of merged cells that no spreadsheet shows: all but the first."""
        for area in self.merged_areas:
            first_place = _first_cell(area)
            if area.size["rows"] * area.size["columns"] <= len(self.values):
                places = [
                    (row, column)
                    for row in range(area.min_row, area.max_row + 1)
                    for column in range(area.min_col, area.max_col + 1)
                ]
            else:
                places = [place for place in self.values if _is_in(place, area)]
            for place in places:
                if place != first_place:
                    self.values.pop(place, None)


def _hidden_names(dimensions: Mapping[str, Mapping[str, str]]) -> list[str]:
    """Return the names of hidden rows or columns, of which the file has the attributes by name."""
    return [
        str(name)
        for name, attributes in dimensions.items()
        if attributes.get("hidden") in ("1", "true")
    ]


def _is_in(place: Place, area: Any) -> bool:
    """Return True if a cell is in an area."""
    row, column = place
    return bool(
        area.min_row <= row <= area.max_row and area.min_col <= column <= area.max_col
    )


_FIRST_OWN_FORMAT: Final = 164
"""The number of the first format that a workbook defines itself."""


def _number_format(number: int, workbook: Any) -> str:
    """Return the number format with this number: `0.00%`."""
    if number < _FIRST_OWN_FORMAT:
        return str(BUILTIN_FORMATS.get(number, _GENERAL))
    return str(workbook._number_formats[number - _FIRST_OWN_FORMAT])


def csv_text(rows: Iterable[Sequence[Any]]) -> str:
    """Return rows as CSV."""
    text = StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


class _CellTexts(NamedTuple):
    """The texts of a sheet's cells, and the names of cells whose text is not their value."""

    by_place: dict[Place, str]
    rounded_cells: list[str]
    """Cells with fewer digits than their number: `["B2"]`."""
    formula_cells: list[str]
    """Cells with a formula in place of a value that was not saved: `["C2"]`."""


def _sheet(title: str, state: str, cells: _SheetCells) -> Sheet:
    """Return a sheet's text as CSV, and notes on what the text cannot show.

    `state` is `visible` or a kind of `hidden`.
    """
    texts = _texts_of(cells)
    far_places = _far_places(texts.by_place)
    rows = _rows_of(texts.by_place, far_places)
    merged_areas = _fill_merged_areas(rows, cells.merged_areas)

    notes = []
    if cells.damage:
        notes.append(cells.damage)
    if state != "visible":
        notes.append("the sheet is hidden")
    if cells.hidden:
        notes.append(
            f"rows and columns that the sheet hides: {_shortened(cells.hidden)}"
        )
    if merged_areas:
        areas = _shortened(merged_areas)
        notes.append(f"merged cells, whose text stands in each of them: {areas}")
    if far_places:
        names = _shortened([_cell_name(place) for place in far_places])
        notes.append(f"cells far away from all others, left out: {names}")
    if texts.formula_cells:
        names = _shortened(texts.formula_cells)
        notes.append(
            f"formulas that the file has no values of, shown as formulas: {names}"
        )
    if texts.rounded_cells:
        names = _shortened(texts.rounded_cells)
        notes.append(f"computed numbers, rounded as the cells show them: {names}")
    return Sheet(title, csv_text(rows), tuple(notes))


def _texts_of(cells: _SheetCells) -> _CellTexts:
    """Return the text of each cell: its value as the sheet shows it, or its formula."""
    texts: dict[Place, str] = {}
    rounded_cells: list[str] = []
    for place, value in sorted(cells.values.items(), key=itemgetter(0)):
        number_format = cells.number_formats[place]
        texts[place] = cell_text(value, number_format)
        if isinstance(value, float) and is_rounded(value, number_format):
            rounded_cells.append(_cell_name(place))
    for place, formula in cells.formulas.items():
        texts[place] = formula
    formula_cells = [_cell_name(place) for place in cells.formulas]
    return _CellTexts(texts, rounded_cells, formula_cells)


def _far_places(texts: dict[Place, str]) -> list[Place]:
    """Return the places of texts that are left out, since a sheet up to them would be too large.

    A stray text in the last cell of a sheet would otherwise make 17 billion cells.
    """
    places = {place for place, text in texts.items() if text.strip()}
    most_cells = _MOST_CELLS_WITH_STRAYS + _MOST_CELLS_FOR_A_TEXT * len(places)
    far_places: list[Place] = []
    while places:
        height = max(row for row, _ in places)
        width = max(column for _, column in places)
        if height * width <= most_cells:
            break
        # Leave out the last row or the last column, whichever has fewer texts for what it frees.
        last_row = {place for place in places if place[0] == height}
        last_column = {place for place in places if place[1] == width}
        height_above = max((row for row, _ in places - last_row), default=0)
        width_before = max((column for _, column in places - last_column), default=0)
        freed_by_row = (height - height_above) * width / len(last_row)
        freed_by_column = (width - width_before) * height / len(last_column)
        freed = max(freed_by_row, freed_by_column)
        if freed < _CELLS_FOR_A_STRAY and height * width <= _MOST_CELLS:
            break
        far = last_row if freed_by_row >= freed_by_column else last_column
        places -= far
        far_places += far
    return sorted(far_places)


def _rows_of(texts: dict[Place, str], left_out: Iterable[Place]) -> list[list[str]]:
    """Return rows with these texts, without empty rows at the end and columns at the right.

    `{(1, 1): "City", (2, 2): "5"}` -> `[["City", ""], ["", "5"]]`
    """
    shown = {place: text for place, text in texts.items() if text.strip()}
    for place in left_out:
        del shown[place]
    height = max((row for row, _ in shown), default=0)
    width = max((column for _, column in shown), default=0)
    rows = [[""] * width for _ in range(height)]
    for (row, column), text in shown.items():
        rows[row - 1][column - 1] = text
    return rows


def _cell_name(place: Place) -> str:
    """Return the name of a cell: `(4, 1)` -> `A4`."""
    row, column = place
    return f"{get_column_letter(column)}{row}"


def _shortened(places: list[str]) -> str:
    """Return the first places and the number of the others: `A1, B2 and 3 more`."""
    text = ", ".join(places[:_SHOWN_CELLS])
    if len(places) > _SHOWN_CELLS:
        text += f" and {len(places) - _SHOWN_CELLS:,} more"
    return text
