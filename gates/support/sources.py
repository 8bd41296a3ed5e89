"""Texts that a trial read, and the values that their lines state.

A `Source` knows the path of a text, the number of each of its lines in the file, how
the text writes numbers, and which of its lines are rows of a table.

All functions here take as `line` the index of a line in its text, counted from 0. A
`Place` shows its number in the file, counted from 1: a text may be lines 40 to 60 of a
file.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from typing import Final

from controlplane.gates.support.number_labels import (
    NumberLabels,
    last_clause,
    powers_named,
    units_named,
)
from controlplane.gates.support.table_rows import (
    break_at_separators,
    cell_of,
    count_separators,
    separator_of_row,
)
from controlplane.gates.support.text_search import DigitIndex, QuotationIndex
from controlplane.gates.text_folding import fold_text, parts_of
from controlplane.gates.values.locale_names import MYRIADS
from controlplane.gates.values.normal_text import normalize_text
from controlplane.gates.values.number_style import NumberStyle, number_style_of
from controlplane.gates.values.numerals import CJK_NUMERALS
from controlplane.gates.values.value_kinds import Kind, WrittenValue
from controlplane.gates.values.written_values import written_values
from controlplane.sandbox.interface import bounds

MAX_QUOTED_PLACES: Final = 20
"""The most occurrences of one quotation that are examined. A short one may be on every
line."""
LABEL_CHARS: Final = 60
"""Characters before a number in which its key or label is looked for."""
STYLE_SAMPLE_LINES: Final = 500
"""First lines of a text that decide its style of numbers."""
NOTE_LINES: Final = 3
"""First lines of a text that may state a scale for all its numbers: `in thousands of
EUR`."""
UNKNOWN_LINE: Final = 0
"""The number of a line whose place in the file is unknown."""
_SIGN_OF_YEAR: Final = "年"
_NON_DIGIT_NUMERALS: Final = CJK_NUMERALS | MYRIADS.keys() | {_SIGN_OF_YEAR}
"""Signs of numbers that may be written without digits: `三百`, `令和元年`."""
_KINDS_ON_LINES: Final = frozenset(Kind) - {Kind.QUOTATION}
"""The kinds of values that are read from lines; quotations are searched for in the
whole text."""
_CELL_SEPARATOR_OF_JSON: Final = ","


@dataclass(frozen=True, slots=True)
class Place:
    """A line of a text that was read."""

    path: str
    line: int = UNKNOWN_LINE
    """The number of the line, counted from 1."""


@dataclass(frozen=True, slots=True)
class LineNumbers:
    """The numbers that the lines of a text have in its file."""

    listed: tuple[int, ...] = (1,)
    """The numbers of the first lines. Each further line has the next number after the
    last one.

    - `(1,)`: a whole file, whose lines are 1, 2, 3 and so on
    - `(40,)`: a part of a file from line 40 on
    - `(1, 7, 9)`: the heading of a table and its rows in lines 7 and 9
    - `()`: all numbers are unknown; `UNKNOWN_LINE` in a tuple stands for a single
      unknown number
    """

    def number_of(self, line: int) -> int:
        """Return the number of the line at an index, or `UNKNOWN_LINE`."""
        if not self.listed:
            return UNKNOWN_LINE
        if line < len(self.listed):
            return self.listed[line]
        last_listed = self.listed[-1]
        if last_listed == UNKNOWN_LINE:
            return UNKNOWN_LINE
        lines_behind = line - (len(self.listed) - 1)
        return last_listed + lines_behind

    @property
    def of_rows(self) -> list[int]:
        """The numbers of the rows if the text is some rows of a table below its
        heading: 7 and 9 of `(1, 7, 9)`. Else empty."""
        return list(self.listed[1:])


WHOLE_FILE: Final = LineNumbers((1,))
UNKNOWN_NUMBERS: Final = LineNumbers(())


@dataclass(eq=False)
class Source:
    """A text that was read: a file, a part of a file, or a result without a line in any
    file."""

    path: str
    text: str
    line_numbers: LineNumbers = WHOLE_FILE

    # A heading, such as `id;weight_kg` of a table, names the units of the numbers below
    # it.
    first_line_is_heading: bool = True
    """True if the heading is the first line of `text`. False for printed lines."""
    outer_heading: str = ""
    """The heading if it is outside `text`, which is then rows from the middle of a
    table."""

    style: NumberStyle | None = None
    """Whether `1.199` is read as 1199 or 1.199. None: as the other numbers of the text
    suggest."""

    # Caches
    _values_by_line: dict[int, list[WrittenValue]] = field(
        default_factory=dict, init=False
    )
    _labels_by_number: dict[tuple[int, int], NumberLabels] = field(
        default_factory=dict, init=False
    )
    """The units and scales that apply to a number, by its line and its offset in the
    line."""

    # Lines

    @cached_property
    def lines(self) -> list[str]:
        return self.text.split("\n")

    def place(self, line: int) -> Place:
        """Return where a line stands in its file."""
        return Place(self.path, self.line_numbers.number_of(line))

    def heading_of(self, line: int) -> str:
        """Return the heading of a line, or "" if it has none, such as the heading
        itself."""
        if self.outer_heading:
            return self.outer_heading
        if self.first_line_is_heading and line > 0:
            return self.lines[0]
        return ""

    # Values

    def values_of(self, line: int) -> list[WrittenValue]:
        """Return the values of a line, except quotations; cached.

        The cells of a row are read apart, so that `1,250` in a CSV file is 1 and 250.
        """
        if line not in self._values_by_line:
            text = self._with_cells_apart(line)[: bounds.MOST_LINE_CHARS]
            self._values_by_line[line] = written_values(
                text, kinds=_KINDS_ON_LINES, style=self._number_style
            )
        return self._values_by_line[line]

    def is_read(self, line: int) -> bool:
        """Return True if the values of a line have been read already."""
        return line in self._values_by_line

    @cached_property
    def _number_style(self) -> NumberStyle:
        """The given style, or the one that the first lines of the text suggest."""
        if self.style is not None:
            return self.style
        first_lines = range(min(len(self.lines), STYLE_SAMPLE_LINES))
        sample = [self.outer_heading]
        for line in first_lines:
            sample.append(self._with_cells_apart(line))
        style = number_style_of(normalize_text("\n".join(sample)).text)

        separates_by_commas = any(
            self._separator_of(line) == "," for line in first_lines
        )
        if separates_by_commas:  # then a comma is not a decimal mark
            return replace(style, decimal_mark=".")
        return style

    # Rows of a table

    def _with_cells_apart(self, line: int) -> str:
        """Return a line with a line break in place of each separator: `B-1;38` ->
        `B-1\\n38`."""
        separator = self._separator_of(line)
        if not separator:
            return self.lines[line]
        return break_at_separators(self.lines[line], separator)

    def _separator_of(self, line: int) -> str:
        """Return what separates the cells of a line, or "" if the line is not a row.

        A line is a row if it has as many cells as the heading, and the heading if it
        has as many as the line below it. In JSON, a comma always separates values.
        """
        if self._is_json:
            return _CELL_SEPARATOR_OF_JSON
        compared_line = self.heading_of(line)
        is_heading = self.first_line_is_heading and compared_line == ""
        if is_heading and len(self.lines) > 1:
            compared_line = self.lines[1]
        return separator_of_row(self.lines[line], compared_line)

    @cached_property
    def _is_json(self) -> bool:
        return self.text.lstrip()[:1] in ("{", "[")

    # Labels of a number

    def labels_of(self, line: int, value: WrittenValue) -> NumberLabels:
        """Return the units and scales that apply to a number by the words around it;
        cached."""
        number = (line, value.start)
        if number not in self._labels_by_number:
            self._labels_by_number[number] = self._read_labels(line, value)
        return self._labels_by_number[number]

    def _read_labels(self, line: int, value: WrittenValue) -> NumberLabels:
        """Return the units and scales that the labels of a number name: EUR for
        `fee_eur`.

        In a table, the labels are the heading of the number's column and the first cell
        of its row. Elsewhere, they are the last words before the number and the heading
        of its line.
        """
        text = self.lines[line]
        heading = self.heading_of(line)

        # 1. The texts of the labels. JSON has separators, but no columns.
        separator = self._separator_of(line)
        is_row_of_table = separator != "" and not self._is_json
        if is_row_of_table:
            column = count_separators(text[: value.start], separator)
            label_texts = [cell_of(heading, separator, column)]
            if column > 0:
                label_texts.append(cell_of(text, separator, 0))
        else:
            text_before = text[max(value.start - LABEL_CHARS, 0) : value.start]
            label_texts = [last_clause(text_before), heading]

        # 2. The units and powers of ten that these texts name.
        label_text = " ".join(label_texts)
        powers = powers_named(label_text) | self._powers_for_all_numbers
        return NumberLabels(units_named(label_text), powers)

    @cached_property
    def _powers_for_all_numbers(self) -> frozenset[int]:
        """The powers of ten that the first lines state for all numbers of the text: 3
        for `Revenue in thousands`. Long lines are skipped, because they are data."""
        powers: frozenset[int] = frozenset()
        for line in self.lines[:NOTE_LINES]:
            if len(line) < bounds.MOST_LINE_CHARS:
                powers |= powers_named(line)
        return powers

    # Search

    def lines_with(self, characters: str) -> Iterator[int]:
        """Yield the lines that contain the given letters and digits in a row. Marks and
        blanks between them are ignored.

        `125` is in `1 250.00` and in `No. 12-5`.
        """
        return self._digit_index.lines_with(characters)

    @cached_property
    def _digit_index(self) -> DigitIndex:
        return DigitIndex(self.lines)

    @cached_property
    def lines_with_numerals(self) -> list[int]:
        """The lines with numbers that are written without digits, such as `三百` and
        `令和元年`."""
        if _NON_DIGIT_NUMERALS.isdisjoint(self.text):
            return []
        lines = []
        for index, line in enumerate(self.lines):
            if not _NON_DIGIT_NUMERALS.isdisjoint(line):
                lines.append(index)
        return lines

    def line_of_quotation(self, quotation: str) -> int | None:
        """Return the line on which a quotation begins, or None if the text does not
        have it."""
        first_place = next(self._quotation_index.places_of(quotation), None)
        return first_place.first if first_place is not None else None

    def quoted_parts(self, quotation: str) -> Iterator[Source]:
        """Yield the lines of each of the first occurrences of a quotation, each as a
        source."""
        for place in islice(
            self._quotation_index.places_of(quotation), MAX_QUOTED_PLACES
        ):
            line_numbers = UNKNOWN_NUMBERS
            if self.line_numbers != UNKNOWN_NUMBERS:
                number_of_first = self.line_numbers.number_of(place.first)
                line_numbers = LineNumbers(
                    (number_of_first,)
                )  # the next lines count on from it
            yield Source(
                path=self.path,
                text="\n".join(self.lines[place.first : place.last + 1]),
                line_numbers=line_numbers,
                outer_heading=self.heading_of(place.first),
            )

    @cached_property
    def _quotation_index(self) -> QuotationIndex:
        return QuotationIndex(self.lines)


def distinctive_words(text: str) -> frozenset[str]:
    """Return the words of a text with at least two letters, without case and accents.

    If several lines state a value, the line that shares most words with the answer is
    its source.
    """
    words = set()
    for word in parts_of(fold_text(text)):
        if len(word) > 1:
            words.add(word)
    return frozenset(words)
