"""Fills one HTML table: each cell is copied to the rows and columns that it spans.

    <tr> <td rowspan="2">North</td> <td>May</td>  <td>5</td> </tr>
    <tr>                            <td>June</td> <td>7</td> </tr>

The second row becomes `<td>North</td> <td>June</td> <td>7</td>`.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass

from bs4 import Tag

from controlplane.benchmarks.files.documents.html.cell_spans import (
    column_span,
    row_span,
    width_of,
)
from controlplane.benchmarks.files.documents.html.html_tables import cells_of


def fill_table(rows: list[Tag]) -> None:
    """Fill the spans of a table: a cell over two rows and three columns becomes six cells."""
    filler = _SpanFiller(width_of(rows), len(rows))
    for row in rows:
        filler.fill(row)


@dataclass(frozen=True, slots=True)
class _CellFromAbove:
    """A cell with a `rowspan`, which also fills its column in the rows below."""

    cell: Tag
    rows_below: int
    """The number of rows that it still fills: at least 1."""


class _SpanFiller:
    """Fills the rows of one table, which it gets from top to bottom."""

    def __init__(self, table_width: int, row_count: int) -> None:
        self._table_width = table_width
        self._remaining_rows = row_count
        """The number of rows that are not filled yet. No span exceeds them."""
        self._from_above: dict[int, _CellFromAbove] = {}
        """The cells that span into the next row, by column."""

    def fill(self, row: Tag) -> None:
        """Fill the columns of the next row from left to right."""
        own_cells = [cell.extract() for cell in cells_of(row)]
        last_column_from_above = max(self._from_above, default=-1)
        column = 0
        while own_cells or column <= last_column_from_above:
            if column in self._from_above:
                self._add_cell_from_above(row, column)
                column += 1
            elif own_cells:
                column += self._add_own_cell(row, own_cells.pop(0), column)
            else:
                # The row has no cell here, but a cell from above fills a later column.
                row.append(Tag(name="td"))
                column += 1
        self._remaining_rows -= 1

    def _add_cell_from_above(self, row: Tag, column: int) -> None:
        """Add a copy of the cell that spans from above into this column."""
        from_above = self._from_above.pop(column)
        row.append(copy.copy(from_above.cell))
        rows_below = from_above.rows_below - 1
        if rows_below > 0:  # It also fills the next row.
            self._from_above[column] = _CellFromAbove(from_above.cell, rows_below)

    def _add_own_cell(self, row: Tag, cell: Tag, column: int) -> int:
        """Add a cell of the row itself, with a copy for each further column that it spans.

        Return the number of its columns.
        """
        rows_below = row_span(cell, self._remaining_rows) - 1
        width = column_span(cell, max(self._table_width - column, 1))
        del cell["rowspan"]
        del cell["colspan"]
        for spanned_column in range(column, column + width):
            is_first_column = spanned_column == column
            row.append(cell if is_first_column else copy.copy(cell))
            if rows_below > 0:
                self._from_above[spanned_column] = _CellFromAbove(cell, rows_below)
        return width
