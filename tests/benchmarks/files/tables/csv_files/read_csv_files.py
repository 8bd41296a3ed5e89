r"""Texts of CSV files, read as the product does.

    csv_file = read_csv("city;n\nBerlin;5\n")
    csv_file.names    # ["city", "n"]
    csv_file.cells    # [["Berlin", "5"]]
    csv_file.doubts   # []

No file says which delimiter it has, so this is guessed. Doubtful guesses are in `doubts`.
"""

from dataclasses import dataclass

from controlplane.benchmarks.files.tables.csv_files import CsvRow, UnfitRows
from controlplane.benchmarks.files.tables.raw_rows import (
    csv_rows,
    layout_of,
    normal_lines,
)


@dataclass(frozen=True)
class CsvFile:
    """What is read from the text of a CSV file."""

    names: list[str]
    """The names of the columns."""
    header_line: int
    rows: list[CsvRow]
    """The rows below the header: `CsvRow(line=2, cells=["Berlin", "5"])`."""
    assumed: list[str]
    """What was guessed, and is likely right: `line 2 is the header`."""
    doubts: list[str]
    """What was guessed, and should be checked: `line 3: fewer cells than the header has`."""

    @property
    def cells(self) -> list[list[str]]:
        return [row.cells for row in self.rows]


def read_csv(text: str) -> CsvFile:
    """Read a CSV file, in the two steps that the product takes: its layout, and then its rows."""
    text = normal_lines(text)
    layout = layout_of(text)
    unfit_rows = UnfitRows()
    rows = list(csv_rows(text, layout, unfit_rows))
    width = len(layout.header.names)
    return CsvFile(
        names=layout.header.names,
        header_line=layout.header.line,
        rows=rows,
        assumed=layout.assumed,
        doubts=[*layout.doubts, *unfit_rows.doubts(width)],
    )
