"""Extract the text of a PDF by page.

A PDF only says where each piece of text is on the page. Pieces side by side may be the
cells of a table's row, which become one line: `Pens 3 1.20`. Or they may be columns of a
newspaper, which are read one after the other.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import Any, Final

from pdfminer import cmapdb
from pdfminer.high_level import extract_pages
from pdfminer.layout import (
    LAParams,
    LTFigure,
    LTLayoutContainer,
    LTPage,
    LTTextBox,
    LTTextLine,
)
from pdfminer.pdfdocument import PDFPasswordIncorrect

# The lines of a PDF page: texts with places, grouped into rows at the same height.
#
# A PDF only says where each piece of text is on the page. `Pens` at the left and `1.20` at the
# right, at the same height, are one line, even if the file has them far apart.

_LIGATURES: Final = str.maketrans(
    {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl"}
)
"""Signs of a font that stand for several letters. Nobody searches for these signs."""
_LEAST_COLUMN_LINES: Final = 3
"""The fewest lines of a text box that may be a column of prose."""
_LEAST_WORDS_A_LINE: Final = 5
"""The fewest words per line, on average, of a column of prose. Table cells have fewer."""


@dataclass(eq=False, slots=True)
class _PdfLine:
    """A line of a text box: a cell of a table, or one line of a paragraph.

    Positions are distances from the lower or left edge of the page, so `top` is larger
    than `bottom`. Two lines with the same text are different lines.
    """

    words: list[str]
    left: float
    bottom: float
    top: float
    prose_column: list[_PdfLine] = field(default_factory=list)
    """If the line is prose: all lines of its text box, itself included, from top to bottom."""

    @property
    def middle(self) -> float:
        """The height of its middle."""
        return (self.bottom + self.top) / 2


def _lines_of(page: LTPage) -> list[_PdfLine]:
    """Return the lines of all text boxes of a page. A box with prose is a column of prose."""
    lines = []
    for box in _text_boxes(page):
        box_lines = []
        for line in box:
            if isinstance(line, LTTextLine):
                words = line.get_text().translate(_LIGATURES).split()
                box_lines.append(_PdfLine(words, line.x0, line.y0, line.y1))
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


def _is_prose(lines: list[_PdfLine]) -> bool:
    """Return True if the lines of a text box are a paragraph, by their number and length."""
    if len(lines) < _LEAST_COLUMN_LINES:
        return False
    word_count = sum(len(line.words) for line in lines)
    return word_count >= _LEAST_WORDS_A_LINE * len(lines)


def _rows_of(lines: list[_PdfLine]) -> list[list[_PdfLine]]:
    """Return lines grouped by row, from top to bottom. In a row, they go from left to right.

    A line is in the row of the one above if its middle is between the edges of that line.
    """
    rows: list[list[_PdfLine]] = []
    for line in sorted(lines, key=lambda line: line.middle, reverse=True):
        if rows and rows[-1][0].bottom < line.middle < rows[-1][0].top:
            rows[-1].append(line)
        else:
            rows.append([line])
    for row in rows:
        row.sort(key=lambda line: line.left)
    return rows


# Loads the tables of fonts that reading a PDF file needs, before the sandbox's walls stand.
#
# The library for PDF opens these files when it first meets a font. A worker that reads documents
# can open no files then, so text in Japanese, for example, could not be read.


def load_ahead() -> None:
    """Load what pdfminer loads late, such as font maps, because an isolated process cannot.

    pdfminer reads the map of a font's characters from a file when a document first uses
    it. Its function for that is replaced by one that has all files in memory.
    """
    import_module("pdfminer._saslprep")  # Used for passwords.
    packed_maps: dict[str, bytes] = {}
    for path in Path(cmapdb.__file__).parent.glob("cmap/*.json.gz"):
        packed_maps[path.name.partition(".")[0]] = path.read_bytes()

    def load_map(name: str) -> type:
        """Return a map as pdfminer's own function does. Raises its error for an unknown name."""
        if name not in packed_maps:
            raise cmapdb.CMapDB.CMapNotFound(name)
        content = json.loads(
            gzip.decompress(packed_maps[name]), object_hook=_with_numbers
        )
        # pdfminer expects a class with the map's keys as attributes
        return type(name, (), content)

    library: Any = cmapdb.CMapDB
    library._load_data = load_map


def _with_numbers(mapping: dict[str, Any]) -> dict[Any, Any]:
    """Convert the keys of a character map, which are character codes, to numbers."""
    return {int(key) if key.isdigit() else key: value for key, value in mapping.items()}


class NeedsPassword(Exception):
    """The document cannot be opened without a password."""


def page_texts(data: bytes) -> list[str]:
    """Return the text of each page; empty for an image. Raises `NeedsPassword`."""
    texts = []
    try:
        for page in extract_pages(BytesIO(data), laparams=LAParams(all_texts=True)):
            texts.append(_page_text(page))
    except PDFPasswordIncorrect:
        raise NeedsPassword from None
    return texts


def _page_text(page: LTPage) -> str:
    """Return the lines of a page from top to bottom, with empty lines where the page has gaps."""
    shown = []
    bottom = page.y1  # of the last line that is shown
    for line in _lines_in_reading_order(_rows_of(_lines_of(page))):
        # After a column, the next line may be higher on the page than the last one.
        gap = abs(bottom - line.top)
        height = line.top - line.bottom
        if gap > height:  # An empty line on the page, or a new column.
            shown.append("")
        shown.append(" ".join(line.words))
        bottom = line.bottom
    return "\n".join(shown).strip()


def _lines_in_reading_order(rows: list[list[_PdfLine]]) -> Iterator[_PdfLine]:
    """Yield the lines to show. A row becomes one line, unless it crosses columns of prose.

    A column is read as a whole: all its lines are yielded with the first row that crosses
    it, and left out of the rows below.
    """
    shown: set[_PdfLine] = set()
    for row in rows:
        if _crosses_columns(row):
            for line in _lines_column_by_column(row):
                if line not in shown:
                    shown.add(line)
                    if line.words:
                        yield line
        else:
            words = []
            for line in row:
                if line not in shown:
                    words += line.words
            shown.update(row)
            if words:
                # The joined line is where the first of its lines is.
                yield replace(row[0], words=words)


def _crosses_columns(row: list[_PdfLine]) -> bool:
    """Return True if a row crosses at least two columns of prose.

    A row with one line of prose may be a row of a table with a long text in a cell.
    """
    prose_lines = [line for line in row if line.prose_column]
    return len(prose_lines) >= 2


def _lines_column_by_column(row: list[_PdfLine]) -> list[_PdfLine]:
    """Return the lines of a row; for a line of prose, all lines of its column."""
    lines = []
    for line in row:
        lines += line.prose_column or [line]
    return lines
