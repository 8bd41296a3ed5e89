"""The rows of a file that do not fit its header, and how a script is told of them.

Files have rows with too many or too few cells, or with a stray quotation mark. They are
read as well as possible. A result tells their lines, so that a model can look there:
`line 7 and 2 more: fewer cells than the header has`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

from controlplane.benchmarks.files.tables.csv_files.cell_values import is_split_number


@dataclass(slots=True)
class UnfitRows:
    """The rows of a file that do not fit its header. `csv_rows` notes them while it reads."""

    longer: list[int] = field(default_factory=list)
    """The numbers of the lines with more cells than the header."""
    most_cells: int = 0
    """The number of cells of the longest such row; 0 if there is none."""
    shorter: list[int] = field(default_factory=list)
    """The numbers of the lines with fewer cells than the header."""
    empty: int = 0
    """The number of rows whose cells are all empty. They are left out."""
    open_quotations: list[int] = field(default_factory=list)
    """The numbers of the lines with a quotation mark that was read as an ordinary character."""
    spanning: list[int] = field(default_factory=list)
    """The first lines of rows that span several lines, some of which look like separate rows."""
    split_column: int | None = None
    """The index of the first column whose number may have been split at its comma; or None.

    If commas separate cells, the number `1,200` without quotation marks becomes the
    cells `1` and `200`, and the row is longer than the header.
    """

    def add_longer(self, line: int, cells: list[str]) -> None:
        """Add a row with more cells than the header, and where a number may have been split."""
        self.longer.append(line)
        self.most_cells = max(self.most_cells, len(cells))
        for column, (cell, next_cell) in enumerate(pairwise(cells)):
            if is_split_number(cell, next_cell):
                if self.split_column is None or column < self.split_column:
                    self.split_column = column
                return

    def may_be_split(self, column: int) -> bool:
        """Return True if a column may have wrong cells because a number was split.

        The parts of the number are in its own column and the next one, and all later
        cells are shifted.
        """
        return self.split_column is not None and column >= self.split_column

    def doubts(self, width: int) -> list[str]:
        """Return one sentence for each kind of unfit row. The header has `width` cells."""
        doubts = []
        if self.longer:
            place = _line_text(self.longer)
            doubts.append(
                f"{place}: more cells than the header, which has {width}; the further ones are in "
                f"{column_name(width + 1)} and after it"
            )
        if self.shorter:
            doubts.append(
                f"{_line_text(self.shorter)}: fewer cells than the header has"
            )
        if self.open_quotations:
            place = _line_text(self.open_quotations)
            doubts.append(
                f"{place}: a quotation mark that nothing closes is read as a character"
            )
        if self.spanning:
            place = _line_text(self.spanning)
            doubts.append(
                f"{place}: a cell in quotation marks holds further lines, which may be rows"
            )
        if self.empty:
            doubts.append(f"rows without any value, left out: {self.empty:,}")
        return doubts


def _line_text(lines: list[int]) -> str:
    """Return the first of these lines, and how many follow: `line 7`, or `line 7 and 2 more`."""
    if len(lines) == 1:
        return f"line {lines[0]}"
    return f"line {lines[0]} and {len(lines) - 1:,} more"


def column_name(number: int) -> str:
    return f"column_{number}"
