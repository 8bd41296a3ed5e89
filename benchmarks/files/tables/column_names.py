"""Names of the columns of a table: all different, and none empty.

A file may have two columns `city`, or a column without a name. A query needs a name for each of
them, so that it can select either of the two.
"""

from __future__ import annotations

from controlplane.benchmarks.files.tables.table_database import LINE
from controlplane.sandbox.interface import bounds


class ColumnNames:
    """The names of a table's columns, in order."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def add(self, name: str) -> None:
        """Add a column. If its name is empty or already in use, it gets its number.

        If the third column has no name, it is `column_3`; if it is a second `city`, it is
        `city_3`. The name `_line` is always in use, for the lines of the file. Raises `ValueError`
        if there are too many columns.
        """
        number = len(self.names) + 1
        if number > bounds.MOST_COLUMNS:
            msg = f"there are more than {bounds.MOST_COLUMNS} columns"
            raise ValueError(msg)
        plain_name = " ".join(name.replace("\ufeff", "").split()) or f"column_{number}"
        used_names = {used.casefold() for used in (*self.names, LINE)}
        while plain_name.casefold() in used_names:
            plain_name = f"{plain_name}_{number}"
        self.names.append(plain_name)
