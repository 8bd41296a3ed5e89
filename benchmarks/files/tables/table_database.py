"""The DuckDB database of a trial's worker, which holds its tables.

The worker process isolates itself after its imports: then it can neither open files nor
start threads. So the database is opened here, during the import, with one thread. It
reads files only from memory.
"""

from __future__ import annotations

from typing import Final

import duckdb
from fsspec.implementations.memory import MemoryFileSystem

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
