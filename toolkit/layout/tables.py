"""Tables in text files: one row a line, cells apart by tabs, semicolons or commas, a header first."""

from __future__ import annotations

from collections.abc import Mapping

from toolkit.finding import CannotRead
from toolkit.text import normal_words


def table_rows(text: str) -> list[dict[str, str]]:
    """Return the rows by the normal words of their headers, such as `lane id`. Raises `CannotRead` for uneven rows."""
    lines = [line for line in text.splitlines() if line.strip()]
    separator = next((each for each in ("\t", ";", ",") if lines and each in lines[0]), "\t")
    headers, *rows = [[cell.strip() for cell in line.split(separator)] for line in lines] or [[]]
    names = [normal_words(each) for each in headers]
    if len(set(names)) != len(names) or any(len(row) != len(names) for row in rows):
        msg = "the table has headers twice, or a row with other columns than its header"
        raise CannotRead(msg)
    return [dict(zip(names, row, strict=True)) for row in rows]


def columns_called(rows: list[dict[str, str]], wanted: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    """Return the header of each wanted column: the first of its words that is one, else the only one that holds it.

    Raises `CannotRead` for a table without rows or without one of them.
    """
    headers = list(rows[0]) if rows else []
    found = {}
    for name, words in wanted.items():
        exact = [each for each in words if each in headers]
        near = [each for word in words for each in headers if f" {word} " in f" {each} "]
        if not exact and len(set(near)) != 1:
            msg = f"the table has no single column for {name}; it has {', '.join(headers) or 'no rows'}"
            raise CannotRead(msg)
        found[name] = (exact or near)[0]
    return found
