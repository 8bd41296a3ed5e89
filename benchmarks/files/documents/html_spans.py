"""Repeats the cells of an HTML table in all rows and columns that they span.

In a page, one cell `North` may stand beside three rows: `<td rowspan="3">North</td>`. A search
that shows only the third row would miss it. So that cell becomes three cells, and each row is
complete. One cell over two rows and three columns becomes six.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any, Final

from bs4 import BeautifulSoup, Tag

from controlplane.benchmarks.files.documents.html_tables import (
    cells_of,
    rows_of,
)

MOST_SPAN_COPIES: Final = 50_000
"""The most cells that spans may add to a document. A cell can claim thousands of rows."""
WIDE_SPAN: Final = 20
"""A cell with a larger `colspan`, such as 100, is meant to span the whole table: authors who do
not know the number of columns write any large number."""


def fill_spans(soup: BeautifulSoup) -> None:
    """Copy each spanning cell into all rows and columns that it spans.

    If a table would exceed `MOST_SPAN_COPIES`, it and all later ones stay as they are.
    """
    remaining_copies = MOST_SPAN_COPIES
    for table in soup("table"):
        rows = rows_of(table)
        copies = _span_copies(rows)
        remaining_copies -= copies
        if remaining_copies < 0:
            return
        if copies:
            _fill_table(rows)


def _span_copies(rows: list[Tag]) -> int:
    """Return the number of cells that the spans of a table would add: 5 for one cell of 2 by 3."""
    copies = 0
    width = _width_of(rows)
    for number, row in enumerate(rows):
        for cell in cells_of(row):
            height = _row_span(cell, len(rows) - number)
            copies += height * _column_span(cell, width) - 1
    return copies


def _width_of(rows: list[Tag]) -> int:
    """Return the number of columns of a table: that of its widest row."""
    width = 1
    for row in rows:
        columns = 0
        for cell in cells_of(row):
            # A cell that spans the whole table does not tell its width. Count one column.
            columns += _column_span(cell, whole_width=1)
        width = max(width, columns)
    return width


@dataclass(frozen=True, slots=True)
class _CellFromAbove:
    """A cell with a `rowspan`, which also fills its column in the rows below."""

    cell: Tag
    rows_below: int
    """The number of rows that it still fills. An entry with 0 is not kept."""


def _fill_table(rows: list[Tag]) -> None:
    """Fill the spans of one table: a cell over two rows and three columns becomes six cells."""
    table_width = _width_of(rows)
    cells_from_above: dict[int, _CellFromAbove] = {}
    for number, row in enumerate(rows):
        _fill_row(row, cells_from_above, len(rows) - number, table_width)


def _fill_row(
    row: Tag,
    cells_from_above: dict[int, _CellFromAbove],
    remaining_rows: int,
    table_width: int,
) -> None:
    """Fill the columns of one row from left to right.

    `cells_from_above` has the cells above that span into this row, by column. It is
    updated for the next row. `remaining_rows` counts this row and those below it, which no
    span exceeds.
    """
    own_cells = cells_of(row)
    for cell in own_cells:
        cell.extract()
    last_column_from_above = max(cells_from_above, default=-1)
    column = 0
    while own_cells or column <= last_column_from_above:
        if column in cells_from_above:
            # The column belongs to a cell above.
            from_above = cells_from_above.pop(column)
            row.append(copy.copy(from_above.cell))
            rows_below = from_above.rows_below - 1
            if rows_below > 0:  # It also fills the next row.
                cells_from_above[column] = _CellFromAbove(from_above.cell, rows_below)
            column += 1
        elif own_cells:
            # The column belongs to the row's next cell, which may fill further ones.
            cell = own_cells.pop(0)
            rows_below = _row_span(cell, remaining_rows) - 1
            width = _column_span(cell, max(table_width - column, 1))
            del cell["rowspan"]
            del cell["colspan"]
            for spanned_column in range(column, column + width):
                is_first_column = spanned_column == column
                row.append(cell if is_first_column else copy.copy(cell))
                if rows_below > 0:
                    cells_from_above[spanned_column] = _CellFromAbove(cell, rows_below)
            column += width
        else:
            # The row has no cell here, but a cell from above fills a later column.
            row.append(Tag(name="td"))
            column += 1


def _row_span(cell: Tag, remaining_rows: int) -> int:
    """Return the number of rows that a cell spans: 3 for `rowspan="3"`, but no more than remain.

    By the standard, `rowspan="0"` means all remaining rows of the table.
    """
    span = _number(cell.get("rowspan"))
    if span == 0:
        return remaining_rows
    return min(span, remaining_rows)


def _column_span(cell: Tag, whole_width: int) -> int:
    """Return the number of columns that a cell spans: 2 for `colspan="2"`.

    A very large span is meant for the whole table, and is `whole_width`.
    """
    span = max(_number(cell.get("colspan")), 1)
    if span > WIDE_SPAN:
        return whole_width
    return span


def _number(attribute: Any) -> int:
    """Return the number in an attribute, such as `rowspan`: `"3"` -> 3, None -> 1.

    Anything but a number of at most six digits counts as 1.
    """
    text = str(attribute or "1").strip()
    if text.isdecimal() and len(text) <= 6:
        return int(text)
    return 1
