"""The rows that look-ups printed: a query's table, or a list of objects. They can convict an answer, and excuse
none."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from gates.types.evidence import Evidence

MAX_TABLE_CHARS: Final = 100_000
MAX_ROWS: Final = 2_000
_SEPARATORS: Final = (",", "\t", "|", ";")
_MAX_COLUMNS: Final = 60


@dataclass(frozen=True, slots=True)
class Table:
    """What one run of a tool listed."""

    tool: str
    rows: tuple[Mapping[str, str], ...]
    """Cells by the name of their column."""


def tables_of(evidence: Evidence) -> Iterator[Table]:
    """Yield the tables that tools printed."""
    for touch in evidence.touches.values():
        if "execute" in touch.actions:
            for seen in touch.seen:
                rows = rows_of(seen.text) if seen.is_whole else ()
                if rows:
                    yield Table(touch.path, rows)


@lru_cache(maxsize=256)
def rows_of(text: str) -> tuple[Mapping[str, str], ...]:
    """Return the rows of a table with a header, or of a JSON list of objects; nothing for any other text."""
    stripped = text.strip()
    if len(stripped) > MAX_TABLE_CHARS:
        return ()
    if stripped.startswith("["):
        return _objects(stripped)
    lines = stripped.splitlines()[: MAX_ROWS + 1]
    if len(lines) < 2:
        return ()
    separator = next((each for each in _SEPARATORS if each in lines[0]), ",")
    try:
        header, *rows = csv.reader(lines, delimiter=separator)
    except (csv.Error, ValueError):
        return ()
    names = [each.strip() for each in header]
    is_header = len(names) <= _MAX_COLUMNS and all(each[:1].isalpha() for each in names)
    if not is_header or any(len(row) != len(names) for row in rows):
        return ()
    return tuple(dict(zip(names, map(str.strip, row), strict=True)) for row in rows)


def _objects(text: str) -> tuple[Mapping[str, str], ...]:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return ()
    rows = data[:MAX_ROWS]
    if not all(isinstance(each, dict) for each in rows):
        return ()
    return tuple(
        {str(key): str(value) for key, value in row.items() if isinstance(value, str | int | float)} for row in rows
    )
