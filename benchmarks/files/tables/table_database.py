"""The DuckDB database of a trial's worker, which holds its tables, and how a file gets into it.

The worker process isolates itself after its imports: then it can neither open files nor
start threads. So the database is opened here, during the import, with one thread. It
reads files only from memory.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any, Final

import duckdb
from fsspec.implementations.memory import MemoryFileSystem

from controlplane.benchmarks.files.sources.file_suffixes import (
    JSON_LINES_SUFFIXES,
    TAB_SUFFIXES,
)
from controlplane.benchmarks.files.tables.csv_files import (
    CsvFile,
    column_name,
    written_value,
)
from controlplane.sandbox.interface import CallError, bounds, error_codes
from controlplane.sandbox.interface.foreign_documents import read_json

LINE: Final = "_line"
"""The name of an extra column: the line of the file on which a row begins."""
RAW_TABLE: Final = "raw_table"
"""The cells of the file that is being loaded, all as texts, in columns LINE, c0, c1, ..."""

files: Final = MemoryFileSystem()
"""The files in memory that `database` can read, as `memory://NAME`."""
database: Final = duckdb.connect(
    ":memory:",
    config={
        "threads": 1,
        # Otherwise `from x` in a query could read a variable `x` of this program.
        "python_enable_replacements": False,
    },
)
database.register_filesystem(files)
# Instants are shown in UTC. The first one loads what Python needs for that.
database.execute("set timezone = 'UTC'")
database.execute("select timestamptz '2025-01-31 10:00Z'").fetchall()


def quoted(name: str) -> str:
    """Return a name quoted as an SQL identifier."""
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


# Loads the rows of a file into the raw table of the database, in which all cells are texts.
#
# The rows are first written to a file in memory as plain CSV, which DuckDB loads much faster than
# rows that are inserted one by one.

_RAW_FILE: Final = "/table.csv"
"""The in-memory file from which DuckDB loads the raw table."""
_MAX_LINE_CHARS: Final = 16_000_000


def different_names(
    names: Iterable[str],
    used: Iterable[str] = (),
    *,
    folded: Callable[[str], str] = str.casefold,
) -> list[str]:
    """Return names of columns that are all different, and none empty, so that queries can use each.

    An empty name, or one that is already in use, gets its number: if the third column has no
    name, it is `column_3`; if it is a second `city`, it is `city_3`. Names are equal if they are
    equal when `folded`.
    """
    used_names = set(used)
    different = []
    for number, name in enumerate(names, start=1):
        new_name = " ".join(name.split()) or column_name(number)
        while folded(new_name) in used_names:
            new_name = f"{new_name}_{number}"
        used_names.add(folded(new_name))
        different.append(new_name)
    return different


def _check_column_count(names: Collection[str]) -> None:
    """Raise `ValueError` if a table has too many columns."""
    if len(names) > bounds.MOST_COLUMNS:
        msg = f"there are more than {bounds.MOST_COLUMNS} columns"
        raise ValueError(msg)


class RawTable:
    """The rows of a file in the table `RAW_TABLE`, and how they were read."""

    def __init__(self, path: str, text: str) -> None:
        """Load the text of the file at a path, whose suffix says what it is.

        Raises `CallError` if it is not a table.
        """
        self.names: list[str] = []
        """The names of the columns in the header, or the keys of all objects of JSON Lines."""
        self.csv_file: CsvFile | None = None
        """How the rows of a CSV file were read; None for JSON Lines."""
        self._line = 1
        """The line that is being read, for error messages."""
        suffix_path = path.lower()
        if suffix_path.endswith(JSON_LINES_SUFFIXES):
            rows = self._json_rows(text)
        else:
            is_tab_separated = suffix_path.endswith(TAB_SUFFIXES)
            self.csv_file = CsvFile(text, is_tab_separated=is_tab_separated)
            rows = self._csv_rows(self.csv_file)
        try:
            self._load(rows)
        except (csv.Error, duckdb.Error, ValueError) as error:
            msg = f"{path} cannot be read as a table, near line {self._line}: {error}"
            raise CallError(error_codes.INVALID_ARGUMENT, msg) from None

    def _load(self, rows: Iterable[Sequence[Any]]) -> None:
        """Load rows into the raw table. Raises `ValueError`, `csv.Error` or `duckdb.Error`."""
        # First into a file in memory: only after the last row it is known how many columns
        # there are.
        with files.open(
            _RAW_FILE, "w", encoding="utf-8", errors="replace", newline=""
        ) as raw_file:
            csv.writer(raw_file, lineterminator="\n").writerows(rows)
        if not self.names:
            msg = "its first line names no columns"
            raise ValueError(msg)
        _check_column_count(self.names)
        self.names = different_names(self.names, [LINE])
        cells = "".join(
            f", 'c{number}': 'varchar'" for number, _ in enumerate(self.names)
        )
        # An empty cell becomes null, and so does a cell that a short row lacks.
        database.execute(
            f"create or replace temp table {RAW_TABLE} as from read_csv('memory://{_RAW_FILE}', "
            f"columns={{'{LINE}': 'bigint'{cells}}}, auto_detect=false, header=false, delim=',', "
            "quote='\"', escape='\"', new_line='\\n', nullstr='', null_padding=true, "
            f"parallel=false, max_line_size={_MAX_LINE_CHARS})"
        )
        files.rm(_RAW_FILE)

    def _csv_rows(self, csv_file: CsvFile) -> Iterator[list[Any]]:
        """Yield the line of each row, followed by its cells: `[2, "Berlin", "1,5"]`."""
        self.names = csv_file.names
        for row in csv_file.rows():
            self._line = row.line
            yield [row.line, *row.cells]
        # Rows that are longer than the header have further cells, which need columns.
        first_number = len(self.names) + 1
        self.names += map(column_name, range(first_number, csv_file.most_cells + 1))

    def _json_rows(self, text: str) -> Iterator[list[Any]]:
        """Yield the line of each object in JSON Lines, followed by its values.

        The lines `{"city": "Graz"}` and `{"city": "Linz", "km": 5}` are rows of the columns `city`
        and `km`. A row is shorter if a later object adds a column. A single value on a line is a row
        of the column `value`. Raises `ValueError` if a line is not JSON.
        """
        # Those of all objects so far, as a set with an order.
        keys: dict[str, None] = {}
        for self._line, json_text in enumerate(
            io.StringIO(text, newline="\n"), start=1
        ):
            if not json_text.strip():
                continue
            value = read_json(json_text)
            record = value if isinstance(value, dict) else {"value": value}
            keys |= dict.fromkeys(record)
            _check_column_count(keys)
            cells: list[Any] = [self._line]
            for key in keys:
                cell = record.get(key)
                is_text = cell is None or isinstance(cell, str)
                cells.append(cell if is_text else written_value(cell))
            yield cells
        self.names = list(keys)
