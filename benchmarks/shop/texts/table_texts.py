"""Reads tables in text files, such as exports: their rows, and the meaning of their columns.

Exports differ in separators and headers. The column with the customer may be called
`Customer_ID`, `customer ref` or `buyer`, so `columns_called` looks for several headers.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from controlplane.benchmarks.shop.certain_values import require
from controlplane.benchmarks.shop.texts.text import normal_words
from controlplane.sandbox.functions import CannotRead

_SEPARATORS: Final = ("\t", ";", ",")
"""The likeliest separator comes first. A comma may also occur inside a cell."""


def table_rows(text: str) -> list[dict[str, str]]:
    """Return the rows of a table: "Lane_ID;Cost" and "l4;12" -> `[{"lane id": "l4", "cost": "12"}]`.

    Headers are in normal words: in lower case, with blanks. Raises `CannotRead` if two headers are
    equal, or if a row does not have as many cells as the header.
    """
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines:
        return []
    separator = _separator_of(lines[0])
    headers = [normal_words(cell) for cell in lines[0].split(separator)]
    rows_of_cells = []
    for line in lines[1:]:
        rows_of_cells.append([cell.strip() for cell in line.split(separator)])

    has_distinct_headers = len(set(headers)) == len(headers)
    all_rows_fit = all(len(cells) == len(headers) for cells in rows_of_cells)
    require(
        has_distinct_headers and all_rows_fit,
        "the table has headers twice, or a row with other columns than its header",
    )
    return [dict(zip(headers, cells, strict=True)) for cells in rows_of_cells]


def _separator_of(header_line: str) -> str:
    """Return the separator of a table. A header without one is a single column."""
    for separator in _SEPARATORS:
        if separator in header_line:
            return separator
    return "\t"


def columns_called(
    rows: Sequence[Mapping[str, str]],
    wanted: Mapping[str, tuple[str, ...]],
    optional: Collection[str] = (),
) -> dict[str, str]:
    """Return the header of each wanted column.

    `wanted` gives possible headers for each column, best first: `{"due": ("due time", "due")}`
    -> `{"due": "due"}` in a table with this header. If no header is one of them, the only one that
    contains one is taken, such as `due at`. Raises `CannotRead` if a column is not found, unless
    it is `optional`.
    """
    headers = list(rows[0]) if rows else []
    columns: dict[str, str] = {}
    for name, possible_headers in wanted.items():
        header = _header_called(headers, possible_headers)
        if header is not None:
            columns[name] = header
        elif name not in optional:
            existing = ", ".join(headers) or "no rows"
            msg = f"the table has no single column for {name}; it has {existing}"
            raise CannotRead(msg)
    return columns


def _header_called(
    headers: Sequence[str], possible_headers: Sequence[str]
) -> str | None:
    """Return the header that is or contains one of these; None if there is none or several."""
    for possible_header in possible_headers:
        if possible_header in headers:
            return possible_header
    candidates = set()
    for header in headers:
        for possible_header in possible_headers:
            if f" {possible_header} " in f" {header} ":  # whole words
                candidates.add(header)
    if len(candidates) == 1:
        return candidates.pop()
    return None


def whole_number(text: str) -> int:
    """Return the whole number in a cell. Raises `CannotRead` for any other text."""
    try:
        return int(text)
    except ValueError:
        msg = f"{text!r} in the table is no whole number"
        raise CannotRead(msg) from None
