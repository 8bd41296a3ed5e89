"""Reads the rows of a CSV or TSV text, and notes how it was read.

The text `City;Amount` above `Graz;5` becomes the row `Graz`, `5`, with the note that cells are
separated by semicolons. `JsonRows` does the same for JSON Lines, so that a table can be loaded
from either.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from controlplane.benchmarks.files.tables.column_names import ColumnNames
from controlplane.benchmarks.files.tables.csv_files.csv_rows import csv_rows
from controlplane.benchmarks.files.tables.csv_files.layout_detection import (
    layout_of,
    normal_lines,
)
from controlplane.benchmarks.files.tables.csv_files.unfit_rows import UnfitRows


class CsvTextRows:
    """The rows of a text with a delimiter, such as a comma, between cells.

    The fields are filled by the iterator that `rows` returns. They are complete after it
    has yielded all rows.
    """

    def __init__(self, text: str, *, is_tab_separated: bool) -> None:
        self._text = text
        self._is_tab_separated = is_tab_separated
        self.columns = ColumnNames()
        """The names in the header. Rows wider than the header add names."""
        self.line = 1
        """The line that is being read, for error messages."""
        self.assumed: list[str] = []
        """How the file was read, such as `cells are separated by tabs`."""
        self.doubts: list[str] = []
        """What may be read wrongly, such as rows with fewer cells than the header."""
        self.unfit = UnfitRows()
        """The rows whose number of cells differs from the header's, and other irregular rows."""

    def rows(self) -> Iterator[list[Any]]:
        """Yield the line of each row, followed by its cells: `[2, "Berlin", "1,5"]`.

        Raises `ValueError` or `csv.Error` if the text is not a table.
        """
        text = normal_lines(self._text)
        layout = layout_of(text, is_tab_separated=self._is_tab_separated)
        self.assumed = layout.assumed
        for name in layout.header.names:
            self.columns.add(name)
        for row in csv_rows(text, layout, self.unfit):
            self.line = row.line
            yield [row.line, *row.cells]
        # Rows that are longer than the header have further cells, which need columns.
        for number in range(len(self.columns.names) + 1, self.unfit.most_cells + 1):
            self.columns.add(f"column_{number}")
        header_width = len(layout.header.names)
        self.doubts = [*layout.doubts, *self.unfit.doubts(header_width)]
