"""A row of a CSV file, and the layout of the file: its delimiter, its header, its first row."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class CsvRow:
    """One row, and the line of the file on which it begins."""

    line: int
    cells: list[str]


@dataclass(slots=True)
class CsvLayout:
    """How a CSV file is read: its delimiter, its header, and the first row of values.

    Created from a sample of the file by `layout_of`.
    """

    delimiter: str
    has_backslashes: bool = False
    """True if a quotation mark within a cell is escaped with a backslash."""
    header_line: int = 0
    """The line of the header; 0 if the file has none."""
    names: list[str] = field(default_factory=list)
    first_row: int = 0
    """The index of the first row with values. Rows before it are titles and the header."""
    assumed: list[str] = field(default_factory=list)
    """Sentences on how the file was read, for whoever uses its rows: `line 3 is the header`."""
    doubts: list[str] = field(default_factory=list)
    """Sentences on what may be read wrongly: `line 1 looks like a row, so ...`."""
