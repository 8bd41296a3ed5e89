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
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache
from io import BytesIO, StringIO
from typing import Any, Final, NamedTuple, TypeAlias

import re2
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.comments.comment_sheet import CommentSheet
from openpyxl.packaging.relationship import get_dependents, get_rels_path
from openpyxl.reader.excel import ExcelReader
from openpyxl.styles.numbers import BUILTIN_FORMATS
from openpyxl.styles.stylesheet import apply_stylesheet
from openpyxl.utils import get_column_letter
from openpyxl.worksheet._reader import WorkSheetParser
from openpyxl.worksheet.formula import ArrayFormula, DataTableFormula
from openpyxl.xml.constants import COMMENTS_NS
from openpyxl.xml.functions import fromstring

from controlplane.benchmarks.files.documents.conversion import DocumentPart

# Splits the number format of a cell into its parts.
#
# `0.0" km"` has the codes `0`, `.`, `0` and the text ` km`. Semicolons divide a format into
# sections for positive numbers, negative numbers, zero, and texts.


class _FormatToken(NamedTuple):
    """A part of a number format."""

    code: str
    """A character with a meaning, such as `0`; `h` for `[h]`; `_TEXT` for a text."""
    text: str
    """What the part shows beside the digits: `€` for `[$€-407]`. Empty for a point or a colour."""


_FORMAT_TOKEN: Final = re2.compile(
    r'(?s)"(?P<quoted>[^"]*)"?'
    r"|\\(?P<escaped>.?)"
    r"|\[[$](?P<currency>[^\]-]*)[^\]]*\]"
    r"|\[(?P<elapsed>[hH]|[sS])(?:[hH]|[sS])?\]"  # As in `[h]:mm`, which may exceed 24 and 60
    r"|(?P<condition>\[[<>=][^\]]*\]?|\[\]|\[[^\]]*\z)"
    r"|\[[^\]]*\]|[_*].?"  # A colour; a space as wide as `x` in `_x`; `*x` fills the cell with `x`
    r"|(?P<code>[0#?.,%eE@/yYmMdDhHsS;])"
    r"|(?P<other>.)"
)
"""The codes stand for digits and their separators, percent, powers of ten, texts, and the parts of
dates. The semicolon ends a section. A quotation or bracket without an end goes up to the end."""
_TEXT: Final = "'"
"""The code of a text."""
_CONDITION: Final = "<"
"""The code of a condition, such as `[>=100]`, and of a bracket that nobody knows the meaning of."""


def _format_tokens(number_format: str) -> list[_FormatToken]:
    """Return the parts of a format: for `0.0" km"` the codes `0`, `.`, `0` and the text ` km`."""
    tokens = []
    for match in _FORMAT_TOKEN.finditer(number_format):
        parts = match.groupdict()
        text = (
            parts["quoted"] or parts["escaped"] or parts["currency"] or parts["other"]
        )
        code = parts["code"] or parts["elapsed"]
        if parts["condition"] is not None:
            tokens.append(_FormatToken(_CONDITION, ""))
        elif code is None:
            tokens.append(_FormatToken(_TEXT, text or ""))
        else:
            is_shown = parts["code"] is not None and code not in ".,"
            tokens.append(_FormatToken(code.lower(), code if is_shown else ""))
    return tokens


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
    # Times are stored as fractions of a day, rarely exact.
    value = (value + timedelta(milliseconds=500)).replace(microsecond=0)
    codes = _codes_of(number_format)
    if codes.isdisjoint("yd") and value <= _LAST_DAY_OF_DURATIONS:
        return _duration_text(value - _DAY_ZERO, number_format)
    day = value.date().isoformat()
    is_midnight = value.time() == time()
    if is_midnight and "h" not in codes:
        return day
    return f"{day} {_time_text(value.hour, value.minute, value.second, number_format)}"


def _time_text(hours: int, minutes: int, seconds: int, number_format: str) -> str:
    """Return a time: `9`, `5`, `0` -> `09:05`, or `09:05:00` if the format shows seconds."""
    text = f"{hours:02}:{minutes:02}"
    if seconds or "s" in _codes_of(number_format):
        text += f":{seconds:02}"
    return text


def _duration_text(value: timedelta, number_format: str) -> str:
    """Return hours and minutes, and seconds if there are any: `26:05` for 26 hours, 5 minutes."""
    total_seconds = round(abs(value.total_seconds()))
    minutes, seconds = divmod(total_seconds, 60)
    hours, minutes = divmod(minutes, 60)
    sign = "-" if value < timedelta() else ""
    return sign + _time_text(hours, minutes, seconds, number_format)


@lru_cache(maxsize=256)
def _codes_of(number_format: str) -> frozenset[str]:
    """Return the codes of a format: `d`, `m`, `y`, `h` for `dd.mm.yyyy [h]:mm`."""
    return frozenset(token.code for token in _format_tokens(number_format))


# How a number is shown in a cell: with which signs, digits, separators and texts.
#
# The format `"ca. "#,##0.00" km"` shows 1234.5 as `ca. 1,234.50 km`. Authors of spreadsheets put
# units and currencies into formats. A question about amounts in EUR could not be answered without
# them.

_PLACEHOLDERS: Final = frozenset("0#?")
"""Codes of a format that stand for a digit. `0` shows a zero if the number has no digit there."""
_DIGITS: Final = re2.compile(r"[0#?](?:.*[0#?])?")
"""The codes from the first digit to the last."""
_UNSUPPORTED_CODES: Final = frozenset(f"/e@{_CONDITION}")
"""Codes of fractions, powers of ten, texts and conditions.

A number with such a format is shown as if it had none.
"""
_THOUSANDS: Final = re2.compile(r"[0#?],[0#?]")
"""The codes around a comma that separates thousands: in `#,##0`, but not in `0,`."""
_GENERAL: Final = "General"


@dataclass(frozen=True, slots=True)
class _NumberLayout:
    """How a number is shown, read from one section of a number format.

    For `"ca. "#,##0.00" km"`, the text `ca. ` is before the digits and ` km` after
    them. Thousands have commas, and there are always two decimals.
    """

    before: str
    """The text before the digits, such as a currency sign."""
    after: str
    """The text after the digits, such as a unit."""
    whole_part: tuple[str, ...]
    """The placeholders before the decimal point, and the texts between them.

    For `00-00` it is `("0", "0", "-", "0", "0")`: 1234 is shown as `12-34`."""
    decimals: str
    """The placeholders after the decimal point: `0#` if one decimal is shown even if it is zero,
    and two have room."""
    has_thousands: bool
    """True if commas separate thousands."""
    power_of_ten: int
    """The number is multiplied by it: 2 for a percent sign, -3 for a comma after the digits."""
    has_own_sign: bool
    """True if `before` and `after` show that the number is negative, as in `(0.00)`."""

    def scaled(self, value: float | Decimal) -> Decimal:
        """Return the number to display: 25 for 0.25 with a percent sign."""
        return Decimal(_general_text(value)).scaleb(self.power_of_ten)

    def rounded(self, number: Decimal) -> Decimal:
        """Round a number, unless it has so few digits that it was typed by hand."""
        digits = len(number.normalize().as_tuple().digits)
        if digits <= _TYPED_DIGITS:
            return number
        return number.quantize(Decimal(1).scaleb(-len(self.decimals)), ROUND_HALF_UP)


def _layout_for(value: float | Decimal, number_format: str) -> _NumberLayout | None:
    """Return how a number is shown. None: as it is, without a format."""
    if number_format == _GENERAL or not math.isfinite(value):
        return None
    section = _POSITIVE
    if value < 0:
        section = _NEGATIVE
    elif value == 0:
        section = _ZERO
    return _layout_of(number_format, section)


_POSITIVE: Final = 0
_NEGATIVE: Final = 1
_ZERO: Final = 2
"""The sections of a format, which may have fewer: `0.00;(0.00);0`. The first is for the others."""


@lru_cache(maxsize=256)
def _layout_of(number_format: str, section: int) -> _NumberLayout | None:
    """Return the layout that a section of a format describes.

    None if it shows no digits (`"n/a"`), or has a code that is not supported (`# ?/?`). Zero is
    then shown as `0`, so that a column of numbers has only numbers.
    """
    sections: list[list[_FormatToken]] = [[]]
    for token in _format_tokens(number_format):
        if token.code == ";":
            sections.append([])
        else:
            sections[-1].append(token)
    is_own_section = section < len(sections)
    tokens = sections[section if is_own_section else _POSITIVE]
    codes = "".join(token.code for token in tokens)
    digits = _DIGITS.search(codes)
    if digits is None or not _UNSUPPORTED_CODES.isdisjoint(codes):
        return None
    first, end = digits.span()
    point = codes.find(".", 0, end)
    if point < 0:
        point = end
    before = "".join(token.text for token in tokens[:first])
    after = "".join(token.text for token in tokens[end:])
    whole_part = tuple(token.text for token in tokens[first:point] if token.code != ",")
    if is_own_section and section == _ZERO and "0" not in whole_part:
        return None
    has_sign = "-" in before + after or "(" in before + after
    return _NumberLayout(
        before=before,
        after=after,
        whole_part=whole_part,
        decimals="".join(filter(_PLACEHOLDERS.__contains__, codes[point:end])),
        has_thousands=_THOUSANDS.search(codes[:end].replace(_TEXT, "")) is not None,
        power_of_ten=2 * codes.count("%") - 3 * codes.count(",", end),
        has_own_sign=is_own_section and section == _NEGATIVE and has_sign,
    )


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
    number = layout.rounded(layout.scaled(value))
    has_minus = number < 0 and not layout.has_own_sign
    sign = "-" if has_minus else ""
    whole, _, decimals = f"{abs(number):f}".partition(".")
    # Zeros at the end are shown only where the format has a `0`.
    decimals = decimals.rstrip("0").ljust(layout.decimals.count("0"), "0")
    text = _whole_text(whole, layout)
    if decimals:
        text += f".{decimals}"
    return f"{sign}{layout.before}{text}{layout.after}".strip()


def _general_text(value: float | Decimal) -> str:
    """Return a number without a format, and without the noise of binary fractions: `0.3`.

    Very small and large numbers use powers of ten.
    """
    if isinstance(value, int):
        return str(value)
    return f"{value:.{_SIGNIFICANT_DIGITS}g}"


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
    text = _text_of_runs(value) if isinstance(value, CellRichText) else str(value)
    if "_x00" in text:
        for code, sign in _ESCAPED_SIGNS.items():
            text = text.replace(code, sign)
    return text


_ESCAPED_SIGNS: Final = {"_x000D_": "", "_x000A_": "\n", "_x0009_": "\t"}
"""Line breaks and tabs as some programs write them in a text."""


_SCRIPT_SIGNS: Final = {"superscript": "^", "subscript": "_"}


def _text_of_runs(runs: CellRichText) -> str:
    """Return a text in several fonts such that no raised or lowered digits join a number: `10^3`."""
    text = ""
    follows_script = False
    for run in runs:
        sign = ""
        if isinstance(run, TextBlock):
            sign = _SCRIPT_SIGNS.get(run.font.vertAlign or "", "")
        if text[-1:].isdecimal() and str(run)[:1].isdecimal():
            if sign:
                text += sign
            elif follows_script:
                text += " "
        text += str(run)
        follows_script = sign != ""
    return text


def _is_rounded(value: float, number_format: str) -> bool:
    """Return True if the text of a cell has fewer digits than its number."""
    layout = _layout_for(value, number_format)
    if layout is None:
        return False
    number = layout.scaled(value)
    return layout.rounded(number) != number


# Fills the merged cells of a spreadsheet, so that each row of its text is complete.
#
# In a workbook, the cells A4 and A5 may be merged and show `North` once. The file has the text
# only in A4. In CSV, the row of A5 would have no region, so the text is copied to it.

MAX_MERGED_CELLS: Final = 100_000
"""The most cells of a sheet's merged areas that are filled. A file can claim millions."""


def _fill_merged_areas(rows: list[list[str]], merged_areas: Iterable[Any]) -> list[str]:
    """Copy the text of each merged area to all its cells. Return the areas: `["A4:A5"]`.

    `rows` are the texts of the sheet's cells, and are changed. An area that has a row for itself
    is a title, so its text is not repeated. After `MAX_MERGED_CELLS` cells,
    further areas are neither filled nor returned.
    """
    areas = []
    remaining_cells = MAX_MERGED_CELLS
    for area in sorted(merged_areas, key=_first_cell):
        # The rows and columns of an area count from 1, and may go beyond the texts.
        area_rows = rows[area.min_row - 1 : area.max_row]
        if not area_rows or not any(area_rows[0][area.min_col - 1 : area.min_col]):
            continue
        is_one_row = area.min_row == area.max_row
        is_title = (
            is_one_row and area.min_col == 1 and not any(area_rows[0][area.max_col :])
        )
        if not is_title:
            width = min(area.max_col, len(rows[0])) - area.min_col + 1
            remaining_cells -= len(area_rows) * width
            if remaining_cells < 0:
                break
            text = area_rows[0][area.min_col - 1]
            for row in area_rows:
                row[area.min_col - 1 : area.max_col] = [text] * width
        areas.append(str(area.coord))
    return areas


def _first_cell(area: Any) -> tuple[int, int]:
    """Return the row and column of an area's first cell."""
    return area.min_row, area.min_col


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
_Place: TypeAlias = tuple[int, int]
"""The row and column of a cell, from 1: `(4, 1)` for `A4`."""


def sheets_of(data: bytes) -> list[DocumentPart]:
    """Return the sheets of an XLSX file, except those that are charts: `sheet-Costs.csv`.

    Only the parts of the file with cells are read: a picture that is damaged costs nothing, and a
    damaged sheet only its rows after the damage.
    """
    # Cells are many and have no cycles. Looking for some would take a third of the time.
    gc.disable()
    try:
        # With `data_only`, a cell with a formula has the value that was saved with the formula.
        file = BytesIO(_with_usual_names(data))
        reader = ExcelReader(file, read_only=True, data_only=True, keep_links=False)
        reader.read_manifest()
        # To read the fonts within texts takes time, and few workbooks have raised digits there.
        reader.rich_text = any(
            _SCRIPT in reader.archive.read(name)
            for name in reader.valid_files
            if name.endswith("sharedStrings.xml")
        )
        reader.read_strings()
        reader.read_workbook()
        apply_stylesheet(reader.archive, reader.wb)
        parts = []
        for sheet, relation in reader.parser.find_sheets():
            has_cells = "chartsheet" not in relation.Type
            if has_cells and relation.target in reader.valid_files:
                xml = reader.archive.read(relation.target)
                cells = _SheetCells(xml, reader)
                comments = _comments_on(relation.target, reader)
                parts.append(_part_of(sheet.name, sheet.state, cells, comments))
        return parts
    finally:
        gc.enable()


_SCRIPT: Final = b"vertAlign"
"""What the XML of a workbook has for raised and lowered texts."""
_MOST_COMMENT_CHARS: Final = 200


def _comments_on(sheet: str, reader: Any) -> list[str]:
    """Return the comments on the cells of a sheet, a file of the workbook: `A2: in thousands`."""
    relations = get_rels_path(sheet)
    if relations not in reader.valid_files:
        return []
    comments = []
    try:
        for relation in get_dependents(reader.archive, relations).find(COMMENTS_NS):
            tree = fromstring(reader.archive.read(relation.target))
            for place, comment in CommentSheet.from_tree(tree).comments:
                text = " ".join(comment.text.split())[:_MOST_COMMENT_CHARS]
                comments.append(f"{place}: {text}")
    except Exception as error:  # noqa: BLE001 - a broken file may make the library raise anything
        comments.append(f"cannot be read ({type(error).__name__})")
    return comments


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
    """The texts of the cells of one sheet, and what its text cannot show."""

    def __init__(self, xml: bytes, reader: Any) -> None:
        """Read a sheet's XML. `reader` has read the workbook's texts and formats."""
        self.texts: dict[_Place, str] = {}
        """The value of each cell as the sheet shows it, or its formula."""
        self.rounded: list[_Place] = []
        """The cells with fewer digits than their number."""
        self.formulas: list[_Place] = []
        """The cells with a formula in place of a value that was not saved."""
        self.struck: list[_Place] = []
        """The cells whose text is struck out."""
        self.merged_areas: list[Any] = []
        self.hidden: list[str] = []
        """The names of rows and columns that the sheet hides: `["3", "D"]`."""
        self.damage = ""
        """Why the rest of the sheet could not be read; empty if all was."""
        workbook = reader.wb
        formats = [
            _number_format(style.numFmtId, workbook) for style in workbook._cell_styles
        ]
        are_struck = [
            bool(workbook._fonts[style.fontId].strike)
            for style in workbook._cell_styles
        ]
        parser = self._parser(xml, reader, data_only=True)
        for place, value, style in self._cells(parser):
            number_format = formats[style]
            self.texts[place] = cell_text(value, number_format)
            if isinstance(value, float) and _is_rounded(value, number_format):
                self.rounded.append(place)
            if are_struck[style]:
                self.struck.append(place)
        if parser.merged_cells is not None:
            self.merged_areas = list(parser.merged_cells.mergeCell)
            self._empty_merged_cells()
            self.rounded = [place for place in self.rounded if place in self.texts]
            self.struck = [place for place in self.struck if place in self.texts]
        self.hidden = _hidden_names(parser.row_dimensions)
        self.hidden += _hidden_names(parser.column_dimensions)
        if _FORMULA_WITHOUT_VALUE.search(xml) is not None:
            # Without a saved value the cell is empty. So read the formulas, to show them instead.
            parser = self._parser(xml, reader, data_only=False)
            for place, value, _ in self._cells(parser):
                formula = _formula_of(value)
                if formula and place not in self.texts:
                    self.texts[place] = formula
                    self.formulas.append(place)

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
            rich_text=_SCRIPT in xml,
        )

    def _cells(self, parser: WorkSheetParser) -> Iterator[tuple[_Place, Any, int]]:
        """Yield the place, the value and the style of each cell that has a value.

        They end at the place where the sheet is damaged.
        """
        row_number = 0
        try:
            for number, row in parser.parse():
                row_number = number
                for cell in row:
                    if cell["value"] is not None:
                        place = (cell["row"], cell["column"])
                        yield place, cell["value"], cell["style_id"]
        except Exception as error:  # noqa: BLE001 - a broken file may make the library raise anything
            self.damage = (
                f"the sheet is damaged, and could not be read after row {row_number}: "
                f"{type(error).__name__}"
            )

    def _empty_merged_cells(self) -> None:
        """Remove the texts of merged cells that no spreadsheet shows: all but the first."""
        for area in self.merged_areas:
            first_place = _first_cell(area)
            if area.size["rows"] * area.size["columns"] <= len(self.texts):
                places = list(area.cells)
            else:
                places = [
                    (row, column)
                    for row, column in self.texts
                    if area.min_row <= row <= area.max_row
                    and area.min_col <= column <= area.max_col
                ]
            for place in places:
                if place != first_place:
                    self.texts.pop(place, None)


def _hidden_names(dimensions: Mapping[str, Mapping[str, str]]) -> list[str]:
    """Return the names of hidden rows or columns, of which the file has the attributes by name."""
    return [
        str(name)
        for name, attributes in dimensions.items()
        if attributes.get("hidden") in ("1", "true")
    ]


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


def _part_of(
    title: str, state: str, cells: _SheetCells, comments: list[str]
) -> DocumentPart:
    """Return a sheet's text as CSV, and notes on what the text cannot show.

    `state` is `visible` or a kind of `hidden`.
    """
    far_places = _far_places(cells.texts)
    rows = _rows_of(cells.texts, far_places)
    merged_areas = _fill_merged_areas(rows, cells.merged_areas)

    notes = []
    if cells.damage:
        notes.append(cells.damage)
    if state != "visible":
        notes.append("the sheet is hidden")
    names_by_note = {
        "rows and columns that the sheet hides": cells.hidden,
        "merged cells, whose text stands in each of them": merged_areas,
        "cells far away from all others, left out": _cell_names(far_places),
        "formulas that the file has no values of, shown as formulas": (
            _cell_names(cells.formulas)
        ),
        "computed numbers, rounded as the cells show them": (
            _cell_names(sorted(cells.rounded))
        ),
        "cells that are struck out": _cell_names(cells.struck),
        "comments on cells": comments,
    }
    for note, names in names_by_note.items():
        if names:
            notes.append(f"{note}: {_shortened(names)}")
    return DocumentPart(f"sheet-{title}.csv", csv_text(rows), tuple(notes))


def _far_places(texts: dict[_Place, str]) -> list[_Place]:
    """Return the places of texts that are left out, since a sheet up to them would be too large.

    A stray text in the last cell of a sheet would otherwise make 17 billion cells.
    """
    places = {place for place, text in texts.items() if text.strip()}
    most_cells = _MOST_CELLS_WITH_STRAYS + _MOST_CELLS_FOR_A_TEXT * len(places)
    far_places: list[_Place] = []
    while places:
        height = max(row for row, _ in places)
        width = max(column for _, column in places)
        if height * width <= most_cells:
            break
        # Leave out the last row or the last column, whichever has fewer texts for what it frees.
        most_freed = 0.0
        far: set[_Place] = set()
        for axis, last, length in ((0, height, width), (1, width, height)):
            outermost = {place for place in places if place[axis] == last}
            next_last = max((place[axis] for place in places - outermost), default=0)
            freed = (last - next_last) * length / len(outermost)
            if freed > most_freed:
                most_freed, far = freed, outermost
        if most_freed < _CELLS_FOR_A_STRAY and height * width <= _MOST_CELLS:
            break
        places -= far
        far_places += far
    return sorted(far_places)


def _rows_of(texts: dict[_Place, str], left_out: Iterable[_Place]) -> list[list[str]]:
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


def _cell_names(places: Iterable[_Place]) -> list[str]:
    """Return the names of cells: `[(4, 1)]` -> `["A4"]`."""
    return [f"{get_column_letter(column)}{row}" for row, column in places]


def _shortened(places: list[str]) -> str:
    """Return the first places and the number of the others: `A1, B2 and 3 more`."""
    text = ", ".join(places[:_SHOWN_CELLS])
    if len(places) > _SHOWN_CELLS:
        text += f" and {len(places) - _SHOWN_CELLS:,} more"
    return text
