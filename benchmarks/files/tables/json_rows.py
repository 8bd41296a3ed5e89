"""Reads JSON Lines as rows: an object, or a single value, on each line.

For example, the lines `{"city": "Graz"}` and `{"city": "Linz", "km": 5}` are rows of the
columns `city` and `km`.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

from controlplane.benchmarks.files.tables.column_names import ColumnNames
from controlplane.benchmarks.files.tables.csv_files.unfit_rows import UnfitRows
from controlplane.benchmarks.files.tables.written_values import written_value
from controlplane.sandbox.interface.foreign_documents import read_json


class JsonRows:
    """The rows of a text in JSON Lines."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.columns = ColumnNames()
        """A key that first appears in a later object becomes a further column."""
        self.line = 1
        """The line that is being read, for error messages."""
        self.unfit = UnfitRows()
        """Stays empty: a row without a key has an empty cell there."""
        self.assumed: list[str] = []
        self.doubts: list[str] = []

    def rows(self) -> Iterator[list[Any]]:
        """Yield the line of each object, followed by its values in the order of the columns.

        A row is shorter if a later object adds a column. The missing cells become null when
        the rows are loaded. Raises `ValueError` if a line is not JSON.
        """
        # Those of all objects so far, as a set with an order.
        keys: dict[str, None] = {}
        for line, json_text in enumerate(
            io.StringIO(self._text, newline="\n"), start=1
        ):
            self.line = line
            if not json_text.strip():
                continue
            value = read_json(json_text)
            record = value if isinstance(value, dict) else {"value": value}
            for key in record:
                if key not in keys:
                    keys[key] = None
                    self.columns.add(key)
            cells = [_cell_text(record.get(key)) for key in keys]
            yield [line, *cells]


def _cell_text(value: Any) -> str | None:
    """Return a JSON value as text; None for null."""
    if value is None or isinstance(value, str):
        return value
    return written_value(value)
