"""A row of a CSV file, and the layout of the file: its delimiter and its header.

    Sales of 2025

    City;Amount
    Berlin;5

This file has semicolons as delimiters, and its header is on line 3.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class CsvRow:
    """One row, and the line of the file on which it begins."""

    line: int
    cells: list[str]


@dataclass(slots=True)
class Header:
    """The names of a file's columns, and where its values begin."""

    names: list[str] = field(default_factory=list)
    line: int = 0
    """The line of the file with the names, from 1; 0 if the file has no header."""
    first_value_row: int = 0
    """The index of the first row with values, from 0. The rows before it are titles and
    the header. (A row may span several lines, so its index does not tell its line.)"""
    assumed: list[str] = field(default_factory=list)
    """Sentences on how the header was found, which is likely right: `line 3 is the header`."""
    doubts: list[str] = field(default_factory=list)
    """Sentences on what may be wrong, and has to be checked: `line 1 looks like a row, so ...`."""


@dataclass(slots=True)
class CsvLayout:
    """How a CSV file is read. Created from a sample of the file by `layout_of`."""

    delimiter: str
    has_backslashes: bool = False
    """True if a quotation mark within a cell is escaped with a backslash."""
    header: Header = field(default_factory=Header)
    assumed: list[str] = field(default_factory=list)
    """All sentences on how the file was read, for whoever uses its rows."""
    doubts: list[str] = field(default_factory=list)
    """All sentences on what may be read wrongly."""
