"""Texts that a trial read, and the values that their lines state.

`line` is the index of a line in its text, counted from 0. A `Place` has the number of
the line in the file, counted from 1: a text may be lines 40 to 60 of a file.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from typing import Final

from controlplane.gates.support.sources.number_labels import (
    NumberLabels,
    label_of,
    powers_named,
    units_named,
)
from controlplane.gates.support.sources.places import WHOLE_FILE, LineNumbers, Place
from controlplane.gates.support.sources.table_rows import Rows
from controlplane.gates.support.sources.text_search import DigitIndex, QuotationIndex
from controlplane.gates.text_folding import fold_text, parts_of
from controlplane.gates.values.locale_names import MYRIADS
from controlplane.gates.values.normal_text import normalize_text
from controlplane.gates.values.number_style import NumberStyle, number_style_of
from controlplane.gates.values.numerals import CJK_NUMERALS
from controlplane.gates.values.value_kinds import Kind, WrittenValue
from controlplane.gates.values.written_values import written_values
from controlplane.sandbox.interface import bounds

MAX_QUOTED_PLACES: Final = 20
"""The most occurrences of one quotation that are examined. A short one may be on every line."""
STYLE_SAMPLE_LINES: Final = 500
"""First lines of a text that decide its style of numbers."""
NOTE_LINES: Final = 3
"""First lines of a text that may state a scale for all its numbers: `in thousands of EUR`."""
_SIGN_OF_YEAR: Final = "年"
_NON_DIGIT_NUMERALS: Final = CJK_NUMERALS | MYRIADS.keys() | {_SIGN_OF_YEAR}
"""Signs of numbers that may be written without digits: `三百`, `令和元年`."""
_KINDS_ON_LINES: Final = frozenset(Kind) - {Kind.QUOTATION}
"""The kinds of values that are read from lines; quotations are searched for in the whole text."""


@dataclass(eq=False)
class Source:
    """A text that was read: a file, a part of a file, or a result without a line in any file."""

    path: str
    """Empty for a text without a path, such as the question."""
    text: str
    line_numbers: LineNumbers = WHOLE_FILE
    """The numbers that the lines of the text have in the file."""
    first_line_is_heading: bool = True
    """True if the first line may name units: `id;weight_kg` in a table. False for printed lines."""
    outer_heading: str = ""
    """The heading of the table if `text` has only rows from the middle of it."""
    style: NumberStyle | None = None
    """Whether `1.199` is read as 1199 or 1.199. None: as the other numbers of the text suggest."""

    # Caches
    _values: dict[int, list[WrittenValue]] = field(default_factory=dict, init=False)
    """The values of the lines that were read, by line."""
    _labels: dict[tuple[int, int], NumberLabels] = field(
        default_factory=dict, init=False
    )
    """By the line of a number and its offset in the line."""

    @cached_property
    def rows(self) -> Rows:
        return Rows(self.text, self.first_line_is_heading, self.outer_heading)

    @cached_property
    def lines(self) -> list[str]:
        return self.rows.lines

    def place(self, line: int) -> Place:
        """Return where a line stands in its file."""
        return Place(self.path, self.line_numbers.number_of(line))

    # Values

    def values_of(self, line: int) -> list[WrittenValue]:
        """Return the values of a line, except quotations; cached.

        Each cell of a row is read alone: `1,250` in a CSV file is 1 and 250. For this, line
        breaks replace the separators.
        """
        if line not in self._values:
            text = self.rows.with_cells_apart(line)[: bounds.MOST_LINE_CHARS]
            self._values[line] = written_values(
                text, kinds=_KINDS_ON_LINES, style=self._number_style
            )
        return self._values[line]

    def is_read(self, line: int) -> bool:
        """Return True if the values of a line have been read already."""
        return line in self._values

    @cached_property
    def _number_style(self) -> NumberStyle:
        """The given style, or the one that the first lines of the text suggest."""
        if self.style is not None:
            return self.style
        first_lines = range(min(len(self.lines), STYLE_SAMPLE_LINES))
        sample = [self.rows.with_cells_apart(line) for line in first_lines]
        text = "\n".join([self.outer_heading, *sample])
        style = number_style_of(normalize_text(text).text)
        if any(self.rows.separator_of(line) == "," for line in first_lines):
            return replace(style, decimal_mark=".")  # the comma separates cells
        return style

    def labels_of(self, line: int, value: WrittenValue) -> NumberLabels:
        """Return the units and scales that the labels of a number name; cached.

        A label is a heading or key. `fee_eur` names EUR, and `fee in thousands` the power
        of ten 3.
        """
        number = (line, value.start)
        if number not in self._labels:
            label = label_of(self.rows, line, value.start)
            powers = powers_named(label) | self._powers_for_all_numbers
            self._labels[number] = NumberLabels(units_named(label), powers)
        return self._labels[number]

    @cached_property
    def _powers_for_all_numbers(self) -> frozenset[int]:
        """The powers of ten that hold for all numbers: 3 for `Revenue in thousands`.

        Only the first lines may state them. Long lines are skipped, because they are data.
        """
        powers: frozenset[int] = frozenset()
        for line in self.lines[:NOTE_LINES]:
            if len(line) < bounds.MOST_LINE_CHARS:
                powers |= powers_named(line)
        return powers

    # Search

    def lines_with(self, characters: str) -> Iterator[int]:
        """Yield the lines that contain the given letters and digits one after the other.

        Marks and blanks between them are ignored: `125` is in `1 250.00` and `No. 12-5`.
        """
        return self._digit_index.lines_with(characters)

    @cached_property
    def _digit_index(self) -> DigitIndex:
        return DigitIndex(self.lines)

    @cached_property
    def lines_with_numerals(self) -> list[int]:
        """The lines with numbers that are written without digits, such as `三百` and `令和元年`."""
        if _NON_DIGIT_NUMERALS.isdisjoint(self.text):
            return []
        return [
            index
            for index, line in enumerate(self.lines)
            if not _NON_DIGIT_NUMERALS.isdisjoint(line)
        ]

    def line_of_quotation(self, quotation: str) -> int | None:
        """Return the line on which a quotation begins, or None if the text does not have it."""
        first_place = next(self._quotation_index.places_of(quotation), None)
        return first_place.first if first_place is not None else None

    def quoted_parts(self, quotation: str) -> Iterator[Source]:
        """Yield the lines of each of the first occurrences of a quotation, each as a source."""
        places = self._quotation_index.places_of(quotation)
        for place in islice(places, MAX_QUOTED_PLACES):
            yield Source(
                path=self.path,
                text="\n".join(self.lines[place.first : place.last + 1]),
                line_numbers=self.line_numbers.from_line(place.first),
                outer_heading=self.rows.heading_of(place.first),
            )

    @cached_property
    def _quotation_index(self) -> QuotationIndex:
        return QuotationIndex(self.lines)


def distinctive_words(text: str) -> frozenset[str]:
    """Return the words of a text with at least two letters, without case and accents.

    They decide between several lines that state a value: the line that shares most words
    with the answer is its source.
    """
    return frozenset(word for word in parts_of(fold_text(text)) if len(word) > 1)
