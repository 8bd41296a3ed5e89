"""Reads the rows of CSV files as they occur in practice, with too many or too few cells.

The number `1,200` without quotation marks becomes two cells, `1` and `200`, and its row
is longer than the header. Such rows are kept and recorded (`UnfitRows`), so that whoever
uses the values knows of it.
"""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.benchmarks.files.tables.csv_files.csv_layout import CsvLayout, CsvRow
from controlplane.benchmarks.files.tables.csv_files.row_reading import raw_rows
from controlplane.benchmarks.files.tables.csv_files.unfit_rows import UnfitRows
from controlplane.sandbox.interface import bounds


def csv_rows(text: str, layout: CsvLayout, unfit: UnfitRows) -> Iterator[CsvRow]:
    """Yield the rows below the header that have values.

    Those that do not fit the header, and how many rows are empty, are recorded in `unfit`.
    Raises `csv.Error` if a cell is too long.
    """
    width = len(layout.header.names)
    for index, row in enumerate(raw_rows(text, layout, unfit)):
        if index < layout.header.first_value_row:
            continue
        if not any(cell.strip() for cell in row.cells):
            if row.cells:  # An empty line has no cells, and is not counted.
                unfit.empty += 1
            continue
        if len(row.cells) > bounds.MOST_COLUMNS:
            # The last column gets the rest of the line.
            last_column = bounds.MOST_COLUMNS - 1
            rest = layout.delimiter.join(row.cells[last_column:])
            row = CsvRow(row.line, [*row.cells[:last_column], rest])
        if len(row.cells) > width:
            has_surplus_values = any(cell.strip() for cell in row.cells[width:])
            if has_surplus_values:
                unfit.add_longer(row.line, row.cells)
            else:
                del row.cells[width:]
        elif len(row.cells) < width:
            unfit.shorter.append(row.line)
        yield row
