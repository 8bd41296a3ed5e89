"""Rows of delimited tables: which character separates the cells of a line, and what a cell holds.

Nothing declares that a text is a table. A line counts as a row if it has as many
separators as the text's heading: `B-1;38` below `id;weight`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

SEPARATORS: Final = (";", "\t", "|", ",")
"""The comma comes last, because it may be a decimal mark within cells."""
_SEPARATOR_OF_JSON: Final = ","


@dataclass(eq=False)
class Rows:
    """The lines of a text, which may be rows of a table below a heading.

    A line is given as its index in the text, counted from 0.
    """

    text: str
    first_line_is_heading: bool = True
    outer_heading: str = ""
    """The heading of the table if the text has only rows from the middle of it."""

    @cached_property
    def lines(self) -> list[str]:
        return self.text.split("\n")

    @cached_property
    def are_json(self) -> bool:
        return self.text.lstrip()[:1] in ("{", "[")

    def heading_of(self, line: int) -> str:
        """Return the heading of a line, or "" if it has none, such as the heading itself."""
        if self.outer_heading:
            return self.outer_heading
        if self.first_line_is_heading and line > 0:
            return self.lines[0]
        return ""

    def separator_of(self, line: int) -> str:
        """Return what separates the cells of a line, or "" if the line is not a row.

        A line is a row if it has as many cells as the heading. The heading itself is
        compared with the line below it. In JSON, a comma always separates values.
        """
        if self.are_json:
            return _SEPARATOR_OF_JSON
        other_row = self.heading_of(line)
        is_heading = self.first_line_is_heading and other_row == ""
        if is_heading and len(self.lines) > 1:
            other_row = self.lines[1]
        return separator_of_row(self.lines[line], other_row)

    def with_cells_apart(self, line: int) -> str:
        """Return a line with a line break in place of each separator: `B-1;38` -> `B-1\\n38`."""
        separator = self.separator_of(line)
        if not separator:
            return self.lines[line]
        return break_at_separators(self.lines[line], separator)

    def labels_before(self, line: int, start: int) -> list[str] | None:
        """Return the heading of the column at an offset, and the first cell of the row.

        Returns None for a line without columns.
        """
        separator = "" if self.are_json else self.separator_of(line)
        if not separator:
            return None
        row = self.lines[line]
        column = count_separators(row[:start], separator)
        labels = [cell_of(self.heading_of(line), separator, column)]
        if column > 0:
            labels.append(cell_of(row, separator, 0))
        return labels


def separator_of_row(row: str, heading: str) -> str:
    """Return the character that separates the cells of a row, or "" if the line is not a row.

    >>> separator_of_row("B-1;38,4", "id;weight")
    ';'
    """
    for separator in SEPARATORS:
        count = count_separators(row, separator)
        has_as_many_as_heading = count > 0 and count == count_separators(
            heading, separator
        )
        if not has_as_many_as_heading:
            continue
        is_prose = separator == "," and (", " in row or ", " in heading)
        if not is_prose:
            return separator
    return ""


def count_separators(text: str, separator: str) -> int:
    """Return how often a separator stands outside quotation marks: 1 for `"Screw, long",12`."""
    if '"' not in text:
        return text.count(separator)
    count = 0
    for index, part in enumerate(text.split('"')):
        is_quoted = index % 2 == 1
        if not is_quoted:
            count += part.count(separator)
    return count


def break_at_separators(row: str, separator: str) -> str:
    """Replace each separator outside quotation marks by a line break: `B-1;38` -> `B-1\\n38`.

    The length stays, so that offsets in the result are offsets in the row.
    """
    parts = row.split('"')
    for index, part in enumerate(parts):
        is_quoted = index % 2 == 1
        if not is_quoted:
            parts[index] = part.replace(separator, "\n")
    return '"'.join(parts)


def cell_of(row: str, separator: str, column: int) -> str:
    """Return the cell in a column, counted from 0, or "" if the row is shorter."""
    cells = break_at_separators(row, separator).split("\n")
    if column >= len(cells):
        return ""
    return cells[column]
