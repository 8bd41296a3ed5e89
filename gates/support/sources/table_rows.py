"""Rows of delimited tables: which character separates the cells of a line, and what a cell holds.

Nothing declares that a text is a table. A line counts as a row if it has as many
separators as the text's heading: `B-1;38` below `id;weight`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

from controlplane.gates.support.sources.row_cells import (
    break_at_separators,
    cell_of,
    count_separators,
    separator_of_row,
)

_SEPARATOR_OF_JSON: Final = ","


@dataclass(eq=False)
class Rows:
    """The lines of a text, which may be rows of a table: `B-1;38` below `id;weight`.

    A line counts as a row if it has as many cells as the heading. In all methods, `line` is the
    index of a line in the text, counted from 0.
    """

    text: str
    first_line_is_heading: bool = True
    """True if the first line may be the heading. False for lines that a script printed."""
    outer_heading: str = ""
    """The heading of the table if the text has only rows from the middle of it."""

    @cached_property
    def lines(self) -> list[str]:
        """The lines of the text, without line breaks."""
        return self.text.split("\n")

    @cached_property
    def are_json(self) -> bool:
        """True if the text looks like JSON, which has no rows."""
        return self.text.lstrip()[:1] in ("{", "[")

    def heading_of(self, line: int) -> str:
        """Return the heading of a line, or "" if it has none. The heading itself has none."""
        if self.outer_heading:
            return self.outer_heading
        if self.first_line_is_heading and line > 0:
            return self.lines[0]
        return ""

    def separator_of(self, line: int) -> str:
        """Return what separates the cells of a line, such as `;`, or "" if it is not a row.

        In JSON, a comma always separates values. Otherwise, a line is a row if it has as many
        cells as its heading. The heading itself is compared with the line below it.
        """
        if self.are_json:
            return _SEPARATOR_OF_JSON
        compared_row = self.heading_of(line) or self._row_below_heading
        return separator_of_row(self.lines[line], compared_row)

    @property
    def _row_below_heading(self) -> str:
        """The line below the heading in the first line; "" if there is none."""
        if self.first_line_is_heading and len(self.lines) > 1:
            return self.lines[1]
        return ""

    def with_cells_apart(self, line: int) -> str:
        """Return a line with a line break in place of each separator: `B-1;38` -> `B-1\\n38`."""
        separator = self.separator_of(line)
        if not separator:
            return self.lines[line]
        return break_at_separators(self.lines[line], separator)

    def labels_before(self, line: int, start: int) -> list[str] | None:
        """Return the heading of the column at an offset, and the first cell of the row.

        For the 38 of `B-1;38` below `id;weight`, these are `weight` and `B-1`. Returns None for
        a line without columns, as in prose and in JSON.
        """
        if self.are_json:
            return None
        separator = self.separator_of(line)
        if not separator:
            return None
        row = self.lines[line]
        column = count_separators(row[:start], separator)
        labels = [cell_of(self.heading_of(line), separator, column)]
        if column > 0:
            labels.append(cell_of(row, separator, 0))
        return labels
