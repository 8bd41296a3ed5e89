"""A CSV, TSV or JSON Lines file as a DuckDB table.

A file is loaded in two steps. Its rows become a raw table, in which all cells are
texts. Then each column becomes a column of numbers or dates if its cells can be read in
one way (see `column_forms`). Any other column stays text, and DuckDB refuses to compute
with it. If two readings are possible, as with `1,234`, queries can use the column only
as `NAME as written`, which is its text.
"""

from __future__ import annotations

import csv
from itertools import count
from typing import Any, Final

import duckdb

from controlplane.benchmarks.files.tables.raw_rows import load_rows, rows_of_file
from controlplane.benchmarks.files.tables.table_columns import columns_of
from controlplane.benchmarks.files.tables.table_database import (
    LINE,
    RAW_TABLE,
    database,
    quoted,
)
from controlplane.sandbox.interface import CallError, Plain, error_codes

_table_numbers: Final = count()


class Table:
    """The rows of one file. Created when a script first reads the file as a table."""

    def __init__(self, path: str, text: str, stated_form: str = "") -> None:
        """Load the table from a file's text.

        `stated_form` is how the script says that ambiguous numbers and dates are read,
        such as `decimal comma`. Raises `CallError` if the text is not a table.
        """
        self.path = path
        self._name = f"table_{next(_table_numbers)}"  # In DuckDB.
        rows = rows_of_file(path, text)
        try:
            load_rows(rows)  # Creates the raw table.
        except (csv.Error, duckdb.Error, ValueError) as error:
            msg = f"{path} cannot be read as a table, near line {rows.line}: {error}"
            raise CallError(error_codes.INVALID_ARGUMENT, msg) from None
        self.names = rows.columns.names
        """The names of the columns in the file."""
        self.assumed = rows.assumed
        """How the file was read, such as `cells are separated by semicolons`."""
        self.doubts = rows.doubts
        """What may be read wrongly, such as rows with fewer cells than the header."""
        self.columns = columns_of(rows, path, stated_form)
        """The columns that queries can use, as computed from those of the raw table.

        A column of which it is in doubt how its numbers are written is `amount as written`.
        """
        self._create_from_raw_table()

    def _create_from_raw_table(self) -> None:
        """Create the table for queries from the raw table, and drop the raw table."""
        selected = ", ".join(
            f"{sql} as {quoted(name)}" for name, sql in self.columns.sql.items()
        )
        database.execute(
            f"create temp table {self._name} as select {selected} from {RAW_TABLE}"
        )
        database.execute(f"drop table {RAW_TABLE}")

    def show_as(self, name: str) -> None:
        """Let queries refer to the table as `name`."""
        database.execute(
            f"create or replace temp view {quoted(name)} as from {self._name}"
        )

    def drop(self) -> None:
        """Free the memory of the table."""
        database.execute(f"drop table {self._name}")

    def lines_of(self, names: list[str], rows: list[tuple[Any, ...]]) -> list[Plain]:
        """Return the line of the file for each row of a result, so that a script can cite it.

        `["city", "_line"]`, `[("Graz", 2), ("Linz", 5)]` -> `[2, 5]`. `names` are the result's
        columns, and `_line` is the column with the lines. The list is empty unless each row is
        an unchanged part of one line: a sum, for example, is not.
        """
        has_only_own_columns = set(names) <= self.columns.sql.keys()
        if LINE not in names or not has_only_own_columns:
            return []
        place = names.index(LINE)
        lines = [row[place] for row in rows]
        if not all(isinstance(line, int) for line in lines):
            return []

        # A query can give a computed value the name of a column: `amount * 2 as amount`. So
        # each row is compared with the row of the table for its line.
        own_rows = self._rows_at(lines, names)
        own_row_of_line = {row[place]: row for row in own_rows}
        for line, row in zip(lines, rows, strict=True):
            if own_row_of_line.get(line) != row:
                return []
        return list[Plain](lines)

    def _rows_at(self, lines: list[int], names: list[str]) -> list[tuple[Any, ...]]:
        """Return the rows of these lines of the file, with the columns of these names."""
        columns = ", ".join(quoted(name) for name in names)
        cursor = database.execute(
            f"select {columns} from {self._name} where {LINE} in (select unnest($1::bigint[]))",
            [lines],
        )
        return cursor.fetchall()
