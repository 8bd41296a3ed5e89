"""Which lines of a file the result of a read shows.

Citations name them: `/fees.md` line 42. The result of the read tells the numbers:

    {"columns": ["count"], "rows": [{"count": 12}], "lines": []}    -> (), a computed row
    {"columns": ["fee"], "rows": [...], "lines": [7, 9]}            -> (1, 7, 9), rows of a table
    {"line": 40, "content": "Fee: 7 EUR"}                           -> (40,), a text from line 40 on
    {"content": "Fee: 7 EUR"}                                       -> (1,), a whole file
"""

from __future__ import annotations

from collections.abc import Mapping

from controlplane.sandbox.interface import Plain


def shown_lines(
    arguments: Mapping[str, Plain], result: Mapping[str, Plain]
) -> tuple[int, ...]:
    """Return the numbers that the lines of a result have in the file.

    Of a text, only the first line's number is returned, such as 40: the next line is line 41.
    """
    if _has_computed_rows(result):
        return ()
    row_lines = result.get("lines")
    if isinstance(row_lines, list):
        numbers = [number for number in row_lines if isinstance(number, int)]
        return (1, *numbers)  # The heading, in line 1 of the file, is shown, too.
    # Without a `line` in the result, it is the line from which the call asked to read.
    first_line = result.get("line") or arguments.get("start_line")
    if isinstance(first_line, int) and first_line > 0:
        return (first_line,)
    return (1,)


def columns_of_computed_rows(result: Mapping[str, Plain]) -> str:
    """Return the column names of a query whose rows are computed: `name, fee`. Otherwise empty."""
    names = result.get("columns")
    if not _has_computed_rows(result) or not isinstance(names, list):
        return ""
    return ", ".join(str(name) for name in names)


def _has_computed_rows(result: Mapping[str, Plain]) -> bool:
    """Return True for the result of a query whose rows are not lines of the file."""
    return result.get("lines") == []
