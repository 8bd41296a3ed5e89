"""Which lines of a file the result of a read shows.

A read from line 40 on has the result `{"line": 40, "content": …}`. A query of a table has
the line of each row: `{"columns": ["fee"], "rows": [{"fee": 7}], "lines": [3]}`. If the
rows are computed, such as counts, `lines` is empty.
"""

from __future__ import annotations

from collections.abc import Mapping

from controlplane.sandbox.interface import Plain


def has_computed_rows(result: Mapping[str, Plain]) -> bool:
    """Return True for the result of a query whose rows are not lines of the file."""
    return result.get("lines") == []


def columns_of_computed_rows(result: Mapping[str, Plain]) -> str:
    """Return the column names of a query whose rows are computed: `name, fee`. Otherwise empty."""
    names = result.get("columns")
    if not has_computed_rows(result) or not isinstance(names, list):
        return ""
    return ", ".join(str(name) for name in names)


def shown_lines(
    arguments: Mapping[str, Plain], result: Mapping[str, Plain]
) -> tuple[int, ...]:
    """Return the numbers of the shown lines; empty if they are not lines of the file.

    From the last number on, they rise by 1: `(40,)` is the text from line 40 on.
    """
    if has_computed_rows(result):
        return ()
    row_lines = result.get("lines")
    if isinstance(row_lines, list):
        # The heading of a table is on line 1.
        numbers = [number for number in row_lines if isinstance(number, int)]
        return (1, *numbers)
    first_line = result.get("line") or arguments.get("start_line")
    if isinstance(first_line, int) and first_line > 0:
        return (first_line,)
    return (1,)
