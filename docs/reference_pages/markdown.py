"""Tables and texts of the generated pages.

table(("setting", "default"), [("`limit`", "10")])
-> | setting | default |
   |---|---|
   | `limit` | 10 |
"""

import inspect
from collections.abc import Iterable, Sequence


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table in Markdown, which ends with a line break."""
    lines = [row_line(headings), "|" + "---|" * len(headings)]
    for cells in rows:
        lines.append(row_line(cells))
    return "\n".join(lines) + "\n"


def row_line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def cell(text: str) -> str:
    """Return a text for a table's cell: on one line, and without marks that end the cell."""
    return one_line(text).replace("|", "\\|")


def one_line(text: str) -> str:
    return " ".join(text.split())


def class_text(documented: type) -> str:
    """Return a class's docstring on one line."""
    return one_line(inspect.cleandoc(documented.__doc__ or ""))


def code(name: str) -> str:
    """Return a name as code: "limit" -> "`limit`"."""
    return f"`{name}`"
