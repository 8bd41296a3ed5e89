"""Repeats the cells of an HTML table in all rows and columns that they span.

In a page, one cell `North` may stand beside three rows: `<td rowspan="3">North</td>`. A search
that shows only the third row would miss it. So that cell becomes three cells, and each row is
complete. One cell over two rows and three columns becomes six.
"""

from __future__ import annotations

from typing import Final

from bs4 import BeautifulSoup, Tag

from controlplane.benchmarks.files.documents.html.cell_spans import (
    column_span,
    row_span,
    width_of,
)
from controlplane.benchmarks.files.documents.html.html_tables import (
    cells_of,
    rows_of,
)
from controlplane.benchmarks.files.documents.html.span_filler import fill_table

MOST_SPAN_COPIES: Final = 50_000
"""The most cells that spans may add to a document. A cell can claim thousands of rows."""


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
            fill_table(rows)


def _span_copies(rows: list[Tag]) -> int:
    """Return the number of cells that the spans of a table would add: 5 for one cell of 2 by 3."""
    copies = 0
    width = width_of(rows)
    for number, row in enumerate(rows):
        for cell in cells_of(row):
            height = row_span(cell, len(rows) - number)
            copies += height * column_span(cell, width) - 1
    return copies
