"""The result of a query, as a script gets it: its rows as dicts, and as CSV text.

A script uses the dicts (`row["city"]`), and what it prints of the text is evidence for its
answer. A query may also select the line of each row in the file, the column `_line`. It is used
for citations, and is not shown as a column.
"""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from controlplane.benchmarks.files.tables.table_database import LINE
from controlplane.sandbox.interface import CallError, Plain, bounds, error_codes

MAX_CONTENT_CHARS: Final = 300_000
"""The most characters of a result as CSV text. A script gets this text and the rows."""


@dataclass(frozen=True, slots=True)
class QueryResult:
    """The first rows of a query's result."""

    names: list[str]
    """The column names, all different."""
    rows: list[tuple[Any, ...]]
    total: int
    """The number of rows in the whole result."""


@dataclass(frozen=True, slots=True)
class ShownRows:
    """The rows that fit in a call's result, as dicts and as CSV."""

    rows: list[Plain]
    content: str


def shown_rows(result: QueryResult) -> ShownRows:
    """Return as many rows as fit. Raises `CallError` if not even one fits."""
    # A column whose form is in doubt is queried by the name `amount as written`. It is shown
    # as `amount`. If a query selects columns with the same name, a row as a dict has only
    # the last of them.
    names = [name.removesuffix(" as written") for name in result.names if name != LINE]
    content = io.StringIO()
    writer = csv.writer(content, lineterminator="\n")
    writer.writerow(names)
    rows: list[Plain] = []
    for row in result.rows:
        cells = []
        for name, cell in zip(result.names, row, strict=True):
            if name != LINE:
                cells.append(_plain(cell))
        start = content.tell()
        writer.writerow(cells)
        if content.tell() > MAX_CONTENT_CHARS:
            # Remove this row from the text, and leave out all later ones.
            content.seek(start)
            content.truncate()
            break
        rows.append(dict(zip(names, cells, strict=True)))
    if result.rows and not rows:
        msg = f"one row has more than {MAX_CONTENT_CHARS:,} characters: select fewer columns, or parts of them"
        raise CallError(error_codes.RESOURCE_EXHAUSTED, msg)
    return ShownRows(rows, content.getvalue())


def _plain(cell: Any) -> Plain:
    """Convert a cell for scripts: whole numbers to int, other numbers to float, dates to text.

    A date becomes year-month-day: `2025-01-31`. Binary data becomes an empty text.
    """
    if isinstance(cell, Decimal | float):
        number = float(cell)
        if number.is_integer() and abs(number) < bounds.MOST_NUMBER:
            return int(number)
        return number
    if cell is None or isinstance(cell, str | int):
        return cell
    if isinstance(cell, bytes):
        return ""
    return str(cell)
