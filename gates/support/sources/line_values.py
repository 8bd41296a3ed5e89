"""Reads the values on the lines of a text: numbers with their units, dates, ids and others.

    LineValues(Rows("id,count,unit\\nB-1,250,kg")).of(1)     # `B-1` and 250, not 1250

Each cell of a table is read alone. A line is given by its index, counted from 0.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final

from controlplane.gates.support.sources.table_rows import Rows
from controlplane.gates.values.normal_text import normalize_text
from controlplane.gates.values.number_style import NumberStyle, number_style_of
from controlplane.gates.values.value_kinds import Kind, WrittenValue
from controlplane.gates.values.written_values import written_values
from controlplane.sandbox.interface import bounds

STYLE_SAMPLE_LINES: Final = 500
"""First lines of a text that decide its style of numbers."""
_KINDS_ON_LINES: Final = frozenset(Kind) - {Kind.QUOTATION}
"""The kinds of values that are read from lines; quotations are searched for in the whole text."""


@dataclass(eq=False)
class LineValues:
    """The values of the lines of one text. Each line is read at most once."""

    rows: Rows
    style: NumberStyle | None = None
    """Whether `1.199` is read as 1199 or 1.199. None: as the other numbers of the text suggest."""
    _values: dict[int, list[WrittenValue]] = field(default_factory=dict)
    """The values of the lines that were read, by line."""

    def of(self, line: int) -> list[WrittenValue]:
        """Return the values of a line, except quotations. The cells of a table are read alone."""
        if line not in self._values:
            # `1,250` becomes `1\n250`, because no value continues behind a line break.
            text = self.rows.with_cells_apart(line)[: bounds.MOST_LINE_CHARS]
            self._values[line] = written_values(
                text, kinds=_KINDS_ON_LINES, style=self._number_style
            )
        return self._values[line]

    def are_read(self, line: int) -> bool:
        """Return True if the values of a line have been read already."""
        return line in self._values

    @cached_property
    def _number_style(self) -> NumberStyle:
        """The given style, or the one that the first lines of the text suggest."""
        if self.style is not None:
            return self.style
        first_lines = range(min(len(self.rows.lines), STYLE_SAMPLE_LINES))
        sample = [self.rows.with_cells_apart(line) for line in first_lines]
        text = "\n".join([self.rows.outer_heading, *sample])
        style = number_style_of(normalize_text(text).text)
        # Where a comma separates cells, it is not also the decimal mark.
        if any(self.rows.separator_of(line) == "," for line in first_lines):
            return replace(style, decimal_mark=".")
        return style
