"""The lines of a PDF page: texts with places, grouped into rows at the same height.

A PDF only says where each piece of text is on the page. `Pens` at the left and `1.20` at the
right, at the same height, are one line, even if the file has them far apart.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from pdfminer.layout import (
    LTFigure,
    LTLayoutContainer,
    LTPage,
    LTTextBox,
    LTTextLine,
)

LEAST_COLUMN_LINES: Final = 3
"""The fewest lines of a text box that may be a column of prose."""
LEAST_WORDS_A_LINE: Final = 5
"""The fewest words per line, on average, of a column of prose. Table cells have fewer."""


@dataclass(eq=False, slots=True)
class Line:
    """A line of a text box: a cell of a table, or one line of a paragraph.

    Positions are distances from the lower or left edge of the page, so `top` is larger
    than `bottom`. Two lines with the same text are different lines.
    """

    words: list[str]
    left: float
    bottom: float
    top: float
    prose_column: list[Line] = field(default_factory=list)
    """If the line is prose: all lines of its text box, itself included, from top to bottom."""

    @property
    def middle(self) -> float:
        """The height of its middle."""
        return (self.bottom + self.top) / 2


def lines_of(page: LTPage) -> list[Line]:
    """Return the lines of all text boxes of a page. A box with prose is a column of prose."""
    lines = []
    for box in _text_boxes(page):
        box_lines = []
        for line in box:
            if isinstance(line, LTTextLine):
                words = line.get_text().split()
                box_lines.append(Line(words, line.x0, line.y0, line.y1))
        if _is_prose(box_lines):
            for box_line in box_lines:
                box_line.prose_column = box_lines
        lines += box_lines
    return lines


def _text_boxes(place: LTLayoutContainer) -> Iterator[LTTextBox]:
    """Yield the text boxes of a page. Some programs put all text of a page into a figure."""
    for item in place:
        if isinstance(item, LTTextBox):
            yield item
        elif isinstance(item, LTFigure):
            yield from _text_boxes(item)


def _is_prose(lines: list[Line]) -> bool:
    """Return True if the lines of a text box are a paragraph, by their number and length."""
    if len(lines) < LEAST_COLUMN_LINES:
        return False
    word_count = sum(len(line.words) for line in lines)
    return word_count >= LEAST_WORDS_A_LINE * len(lines)


def rows_of(lines: list[Line]) -> list[list[Line]]:
    """Return lines grouped by row, from top to bottom. In a row, they go from left to right.

    A line is in the row of the one above if its middle is between the edges of that line.
    """
    rows: list[list[Line]] = []
    for line in sorted(lines, key=lambda line: line.middle, reverse=True):
        if rows and rows[-1][0].bottom < line.middle < rows[-1][0].top:
            rows[-1].append(line)
        else:
            rows.append([line])
    for row in rows:
        row.sort(key=lambda line: line.left)
    return rows
