"""Parses lines of keys and values, and tables, as programs and files have them.

| text | data |
| --- | --- |
| `fee: 7`, and in the next line `due: May` | `{"fee": "7", "due": "May"}` |
| `name;fee`, and in the next line `Ann;7` | `["name", "fee", "Ann", "7"]` |
| `Dear Ann, please pay.` | None: this is running text |
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from controlplane.agent.evidence.texts.data.yaml_data import MAX_CELL_WORDS

_SEPARATORS: Final = (",", ";", "\t", "|")
"""The separators between the cells of a table."""


def parsed_lines(text: str) -> object:
    """Return the keys and values that a program printed, one pair in each line.

    `fee: 7` and in the next line `due: May` -> `{"fee": "7", "due": "May"}`. Return None for
    a text with any other line.
    """
    fields: dict[str, str] = {}
    for line in filter(str.strip, text.splitlines()):
        key, colon, value = line.partition(":")
        if not colon or len(key.split()) > MAX_CELL_WORDS:
            return None
        fields[key.strip()] = value.strip()
    return fields or None


def parsed_table(text: str) -> object:
    """Return the cells of a table; None if a text is not a table.

    A table has two or more lines of short cells, with equally many separators in each line:
    `name;fee` and in the next line `Ann;7` -> `["name", "fee", "Ann", "7"]`.
    """
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) < 2:
        return None
    for separator in _SEPARATORS:
        cells = _cells_of_rows(lines, separator)
        if cells and all(len(cell.split()) <= MAX_CELL_WORDS for cell in cells):
            return cells
    return None


def _cells_of_rows(lines: Sequence[str], separator: str) -> list[str]:
    """Return the cells of all lines, or nothing if the lines have differently many separators."""
    count = lines[0].count(separator)
    if count == 0:
        return []
    cells: list[str] = []
    for line in lines:
        if line.count(separator) != count:
            return []
        cells += [cell.strip() for cell in line.split(separator)]
    return cells
