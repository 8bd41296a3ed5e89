"""Load a CSV, TSV or JSON Lines file into the raw table, in which all cells are texts."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from typing import Any, Final

from controlplane.benchmarks.files.sources.file_suffixes import (
    JSON_LINES_SUFFIXES,
    TAB_SUFFIXES,
)
from controlplane.benchmarks.files.tables.csv_rows import (
    UnfitRows,
    csv_rows,
    layout_of,
    normal_lines,
)
from controlplane.benchmarks.files.tables.table_database import (
    LINE,
    RAW_TABLE,
    database,
    files,
)
from controlplane.benchmarks.files.tables.written_values import written_value
from controlplane.sandbox.interface import bounds

RAW_FILE: Final = "/table.csv"
"""The in-memory file from which DuckDB loads the raw table."""
MAX_CELL_CHARS: Final = 16_000_000
"""The most characters of one cell, and of a line in DuckDB. No file that is searched is larger."""
csv.field_size_limit(MAX_CELL_CHARS)


class RawRows:
    """Loads the rows of a file, and records how they were read."""

    def __init__(self) -> None:
        self.names: list[str] = []
        """The column names, all different. Rows wider than the header add names."""
        self.line = 1
        """The line that is being read, for error messages."""
        self.assumed: list[str] = []
        """How the file was read, such as `cells are separated by tabs`."""
        self.unfit = UnfitRows()
        """The rows whose number of cells differs from the header's, and other irregular rows."""
        self._header_width = 0
        """The number of cells in the header; 0 for JSON Lines, which have no header."""
        self._layout_doubts: list[str] = []

    def doubts(self) -> list[str]:
        """Return what may be read wrongly, such as rows with fewer cells than the header."""
        return [*self._layout_doubts, *self.unfit.doubts(self._header_width)]

    def load(self, path: str, text: str) -> None:
        """Load all rows of a file.

        Raises `ValueError`, `csv.Error` or `duckdb.Error` if it is not a table.
        """
        if path.lower().endswith(JSON_LINES_SUFFIXES):
            rows = self._json_rows(text)
        else:
            is_tab_separated = path.lower().endswith(TAB_SUFFIXES)
            rows = self._csv_rows(text, is_tab_separated=is_tab_separated)
        with files.open(
            RAW_FILE, "w", encoding="utf-8", errors="replace", newline=""
        ) as raw_file:
            csv.writer(raw_file, lineterminator="\n").writerows(rows)
        if not self.names:
            msg = "its first line names no columns"
            raise ValueError(msg)
        _load_raw_file(len(self.names))

    def _csv_rows(self, text: str, *, is_tab_separated: bool) -> Iterator[list[Any]]:
        """Yield the line of each row, followed by its cells: `[2, "Berlin", "1,5"]`."""
        text = normal_lines(text)
        layout = layout_of(text, is_tab_separated=is_tab_separated)
        self.assumed = layout.assumed
        self._layout_doubts = layout.doubts
        self._header_width = len(layout.names)
        for name in layout.names:
            self._add_column(name)
        for row in csv_rows(text, layout, self.unfit):
            self.line = row.line
            yield [row.line, *row.cells]
        # Rows that are longer than the header have further cells, which need columns.
        for number in range(len(self.names) + 1, self.unfit.most_cells + 1):
            self._add_column(f"column_{number}")

    def _json_rows(self, text: str) -> Iterator[list[Any]]:
        """Yield the line of each object, followed by its values in the order of the columns.

        A key that first appears in a later object becomes a further column.
        """
        keys: dict[str, None] = {}
        for line, json_text in enumerate(io.StringIO(text, newline="\n"), start=1):
            self.line = line
            if not json_text.strip():
                continue
            value = json.loads(json_text)
            record = value if isinstance(value, dict) else {"value": value}
            for key in record:
                if key not in keys:
                    keys[key] = None
                    self._add_column(key)
            cells = [_json_cell(record.get(key)) for key in keys]
            yield [line, *cells]

    def _add_column(self, name: str) -> None:
        """Add a column, with a numbered name if its own is empty or already in use.

        Raises `ValueError` if there are too many columns.
        """
        number = len(self.names) + 1
        if number > bounds.MOST_COLUMNS:
            msg = f"there are more than {bounds.MOST_COLUMNS} columns"
            raise ValueError(msg)
        plain_name = " ".join(name.replace("\ufeff", "").split()) or f"column_{number}"
        used_names = {used.casefold() for used in (*self.names, LINE)}
        if plain_name.casefold() in used_names:
            plain_name = f"{plain_name}_{number}"
        self.names.append(plain_name)


def _json_cell(value: Any) -> str | None:
    """Return a JSON value as text; None for null."""
    if value is None or isinstance(value, str):
        return value
    return written_value(value)


def _load_raw_file(width: int) -> None:
    """Load `RAW_FILE` into the raw table, which has `width` columns besides LINE."""
    columns = [f"'{LINE}': 'bigint'"]
    for number in range(width):
        columns.append(f"'c{number}': 'varchar'")
    # `RAW_FILE` was written by the `csv` module, so its form is known. A short row gets nulls.
    options = [
        f"columns={{{', '.join(columns)}}}",
        "auto_detect=false",
        "header=false",
        "delim=','",
        "quote='\"'",
        "escape='\"'",
        "new_line='\\n'",
        "nullstr=''",
        "null_padding=true",
        "parallel=false",
        f"max_line_size={MAX_CELL_CHARS}",
    ]
    database.execute(
        f"create or replace temp table {RAW_TABLE} as "
        f"from read_csv('memory://{RAW_FILE}', {', '.join(options)})"
    )
    files.rm(RAW_FILE)
