"""Texts that a trial read, to be searched for values.

`line` is the index of a line in its text, counted from 0. A `Place` has the number of
the line in the file, counted from 1: a text may be lines 40 to 60 of a file.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Final

from controlplane.gates.support.sources.digit_index import (
    DigitIndex,
    lines_with_numerals,
)
from controlplane.gates.support.sources.line_labels import LineLabels
from controlplane.gates.support.sources.line_values import LineValues
from controlplane.gates.support.sources.places import WHOLE_FILE, LineNumbers, Place
from controlplane.gates.support.sources.quotation_index import QuotationIndex
from controlplane.gates.support.sources.table_rows import Rows
from controlplane.gates.values.number_style import NumberStyle

MAX_QUOTED_PLACES: Final = 20
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
    line_numbers: LineNumbers = WHOLE_FILE
    """The numbers that the lines of the text have in the file."""
    first_line_is_heading: bool = True
    """True if the first line may name units: `id;weight_kg` in a table. False for printed lines."""
    outer_heading: str = ""
    """The heading of the table if `text` has only rows from the middle of it."""
    style: NumberStyle | None = None
    """Whether `1.199` is read as 1199 or 1.199. None: as the other numbers of the text suggest."""

    def place(self, line: int) -> Place:
        """Return the path of a line, and its number in the file, counted from 1."""
        return Place(self.path, self.line_numbers.number_of(line))

    # The lines, and what they state

    @cached_property
    def rows(self) -> Rows:
        """The lines, as rows of a table if the text is one: `B-1;38` below `id;weight`."""
        return Rows(self.text, self.first_line_is_heading, self.outer_heading)

    @cached_property
    def lines(self) -> list[str]:
        """The lines of the text."""
        return self.rows.lines

    @cached_property
    def values(self) -> LineValues:
        """The values of each line, such as its numbers and dates."""
        return LineValues(self.rows, self.style)

    @cached_property
    def labels(self) -> LineLabels:
        """The units that headings and keys give to numbers: `fee_eur` -> EUR."""
        return LineLabels(self.rows)

    # Which lines to compare with a value. They are found fast, without reading the others.

    @cached_property
    def digits(self) -> DigitIndex:
        """Finds the lines that contain the digits of a value: `1 250` for 1250."""
        return DigitIndex(self.lines)

    @cached_property
    def lines_with_numerals(self) -> list[int]:
        """The lines with numbers that are written without digits, such as `三百` and `令和元年`."""
        return lines_with_numerals(self.lines)

    @cached_property
    def _quotations(self) -> QuotationIndex:
        """Finds the lines that contain the text of a quotation."""
        return QuotationIndex(self.lines)

    def line_of_quotation(self, quotation: str) -> int | None:
        """Return the line on which a quotation begins, or None if the text does not have it."""
        for place in self._quotations.places_of(quotation):
            return place.first
        return None

    def quoted_parts(self, quotation: str) -> Iterator[Source]:
        """Yield the lines with a quotation as a source of their own, once for each occurrence.

        Only the first `MAX_QUOTED_PLACES` occurrences are examined.
        """
        places = self._quotations.places_of(quotation)
        for place in islice(places, MAX_QUOTED_PLACES):
            yield Source(
                path=self.path,
                text="\n".join(self.lines[place.first : place.last + 1]),
                line_numbers=self.line_numbers.from_line(place.first),
                outer_heading=self.rows.heading_of(place.first),
            )
