"""Splits a row of a delimited table into its cells: `B-1;38` below the heading `id;weight`.

Nothing declares that a text is a table, or which character separates its cells. So the
separators of a row are compared with those of its heading.
"""

from __future__ import annotations

from typing import Final

SEPARATORS: Final = (";", "\t", "|", ",")
"""The comma comes last, because it may be a decimal mark within cells."""


def separator_of_row(row: str, heading: str) -> str:
    """Return the character that separates the cells of a row, or "" if the line is not a row.

    >>> separator_of_row("B-1;38,4", "id;weight")
    ';'
    """
    for separator in SEPARATORS:
        count = count_separators(row, separator)
        if count == 0 or count != count_separators(heading, separator):
            continue
        # A comma before a blank is that of a sentence.
        is_prose = separator == "," and (", " in row or ", " in heading)
        if not is_prose:
            return separator
    return ""


def count_separators(text: str, separator: str) -> int:
    """Return how often a separator stands outside quotation marks: 1 for `"Screw, long",12`."""
    if '"' not in text:
        return text.count(separator)
    count = 0
    for index, part in enumerate(text.split('"')):
        is_quoted = index % 2 == 1
        if not is_quoted:
            count += part.count(separator)
    return count


def break_at_separators(row: str, separator: str) -> str:
    """Replace each separator outside quotation marks by a line break: `B-1;38` -> `B-1\\n38`.

    The length stays, so that offsets in the result are offsets in the row.
    """
    parts = row.split('"')
    for index, part in enumerate(parts):
        is_quoted = index % 2 == 1
        if not is_quoted:
            parts[index] = part.replace(separator, "\n")
    return '"'.join(parts)


def cell_of(row: str, separator: str, column: int) -> str:
    """Return the cell in a column, counted from 0, or "" if the row is shorter.

    The column 1 of `B-1;38` has `38`.
    """
    cells = break_at_separators(row, separator).split("\n")
    if column >= len(cells):
        return ""
    return cells[column]
