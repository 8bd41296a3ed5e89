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
    """Return which line of the file each line of the shown text is.

    If the text has more lines than there are numbers, each further line is the next one
    of the file. So `(40,)` is enough for a text from line 40 on. A row of a table in
    line 3 gives `(1, 3)`: the heading is shown, too. Empty if the text is not lines of
    the file.
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
