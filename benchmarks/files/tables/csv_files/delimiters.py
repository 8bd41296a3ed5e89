"""Finds the delimiter of a file: the one for which most lines have as many cells as the header.

For `Weight, kg;Name` above `2,5;Lamp`, it is the semicolon: each row then has two cells. The
detectors of DuckDB and Python are not used, because they choose the comma for this header.
"""

from __future__ import annotations

import re
from typing import Final

from controlplane.benchmarks.files.tables.csv_files.csv_layout import CsvLayout, CsvRow
from controlplane.benchmarks.files.tables.csv_files.header_width import header_width
from controlplane.benchmarks.files.tables.csv_files.row_reading import raw_rows
from controlplane.benchmarks.files.tables.csv_files.unfit_rows import UnfitRows

DELIMITERS: Final = (",", ";", "\t", "|")
NO_DELIMITER: Final = "\x1f"
"""Used as the delimiter of a file with one column, because this character occurs in no text."""
LEAST_QUALITY: Final = 0.3
"""The quality that a delimiter must exceed: about the share of lines as wide as the header."""
COMMA_IN_VALUE: Final = re.compile(r"\d,\d|, ")
"""A comma that may be part of a value: between digits, or before a space as in prose."""


def likeliest_delimiter(sample: str, *, has_backslashes: bool) -> str:
    """Return the delimiter for which most lines have as many cells as the header.

    `sample` is the beginning of the file. The result is `NO_DELIMITER` if none fits well.
    """
    best_delimiter = NO_DELIMITER
    best_quality = LEAST_QUALITY
    best_width = 0
    for delimiter in DELIMITERS:
        if delimiter not in sample:
            continue
        rows = sample_rows(sample, delimiter, has_backslashes=has_backslashes)
        filled_rows = [row for row in rows if any(row.cells)]
        width = header_width(filled_rows, delimiter)
        has_several_columns = width > 1
        if not has_several_columns:
            continue
        # Rounded, so that of two delimiters that fit about equally well, the one with more
        # columns is chosen.
        quality = round(_quality(filled_rows, width, delimiter), 2)
        fits_better = quality > best_quality
        fits_as_well = quality == best_quality
        if fits_better or (fits_as_well and width > best_width):
            best_delimiter = delimiter
            best_quality = quality
            best_width = width
    return best_delimiter


def _quality(rows: list[CsvRow], width: int, delimiter: str) -> float:
    """Return how well a delimiter fits: 1 is best.

    This is the share of rows as wide as the header, minus the share of cells that
    contain another delimiter. (A wrong delimiter leaves the right one inside the cells:
    splitting `a;b,c;d` at commas gives `a;b` and `c;d`.)
    """
    matching_rows = 0.0
    cells = 0
    cells_with_other_delimiter = 0
    for row in rows:
        if len(row.cells) == width:
            matching_rows += 1
        elif len(row.cells) > width:
            # It counts half: it may be right, with the delimiter in an unquoted value. A
            # narrower row cannot be right.
            matching_rows += 0.5
        for cell in row.cells:
            cells += 1
            if _holds_other_delimiter(cell, delimiter):
                cells_with_other_delimiter += 1
    return matching_rows / len(rows) - cells_with_other_delimiter / cells


def _holds_other_delimiter(cell: str, delimiter: str) -> bool:
    """Return True if a cell contains a delimiter other than the assumed one.

    A comma that may be part of a value, as in `1,500`, does not count.
    """
    for other in DELIMITERS:
        if other == delimiter or other not in cell:
            continue
        if other != ",":
            return True
        if "," in COMMA_IN_VALUE.sub("", cell):
            return True
    return False


def sample_rows(sample: str, delimiter: str, *, has_backslashes: bool) -> list[CsvRow]:
    """Return the rows of a sample, split at a delimiter. The last row may be incomplete."""
    layout = CsvLayout(delimiter, has_backslashes)
    not_used = UnfitRows()  # Irregular rows are noted only when the whole file is read.
    return list(raw_rows(sample, layout, not_used))
