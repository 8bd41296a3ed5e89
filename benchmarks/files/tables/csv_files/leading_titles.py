"""The titles above a table: rows at the start of a file that have at most one text.

    Sales of 2025

    City,Amount,Tax
    Berlin,5,1

Here the titles are the first two rows, the second of which is empty. They are not part of the
table, and must not be taken for its header.
"""

from __future__ import annotations

from typing import Final

from controlplane.benchmarks.files.tables.csv_files.csv_layout import CsvRow

MAX_TITLE_ROWS: Final = 10
"""The most rows above the header, such as the title and date of an export."""


def leading_titles(rows: list[CsvRow]) -> list[CsvRow]:
    """Return the first rows that have at most one text, such as an export's title.

    Rows `Sales of 2025`, (empty), `City,Amount`, ... -> the first two. The result is empty if
    all of the first `MAX_TITLE_ROWS` are like that: the file is then a table with one column.
    """
    first_rows = rows[:MAX_TITLE_ROWS]
    for position, row in enumerate(first_rows):
        texts = [cell for cell in row.cells if cell.strip()]
        if len(texts) > 1:
            return first_rows[:position]
    return []
