"""Splits the text of a CSV file into rows of cells, even if its quotation marks are misplaced.

A cell in quotation marks may span several lines: `7,"Ada` and `Lovelace"` are one row. But
if nothing closes the mark, it is an ordinary character, and each line is a row. Python's
`csv` would take the rest of the file for one cell.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator

from controlplane.benchmarks.files.tables.csv_files.csv_layout import CsvLayout, CsvRow
from controlplane.benchmarks.files.tables.csv_files.row_lines import Lines
from controlplane.benchmarks.files.tables.csv_files.unfit_rows import UnfitRows


def raw_rows(text: str, layout: CsvLayout, unfit: UnfitRows) -> Iterator[CsvRow]:
    """Yield every row of the text. An empty line is a row without cells.

    Rows with misplaced quotation marks are recorded in `unfit`.
    """
    lines = Lines(text)
    reader = _strict_reader(lines, layout)
    while True:
        try:
            cells = next(reader)  # Takes one line from `lines`, or several.
        except StopIteration:
            return
        except csv.Error:
            # A quotation has no closing mark, or a mark is inside a cell. The first
            # line becomes a row of its own. The lines after it are put back, and read by a
            # new reader, since the old one cannot go on after an error.
            line = lines.keep_only_first()
            unfit.open_quotations.append(lines.row_number)
            cells = _cells_of_line(line, layout)
            reader = _strict_reader(lines, layout)

        spans_lines = len(lines.of_row) > 1
        if spans_lines and _may_hold_rows(lines.of_row, layout):
            unfit.spanning.append(lines.row_number)
        if lines.row_number == 1 and cells:
            cells[0] = cells[0].removeprefix("\ufeff")  # A byte order mark.
        row = CsvRow(lines.row_number, cells)
        lines.end_row()
        yield row


def _strict_reader(lines: Lines, layout: CsvLayout) -> Iterator[list[str]]:
    """Return a reader that raises `csv.Error` if a quotation ends within a cell or not at all.

    That is `"a"b`, or `"Ada` without a second mark. Without `strict`, the latter would make
    the rest of the file one cell.
    """
    if layout.has_backslashes:
        return csv.reader(
            lines,
            delimiter=layout.delimiter,
            strict=True,
            escapechar="\\",
            doublequote=False,
        )
    return csv.reader(lines, delimiter=layout.delimiter, strict=True)


def _cells_of_line(line: str, layout: CsvLayout) -> list[str]:
    """Return the cells of a line that is a row of its own, because its quotation does not end.

    `7,"Ada,5` -> `7`, `"Ada`, `5`. If the line has an even number of marks, cells in quotation
    marks are still read as such.
    """
    line = line.rstrip("\r\n")
    is_balanced = line.count('"') % 2 == 0
    if is_balanced:
        try:
            return next(csv.reader([line], delimiter=layout.delimiter))
        except csv.Error:
            pass
    return line.split(layout.delimiter)


def _may_hold_rows(lines: list[str], layout: CsvLayout) -> bool:
    """Return True if one of a row's lines, but the first, looks like a row of the table.

    It has as many cells as the header. Then two stray quotation marks may have made one
    row of several.
    """
    width = len(layout.header.names)
    if width < 2:
        return False
    for line in lines[1:]:
        if line.count(layout.delimiter) >= width - 1:
            return True
    return False
