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
    """Return as many rows as fit. Raises `CallError` if not even one fits.

    Names `city`, `_line` and the row `("Graz", 2)` -> the dict `{"city": "Graz"}`, and CSV with
    the lines `city` and `Graz`.
    """
    shown_places = [place for place, name in enumerate(result.names) if name != LINE]
    names = [_shown_name(result.names[place]) for place in shown_places]
    content = io.StringIO()
    writer = csv.writer(content, lineterminator="\n")
    writer.writerow(names)
    rows: list[Plain] = []
    for row in result.rows:
        cells = [_plain(row[place]) for place in shown_places]
        start = content.tell()
        writer.writerow(cells)
        if content.tell() > MAX_CONTENT_CHARS:
            # Remove this row from the text, and leave out all later ones.
            content.seek(start)
            content.truncate()
            break
        # Of columns that are shown by the same name, a dict has only the last one.
        rows.append(dict(zip(names, cells, strict=True)))
    if result.rows and not rows:
        msg = f"one row has more than {MAX_CONTENT_CHARS:,} characters: select fewer columns, or parts of them"
        raise CallError(error_codes.RESOURCE_EXHAUSTED, msg)
    return ShownRows(rows, content.getvalue())


def _shown_name(name: str) -> str:
    """Return how a column is named in the result: `amount` for `amount as written`.

    Queries use the second name for a column of which it is in doubt how its numbers are written.
    """
    return name.removesuffix(" as written")


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
