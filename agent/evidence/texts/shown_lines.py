"""Which lines of a file the result of a read shows.

Citations name them: `/fees.md` line 42. A read from line 40 on has the result
`{"line": 40, "content": …}`. A query of a table has the line of each row:
`{"columns": ["fee"], "rows": [{"fee": 7}], "lines": [3]}`. If the rows are computed,
such as counts, `lines` is empty.
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
    """Return the numbers in the file of the lines that a result shows.

    | the result shows | numbers |
    |---|---|
    | the text from line 40 on | `(40,)`: the lines that follow are the next ones of the file |
    | the row of a table in line 3 | `(1, 3)`: the heading is shown, too |
    | rows that are computed | `()` |
    """
    if has_computed_rows(result):
        return ()
    row_lines = result.get("lines")
    if isinstance(row_lines, list):
        numbers = [number for number in row_lines if isinstance(number, int)]
        return (1, *numbers)  # The text begins with the heading, which is in line 1.
    first_line = result.get("line") or arguments.get("start_line")
    if isinstance(first_line, int) and first_line > 0:
        return (first_line,)
    return (1,)
