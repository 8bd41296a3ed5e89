"""The texts that a trial read: their lines, rows and records, labels of numbers, and places."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from typing import Final, NamedTuple

import re2

from controlplane.gates.text_folding import bare_text, encodable, with_signs_apart
from controlplane.gates.values.normal_text import (
    CharacterTable,
    NumberStyle,
    looks_like_json,
    normalize_text,
    number_style_of,
)
from controlplane.gates.values.notations import MYRIADS, locale_names
from controlplane.gates.values.numerals import CJK_NUMERALS, currency_of, unit_of
from controlplane.gates.values.spans import ALL_KINDS, ValueKind, WrittenValue
from controlplane.gates.values.written_values import values_of_line
from controlplane.sandbox.interface import bounds

# The lines of a text, joined to one string that is searched at once.
#
#     lines = JoinedLines(["ab", "cd"], "-")
#     lines.text             # "ab-cd"
#     lines.line_at(3)       # 1, the index of the line with the `c`
#
# A single search in `text` is much faster than one in each line.


class _JoinedLines:
    """Lines joined to one text, which knows the line of each offset. Lines count from 0."""

    def __init__(self, lines: Sequence[str], separator: str) -> None:
        self.text = separator.join(lines)
        self._line_starts: list[int] = []
        offset = 0
        for line in lines:
            self._line_starts.append(offset)
            offset += len(line) + len(separator)

    def line_at(self, offset: int) -> int:
        """Return the line in which an offset of the text is."""
        return bisect_right(self._line_starts, offset) - 1

    def end_of(self, line: int) -> int:
        """Return the offset behind a line and its separator, where the next line begins.

        For the last line, this is the end of the text.
        """
        if line + 1 < len(self._line_starts):
            return self._line_starts[line + 1]
        return len(self.text)


# Finds the lines of a text that may state a value, without reading the values of all lines.
#
# The keys of the lines "It costs 1 250.00" and "No. 12-5" are `itcosts125000` and `no125`. Only lines
# with `125` in their keys are then read and compared with a value such as 1250.

_SIGN_OF_YEAR: Final = "年"
_NON_DIGIT_NUMERALS: Final = CJK_NUMERALS | MYRIADS.keys() | {_SIGN_OF_YEAR}
"""Signs of numbers that may be written without digits: `三百`, `令和元年`."""
_DECIMALS_OF_FRACTIONS: Final = {"½": "5", "¼": "25", "¾": "75"}
"""½ is 0.5, so `3½` becomes `35`, like `3.5` without its point."""


def _letter_or_digit(character: str) -> str | None:
    """Return a letter or digit, the digits of a fraction, and None for any other character."""
    if character in _DECIMALS_OF_FRACTIONS:
        return _DECIMALS_OF_FRACTIONS[character]
    return character if character.isalnum() else None


_LETTERS_AND_DIGITS: Final = CharacterTable(_letter_or_digit)


def search_key(text: str) -> str:
    """Return the letters and digits of a text in lower case: `No. FA-19: 1,250` -> `nofa191250`.

    Lines and the values that are looked up in them get their keys by this one function. Marks
    may stand between the digits and letters of one value: `1,250`, `FA-19`.
    """
    return normalize_text(text).text.casefold().translate(_LETTERS_AND_DIGITS)


# Rows of delimited tables: `B-1;38` below the heading `id;weight`.
#
# Nothing declares that a text is a table, or which character separates its cells. A line counts as a
# row if it has as many separators as the text's heading.

_SEPARATORS: Final = (";", "\t", "|", ",")
"""The comma comes last, because it may be a decimal mark within cells."""
_ONLY_DECIMAL_COMMAS: Final = re2.compile(r"(?:[^,]*\d,\d)+[^,]*")
"""A line whose commas all stand between digits: `Preis 16,5 EUR`."""


def _separator_of_row(row: str, heading: str) -> str:
    """Return the character that separates the cells of a row, or "" if the line is not a row.

    `B-1;38,4` below `id;weight` -> `;`
    """
    for separator in _SEPARATORS:
        cells = _break_at_separators(row, separator)
        headings = _break_at_separators(heading, separator)
        count = cells.count("\n")
        if count == 0 or count != headings.count("\n"):
            continue
        # A comma before a blank, outside of quotation marks, is that of a sentence. In `16,5` it is a
        # decimal mark: the names of columns have letters beside theirs.
        is_prose = separator == "," and ("\n " in cells or "\n " in headings)
        if separator == "," and _ONLY_DECIMAL_COMMAS.fullmatch(encodable(heading)):
            is_prose = True
        if not is_prose:
            return separator
    return ""


def _break_at_separators(row: str, separator: str) -> str:
    """Replace each separator outside quotation marks by a line break: `B-1;38` -> `B-1\\n38`.

    The length stays, so that offsets in the result are offsets in the row.
    """
    if '"' not in row:
        return row.replace(separator, "\n")
    parts = row.split('"')
    parts[::2] = [part.replace(separator, "\n") for part in parts[::2]]
    return '"'.join(parts)


# Reads the label of a number: the heading of its column, its key, or the words before it.
#
#     revenue_eur     the cell 1250 below this heading is in EUR
#     price_cents     the cell 1250 below this heading may be 12.50: a power of ten of -2
#
# Such a number has no unit or scale of its own. Its label supplies it.

_MINOR_UNITS: Final = frozenset(
    {"cent", "cents", "ct", "pence", "centimes", "céntimos", "grosz"}
)
"""Hundredths of a currency: 1250 under `price_cents` is 12.50."""
_POWER_OF_HUNDREDTHS: Final = -2
"""10 to the power of -2 is a hundredth."""
_SINGLE_LETTER_UNITS: Final = frozenset("hgltmW")
"""Letters that are read as units in a heading: hours, grams and so on. Others, such as `A` or
`V`, are more often names of columns."""
_SIGNS_OF_SECONDS: Final = ("_s ", "(s)", "[s]")
"""How a heading names seconds: `exposure_s`. A letter alone may be that of `Ann's`."""
_UNIT_SIGNS: Final = frozenset("%€$£¥°")
"""Signs that belong to a word, like letters: `°C`, `%`."""
_CLAUSE_ENDS: Final = (". ", "; ", ", ", "|")
"""What ends the label of the number before: the `, ` of `Rent 900 EUR, cleaning 80`."""
_LABEL_CHARS: Final = 60
"""Outside tables, only this many characters before a number are its label."""


@dataclass(frozen=True, slots=True)
class NumberLabels:
    """The units and scales that the label of a number names."""

    units: frozenset[str]
    """The units, such as `EUR` for `revenue_eur`."""
    powers: frozenset[int]
    """The powers of ten by which the number may be multiplied: 3 for `in thousands`."""


def units_named(text: str) -> frozenset[str]:
    """Return the units in a heading or key: `revenue_eur` -> EUR, `Duration (min)` -> min."""
    units: set[str] = set()
    previous_word = ""
    for word in _words(text):
        # In `below_20_kg`, the kg belongs to the 20, not to the cells below this heading.
        belongs_to_number = previous_word.isdigit()
        previous_word = word
        if belongs_to_number:
            continue
        is_letter = len(word) == 1 and word.isalpha()
        if is_letter and word not in _SINGLE_LETTER_UNITS:
            continue
        unit = unit_of(word) or currency_of(word[-1])  # 円 of 運賃円
        if unit:
            units.add(unit)
    if any(sign in f"{text} " for sign in _SIGNS_OF_SECONDS):
        units.add("s")
    return frozenset(units)


def _powers_named(text: str) -> frozenset[int]:
    """Return the powers of ten in a heading: `in thousands` -> 3, `price_cents` -> -2.

    `万円`, ten thousand yen, has the power 4.
    """
    scales = locale_names().scales  # powers of ten by words such as `million`
    powers: set[int] = set()
    for word in _words(text):
        name = word.casefold()
        # A single letter, such as `M`, is more often a name than a scale.
        if len(word) > 1 and name in scales:
            powers.add(scales[name])
        if name in _MINOR_UNITS:
            powers.add(_POWER_OF_HUNDREDTHS)
        if word[0] in MYRIADS:  # the 10,000 of `万円`
            powers.add(MYRIADS[word[0]])
    return frozenset(powers)


def _last_clause(text: str) -> str:
    """Return what follows the last comma, semicolon, full stop or bar of a text.

    In `Rent 900 EUR, cleaning 80`, only `cleaning ` is the label of the 80.
    """
    clause = text
    for end in _CLAUSE_ENDS:
        clause = clause.rpartition(end)[2]  # the whole clause if it has no such end
    return clause


def _words(text: str) -> list[str]:
    """Return the runs of letters, digits and signs of units: `area_m²` -> `area`, `m2`."""
    plain = normalize_text(text).text.replace("²", "2").replace("³", "3")
    plain = with_signs_apart(plain)  # `距離km`
    characters = []
    for character in plain:
        belongs_to_word = character.isalnum() or character in _UNIT_SIGNS
        characters.append(character if belongs_to_word else " ")
    return "".join(characters).split()


# Cells: the values of a row of a table, of a record, or of a section of a page, each with its name.
#
#     name;time            Cell("name", "Mei Tan"), Cell("time", "1:25:21")
#     Mei Tan;1:25:21
#
#     - club: Chess        Cell("club", "Chess"), Cell("fee", "35 EUR")
#       fee: 35 EUR

_MOST_ROWS: Final = 2_000
"""Rows of one table that are read as such."""
_MOST_LINES_UP: Final = 200
"""Lines between a row of a page's table and its heading."""
_FIELD_OF_JSON: Final = re2.compile(
    r'"((?:[^"\\]|\\.)*)"\s*:\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,{}\[\]"]+)|(\{)?)'
)
"""A key of JSON, and behind it a text, another value, or the record of this name."""
_FIELD_OF_DICTIONARY: Final = re2.compile(r"'([^']+)': ('[^']*'|[^\s,{}\[\]]+)")
"""`'fee': 30` of a dictionary that a script printed."""
_PRINTED_PART: Final = re2.compile(r"(?:[^\d\s]+(?:\s|$))+|\S+")
"""Words without digits, or anything else between blanks."""
_FIELD_OF_XML: Final = re2.compile(r'<([\w:.-]+)[^<>]*>([^<>]+)</|([\w:.-]+)="([^"]*)"')
"""`<name>Ada</name>` or `name="Ada"`."""
_FIELD_OF_RECORD: Final = re2.compile(
    r"""^( *)([-*•] )?["']?([\pL_][^"':=#|,;{}\[\]]{0,40})["']?\s*(?::|=)(?:\s+(.*?)|)[,\s]*$"""
)
"""A line of a record: `  - name: Ada`, `  "fee": 30,`, `Fee: 30 EUR`, `fee = 30`, `* Fee: 30 EUR`, and the
name `ada:` of a record."""
_STARTS_WITH_DATE: Final = re2.compile(
    r"(?:19|20)\d\d[-/.年]\d{1,2}[-/.月]\d|\d{1,2}[./]\d{1,2}[./]\d{4}"
)
"""The date at the beginning of a line of a log or of a list of days: `2026-03-12 Dune returned`."""
_MOST_DATE_CHARS: Final = 12
_HEADING_LINE: Final = re2.compile(r"^(?:#{1,6} +(.*?)[ #]*|\[([^\[\]\"']+)\])$")
"""`# East wing`, `[east-wing]`."""


class Cell(NamedTuple):
    """One value of a row or record."""

    column: str
    """The name of its column, or its key; "" if it has none."""
    text: str
    line: int = 0
    start: int = 0
    """The offset in the line at which its text begins."""


def cell_at(row: Sequence[Cell], line: int, start: int) -> Cell | None:
    """Return the cell that has an offset of a line."""
    found: Cell | None = None
    for cell in row:
        if cell.line == line and cell.start <= start:
            found = cell
    return found


def _fields_of_json(text: str, line: int) -> list[Cell]:
    """Return the keys of JSON in a line with their values, and the names of records."""
    cells: list[Cell] = []
    for match in _FIELD_OF_JSON.finditer(text):
        if match[4]:  # `"Ada": {`
            cells.append(Cell("", match[1], line, match.start(1)))
        for group in (2, 3):
            if match[group] is not None:
                cells.append(Cell(match[1], match[group], line, match.start(group)))
    return cells


def _printed_cells(text: str, line: int) -> list[Cell]:
    """Return the parts of a line that a script printed, or the fields of a dictionary.

    `Ghent Rooks 43.5 30` -> `Ghent Rooks`, 43.5 and 30; `{'fee': 30, 'rent': 250}` -> 30 and 250.
    """
    fields = list(_FIELD_OF_DICTIONARY.finditer(text))
    if len(fields) > 1:
        return [
            Cell(match[1], match[2].strip("'"), line, match.start(2))
            for match in fields
        ]
    cells: list[Cell] = []
    for match in _PRINTED_PART.finditer(text):
        column = f"#{len(cells)}"
        part = match[0].strip(" :=,()[]'\"")
        cells.append(Cell(column, part, line, match.start()))
    return cells


# Where the lines of a text stand in its file: `/loans.csv`, line 9.
#
# A text may be only a part of its file. So the line with the index 0 may have the number 40.

_UNKNOWN_LINE: Final = 0
"""The number of a line whose place in the file is unknown."""


@dataclass(frozen=True, slots=True)
class Place:
    """A line of a text that was read."""

    path: str
    line: int = _UNKNOWN_LINE
    """The number of the line, counted from 1."""


@dataclass(frozen=True, slots=True)
class LineNumbers:
    """The numbers that the lines of a text have in its file, in a short form.

    `LineNumbers((40,))` are those of a text that begins with line 40: 40, 41 and so on.
    """

    listed: tuple[int, ...] = (1,)
    """The numbers of the first lines. Each further line has the next number after the last one.

    - `(1,)`: a whole file, whose lines are 1, 2, 3 and so on
    - `(40,)`: a part of a file from line 40 on
    - `(1, 7, 9)`: the heading of a table and its rows in lines 7 and 9
    - `()` or `(UNKNOWN_LINE,)`: all numbers are unknown
    """

    def number_of(self, line: int) -> int:
        """Return the number of the line at an index, counted from 0, or `_UNKNOWN_LINE`."""
        if not self.listed:
            return _UNKNOWN_LINE
        if line < len(self.listed):
            return self.listed[line]
        last_listed = self.listed[-1]
        if last_listed == _UNKNOWN_LINE:
            return _UNKNOWN_LINE
        lines_behind = line - (len(self.listed) - 1)
        return last_listed + lines_behind

    def from_line(self, line: int) -> LineNumbers:
        """Return the numbers of a part of the text that begins at an index.

        (1, 7, 9) from the index 1 on -> (7, 9)
        """
        return LineNumbers(self.listed[line:] or (self.number_of(line),))

    @property
    def listed_rows(self) -> list[int]:
        """The numbers of a table's rows below its heading: 7 and 9 of `(1, 7, 9)`; else empty."""
        return list(self.listed[1:])


_WHOLE_FILE: Final = LineNumbers((1,))
UNKNOWN_NUMBERS: Final = LineNumbers(())


# Limits how many lines of texts are compared with the values of an answer.
#
# A trial may have read a lot. With a limit, its answer is judged within seconds all the same.

MAX_LINES: Final = 30_000
"""The most lines of texts with one budget, such as all files, that are compared for an answer.

Only lines whose values are known already count as one.
"""
COST_OF_READING: Final = 10
"""How many lines count for one that is read for the first time.

Reading tries dozens of patterns. Afterwards, the values of the line are cached.
"""


@dataclass(slots=True)
class LineBudget:
    """How many lines may still be compared. When nothing is left, no further values are found."""

    remaining: int = MAX_LINES


# Texts that a trial read, to be searched for values.
#
# `line` is the index of a line in its text, counted from 0. A `Place` has the number of
# the line in the file, counted from 1: a text may be lines 40 to 60 of a file.

_SEPARATOR_OF_JSON: Final = ","
_STYLE_SAMPLE_LINES: Final = 500
"""First lines of a text that decide its style of numbers."""
_NOTE_LINES: Final = 3
"""First lines of a text that may state a scale for all its numbers: `in thousands of EUR`."""
_MAX_QUOTED_PLACES: Final = 20
"""The most occurrences of one quotation that are examined. A short one may be on every line."""


@dataclass(eq=False)
class Source:
    """A text that was read: a file, a part of a file, or a result without a line in any file.

    It is searched for the values of an answer. In all methods, `line` is the index of a line in
    this text, from 0. What is derived from the text is computed when it is first needed.
    """

    path: str
    """Empty for a text without a path, such as the question."""
    text: str
    line_numbers: LineNumbers = _WHOLE_FILE
    """The numbers that the lines of the text have in the file."""
    is_printed: bool = False
    """True for lines that a script printed: no heading names their units."""
    outer_heading: str = ""
    """The heading of the table if `text` has only rows from the middle of it."""
    style: NumberStyle | None = None
    """Whether `1.199` is read as 1199 or 1.199. None: as the other numbers of the text suggest."""
    budget: LineBudget = field(default_factory=LineBudget)
    """How many lines may still be compared, here and in other texts with the same budget."""
    kinds: frozenset[ValueKind] = ALL_KINDS
    """The kinds of values that lines state. Names of files state ids and dates, but no amounts."""
    _values: dict[int, list[WrittenValue]] = field(default_factory=dict, init=False)
    """The values of the lines that were read, by line."""
    _cells: dict[int, list[Cell]] = field(default_factory=dict, init=False)
    """The cells of the lines that were read as rows, by line."""
    _labels: dict[tuple[int, int], NumberLabels] = field(
        default_factory=dict, init=False
    )
    """The labels that were read, by the line of a number and its offset in the line."""

    @cached_property
    def lines(self) -> list[str]:
        """The lines of the text, without line breaks."""
        return self.text.split("\n")

    def place(self, line: int) -> Place:
        """Return the path of a line, and its number in the file, counted from 1."""
        return Place(self.path, self.line_numbers.number_of(line))

    def index_of(self, number: int) -> int | None:
        """Return the index of the line that has a number in the file, or None if it is elsewhere."""
        for index in range(len(self.lines)):
            if self.line_numbers.number_of(index) == number:
                return index
        return None

    # The lines as rows of a table, if the text is one

    @cached_property
    def is_json(self) -> bool:
        """True if the text looks like JSON, which has no rows."""
        return looks_like_json(self.text)

    def heading_of(self, line: int) -> str:
        """Return the heading of a line, or "" if it has none.

        The heading itself has none. The first line of JSON is a record like the others.
        """
        if self.outer_heading:
            return self.outer_heading
        if line == 0 or self.is_printed or self.is_json:
            return ""
        return self.lines[0]

    def _separator_of(self, line: int) -> str:
        """Return what separates the cells of a line, such as `;`, or "" if it is not a row.

        In JSON, a comma always separates values. Otherwise, a line is a row if it has as many
        cells as its heading. The heading itself is compared with the line below it.
        """
        if self.is_json:
            return _SEPARATOR_OF_JSON
        compared_row = self.heading_of(line)
        if not compared_row and not self.is_printed and len(self.lines) > 1:
            compared_row = self.lines[1]
        return _separator_of_row(self.lines[line], compared_row)

    def with_cells_apart(self, line: int) -> str:
        """Return a line with a line break in place of each separator: `B-1;38` -> `B-1\\n38`."""
        separator = self._separator_of(line)
        if not separator:
            return self.lines[line]
        return _break_at_separators(self.lines[line], separator)

    # The cells of rows and records

    def cells_of(self, line: int) -> list[Cell]:
        """Return the cells of a row of a table, or the fields of a record of JSON or XML in one line.

        Empty for any other line.
        """
        if line not in self._cells:
            self._cells[line] = self._read_cells(line)
        return self._cells[line]

    def _read_cells(self, line: int) -> list[Cell]:
        """Return the cells of a line for `cells_of`, which reads each line once."""
        text = encodable(self.lines[line][: bounds.MOST_LINE_CHARS])
        if '":' in text or '" :' in text:
            return _fields_of_json(text, line)
        if self.is_printed:
            return _printed_cells(text, line)
        if text.count("</") > 1:
            return self._cells_of_page(text, line)
        if text.count("|") > 1:
            separator = "|"
            columns = self._columns_of_markdown(line)
        else:
            separator = self._separator_of(line)
            if not separator:
                is_log = self._is_log_line(line)
                return _printed_cells(text, line) if is_log else []
            heading = encodable(self.heading_of(line))
            columns = _break_at_separators(heading, separator).split("\n")
        quotes = " *`" if separator == "|" else ' "'
        cells: list[Cell] = []
        start = 0
        for index, part in enumerate(_break_at_separators(text, separator).split("\n")):
            column = columns[index].strip(quotes) if index < len(columns) else ""
            cells.append(Cell(column, part.strip(quotes), line, start))
            start += len(part) + 1
        return cells

    def _is_log_line(self, line: int) -> bool:
        """Return True for a line that begins with a date, as one beside it does."""
        beside = self.lines[max(line - 1, 0) : line + 2]
        dated = [
            _STARTS_WITH_DATE.match(encodable(text[:_MOST_DATE_CHARS]))
            for text in beside
        ]
        is_dated = _STARTS_WITH_DATE.match(
            encodable(self.lines[line][:_MOST_DATE_CHARS])
        )
        return is_dated is not None and len(dated) - dated.count(None) > 1

    def _columns_of_markdown(self, line: int) -> list[str]:
        """Return the headings of a table of Markdown, which stand above its rule of hyphens."""
        for index in range(line - 1, max(line - _MOST_LINES_UP, 0), -1):
            text = self.lines[index]
            if "|" not in text:
                break
            if "---" in text and not text.strip("|-: "):
                return self.lines[index - 1].split("|")
        return []

    def _cells_of_page(self, text: str, line: int) -> list[Cell]:
        """Return the fields of a record of XML, or the cells of a row of HTML."""
        headings = self._headings_of_page(line) if "<td" in text else []
        cells: list[Cell] = []
        for match in _FIELD_OF_XML.finditer(text):
            key, value = (1, 2) if match[1] else (3, 4)
            column = match[key]
            if column == "td":  # a cell of a page's table
                column = "".join(headings[len(cells) : len(cells) + 1])
            cells.append(Cell(column, match[value], line, match.start(value)))
        return cells

    def _headings_of_page(self, line: int) -> list[str]:
        """Return the headings of a table of HTML, whose rows are in lines of their own."""
        for index in range(line - 1, max(line - _MOST_LINES_UP, 0) - 1, -1):
            text = self.lines[index]
            if "<th" in text:
                found = _FIELD_OF_XML.finditer(
                    encodable(text[: bounds.MOST_LINE_CHARS])
                )
                return [match[2] for match in found if match[1] == "th"]
            if "</tr" not in text:
                break
        return []

    @cached_property
    def records(self) -> list[list[Cell]]:
        """The records of the text whose fields stand in lines of their own.

        A record has fields of the same indentation. Its name, the key above it, is a field, too, and
        so is the heading of a page's section.
        """
        records: list[list[Cell]] = []
        open_records: dict[int, list[Cell]] = {}  # by indentation
        has_headings = any(line.startswith("#") for line in self.lines[:_MOST_ROWS])
        for index, text in enumerate(self.lines[:_MOST_ROWS]):
            line = encodable(text[: bounds.MOST_LINE_CHARS])
            heading = _HEADING_LINE.match(line)
            if heading is not None or (not line.strip() and not has_headings):
                open_records = {}
            if heading is not None:
                open_records[0] = [Cell("", heading[1] or heading[2], index)]
                records.append(open_records[0])
                continue
            field = _FIELD_OF_RECORD.match(line)
            indentation = len(line) - len(line.lstrip(" "))
            if field is not None:
                indentation += len(field[2] or "")
            elif not line.strip():
                continue
            # A line ends the records that are indented more, and the next item of a list its like.
            ends_like = field is None or bool(field[2])
            if field is not None and self._lists_fields(
                open_records.get(indentation, []), field[3]
            ):
                ends_like = False
            for other in list(open_records):
                if other > indentation or (
                    other == indentation and ends_like and other
                ):
                    del open_records[other]
            if field is None:
                continue
            value = (field[4] or "").strip("\"' ")
            if indentation not in open_records:
                record: list[Cell] = []
                outer = [
                    cells
                    for other, cells in open_records.items()
                    if other < indentation
                ]
                if outer and outer[-1] and outer[-1][-1].text in ("", "{"):
                    record.append(Cell("", outer[-1][-1].column, index))
                open_records[indentation] = record
                records.append(record)
            start = field.start(4) if field[4] else len(line)
            open_records[indentation].append(Cell(field[3], value, index, start))
        return records

    def _lists_fields(self, record: Sequence[Cell], key: str) -> bool:
        """Return True if each field is an item of a list, and none has the next item's key.

        `* Exam fee: $127` and `* Harbor fee: 0.125 %` are two fields; `- name: Ada` and `- name: Ben` are
        the first fields of two records.
        """
        if not record or any(cell.column in ("", key) for cell in record):
            return False
        return all(self.lines[cell.line].lstrip()[:1] in "-*•" for cell in record)

    def row_at(self, line: int) -> list[Cell]:
        """Return the cells of the row or record to which a line belongs; empty if there is none."""
        cells = self.cells_of(line)
        if len(cells) > 1:
            return cells
        for record in self.records:
            if len(record) > 1 and any(cell.line == line for cell in record):
                return record
        return []

    def is_heading(self, line: int) -> bool:
        """Return True for the first row of a table, whose cells are the names of its columns."""
        below = self.lines[line + 1] if line + 1 < len(self.lines) else ""
        has_rule_below = "---" in below and not below.strip("|-: ")
        is_first = line == 0 and not self.is_printed and not self.is_json
        if self.outer_heading or (
            self._is_log_line(line) and not self._separator_of(line)
        ):
            is_first = False
        return has_rule_below or is_first

    @cached_property
    def rows(self) -> list[list[Cell]]:
        """All rows and records, without headings."""
        rows: list[list[Cell]] = []
        for line in range(min(len(self.lines), _MOST_ROWS)):
            cells = self.cells_of(line)
            if len(cells) > 1 and not self.is_heading(line):
                rows.append(cells)
        return rows + [record for record in self.records if len(record) > 1]

    # What the lines state

    def values_of(self, line: int) -> list[WrittenValue]:
        """Return the values of a line, except quotations. The cells of a table are read alone."""
        if line not in self._values:
            # `1,250` becomes `1\n250`, because no value continues behind a line break.
            text = self.with_cells_apart(line)[: bounds.MOST_LINE_CHARS]
            self._values[line] = [
                value
                for value in values_of_line(text, self._number_style)
                if value.kind in self.kinds
            ]
        return self._values[line]

    def spend(self, line: int) -> bool:
        """Return True if a line may be compared with a value, and take its cost from the budget."""
        if self.budget.remaining <= 0:
            return False
        self.budget.remaining -= 1 if line in self._values else COST_OF_READING
        return True

    @cached_property
    def _number_style(self) -> NumberStyle:
        """The given style, or the one that the first lines of the text suggest."""
        if self.style is not None:
            return self.style
        first_lines = range(min(len(self.lines), _STYLE_SAMPLE_LINES))
        sample = [self.with_cells_apart(line) for line in first_lines]
        text = "\n".join([self.outer_heading, *sample])
        style = number_style_of(normalize_text(text).text)
        # Where a comma separates cells, it is not also the decimal mark.
        if any(self._separator_of(line) == "," for line in first_lines):
            return replace(style, decimal_mark=".")
        return style

    # The labels of numbers: the units and scales that headings and keys give to them

    def labels_of(self, line: int, value: WrittenValue) -> NumberLabels:
        """Return the units and scales that the labels of a number name.

        `fee_eur` names EUR, and `fee in thousands` the power of ten 3. Outside a table, the first
        line of the text may be a heading.
        """
        position = (line, value.start)
        if position not in self._labels:
            label = self.label_text(line, value.start)
            if self._cells_before(line, value.start) is None:
                label = f"{label} {self.heading_of(line)}"
            powers = _powers_named(label) | self._powers_for_all_numbers
            self._labels[position] = NumberLabels(units_named(label), powers)
        return self._labels[position]

    def label_text(self, line: int, start: int) -> str:
        """Return the words that label the number at an offset of a line.

        - The 38 of `B-1;38` below `id;weight_kg`: the heading of its column and the first cell
          of its row, `weight_kg B-1`.
        - The 80 of `Rent 900 EUR, cleaning 80`, which is not in a table: the words before it in its
          clause, `cleaning`.
        """
        cells = self._cells_before(line, start)
        if cells is None:
            return _last_clause(self.lines[line][max(start - _LABEL_CHARS, 0) : start])
        return " ".join(cells)

    def _cells_before(self, line: int, start: int) -> list[str] | None:
        """Return the heading of the column at an offset, and the first cell of the row.

        Returns None for a line without columns, as in prose and in JSON.
        """
        if self.is_json or not self._separator_of(line):
            return None
        first, *_ = cells = self.cells_of(line)
        own = cell_at(cells, line, start) or first
        return [own.column] if own is first else [own.column, first.text]

    @cached_property
    def _powers_for_all_numbers(self) -> frozenset[int]:
        """The powers of ten that hold for all numbers: 3 for `Revenue in thousands`.

        Only the first lines may state them. Long lines are skipped, because they are data.
        """
        powers: frozenset[int] = frozenset()
        for line in self.lines[:_NOTE_LINES]:
            if len(line) < bounds.MOST_LINE_CHARS:
                powers |= _powers_named(line)
        return powers

    # Which lines to compare with a value. They are found fast, without reading the others.

    @cached_property
    def _keys_of_lines(self) -> _JoinedLines:
        """The keys of the lines. The breaks keep a value from continuing on the next line."""
        return _JoinedLines([search_key(line) for line in self.lines], "\n")

    def lines_with(self, characters: str) -> Iterator[int]:
        """Yield the lines with letters and digits in a row: `125` is in `1 250.00`."""
        keys = self._keys_of_lines
        offset = keys.text.find(characters)
        while characters and offset >= 0:
            line = keys.line_at(offset)
            yield line
            offset = keys.text.find(characters, keys.end_of(line))

    @cached_property
    def lines_with_numerals(self) -> list[int]:
        """The lines with numbers that are written without digits, such as `三百` and `令和元年`."""
        return [
            index
            for index, line in enumerate(self.lines)
            if not _NON_DIGIT_NUMERALS.isdisjoint(line)
        ]

    # Quotations, which are found regardless of case, accents, blanks and line breaks. Marks count:
    # `Fee: 7 EUR` is in `FEE:  7 eur per month` and in the two lines `Fee:` and `7 EUR`, and not in
    # `Fee 7 EUR`.

    @cached_property
    def _bare_lines(self) -> _JoinedLines:
        """The lines without case, accents and blanks. A quotation may go over several lines."""
        return _JoinedLines([bare_text(line) for line in self.lines], "")

    def _places_of_quotation(self, quotation: str) -> Iterator[tuple[int, int]]:
        """Yield the first and the last line of each occurrence of a quotation."""
        wanted = bare_text(quotation)
        if not wanted:
            return
        lines = self._bare_lines
        offset = lines.text.find(wanted)
        while offset >= 0:
            end = offset + len(wanted)
            first = lines.line_at(offset)
            last = lines.line_at(end - 1)
            # `cost 12` is not in `cost 125`. Digits on either side of a line break belong to two
            # numbers.
            ends_within_number = lines.text[end - 1 : end + 1].isdigit()
            if end == lines.end_of(last) or not ends_within_number:
                yield first, last
            offset = lines.text.find(wanted, offset + 1)

    def line_of_quotation(self, quotation: str) -> int | None:
        """Return the line on which a quotation begins, or None if the text does not have it."""
        for first, _ in self._places_of_quotation(quotation):
            return first
        return None

    def quoted_parts(self, quotation: str) -> Iterator[Source]:
        """Yield the lines with a quotation as a source of their own, once for each occurrence.

        Only the first `_MAX_QUOTED_PLACES` occurrences are examined.
        """
        places = self._places_of_quotation(quotation)
        for first, last in islice(places, _MAX_QUOTED_PLACES):
            yield Source(
                path=self.path,
                text="\n".join(self.lines[first : last + 1]),
                line_numbers=self.line_numbers.from_line(first),
                outer_heading=self.heading_of(first),
            )
