"""How many rows and columns the cells of an HTML table span: `<td rowspan="3" colspan="2">`.

Pages have wrong spans: a `rowspan` that goes beyond the table, a `colspan` of 100 for a
whole row, or no number at all.
"""

from __future__ import annotations

from typing import Any, Final

from bs4 import Tag

from controlplane.benchmarks.files.documents.html.html_tables import cells_of

WIDE_SPAN: Final = 20
"""A cell with a larger `colspan`, such as 100, is meant to span the whole table.

Authors who do not know the number of columns write any large number.
"""


def row_span(cell: Tag, remaining_rows: int) -> int:
    """Return the number of rows that a cell spans: 3 for `rowspan="3"`, but no more than remain.

    By the standard, `rowspan="0"` means all remaining rows of the table.
    """
    span = _number(cell.get("rowspan"))
    if span == 0:
        return remaining_rows
    return min(span, remaining_rows)


def column_span(cell: Tag, whole_width: int) -> int:
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


def width_of(rows: list[Tag]) -> int:
    """Return the number of columns of a table: that of its widest row."""
    width = 1
    for row in rows:
        columns = 0
        for cell in cells_of(row):
            # A cell that spans the whole table does not tell its width. Count one column.
            columns += column_span(cell, whole_width=1)
        width = max(width, columns)
    return width
