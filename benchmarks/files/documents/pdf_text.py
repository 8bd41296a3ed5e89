"""Extract the text of a PDF by page.

A PDF only says where each piece of text is on the page. Pieces side by side may be the
cells of a table's row, which become one line: `Pens 3 1.20`. Or they may be columns of a
newspaper, which are read one after the other.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import Any, Final, TypeAlias

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
    right: float
    bottom: float
    top: float
    prose_column: list[_PdfLine] = field(default_factory=list)
    """If the line is prose: all lines of its text box, itself included, from top to bottom."""

    @property
    def middle(self) -> float:
        """The height of its middle."""
        return (self.bottom + self.top) / 2

    @property
    def height(self) -> float:
        return self.top - self.bottom


def _lines_of(page: LTPage) -> list[_PdfLine]:
    """Return the lines of all text boxes of a page. A box with prose is a column of prose."""
    lines = []
    for box in _text_boxes(page):
        box_lines = []
        for line in box:
            if isinstance(line, LTTextLine):
                words = line.get_text().translate(_LIGATURES).split()
                box_lines.append(_PdfLine(words, line.x0, line.x1, line.y0, line.y1))
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


# The cells of tables, of which some may be empty.
#
#     Item    Jan   Feb   Mar
#     Nut            25    35
#
# As one line, `Nut 25 35` would say that 25 belongs to January. So the rows of such a table are
# shown with marks between all cells: `| Nut |  | 25 | 35 |`. If no cell is empty, blanks will do.

_LEAST_TABLE_ROWS: Final = 3
_LEAST_TABLE_COLUMNS: Final = 3
_MOST_ROW_GAP: Final = 2.5
"""The widest gap between two rows of a table, by the height of a row."""
_UNCERTAIN_COLUMNS: Final = "rows with fewer cells than others: to which columns their texts belong is not certain"
"""The note on a page with a table whose empty cells cannot be found by the places of the others."""

_Span: TypeAlias = tuple[float, float]
"""The left and the right end of a column or a cell."""


def _with_empty_cells(rows: list[list[_PdfLine]]) -> tuple[list[list[_PdfLine]], str]:
    """Return the rows of a page, those of tables with empty cells as one line with marks.

    Also return a note if there is a table whose empty cells are not certain.
    """
    shown: list[list[_PdfLine]] = []
    note = ""
    table: list[list[_PdfLine]] = []
    for row in [*rows, []]:
        is_prose = not row or any(line.prose_column for line in row)
        if table and (
            is_prose or table[-1][0].bottom - row[0].top > _MOST_ROW_GAP * row[0].height
        ):
            marked = _marked_rows(table)
            shown += table if marked is None else marked
            note = _UNCERTAIN_COLUMNS if marked is None else note
            table = []
        if is_prose:
            shown.append(row)
        else:
            table.append(row)
    return shown, note


def _marked_rows(rows: list[list[_PdfLine]]) -> list[list[_PdfLine]] | None:
    """Return the rows with marks between their cells if some are empty.

    A row with one text may be a heading, and stays as it is. Return None for a table of numbers of
    which it is not certain what is empty.
    """
    full_rows = [row for row in rows if len(row) > 1]
    width = max(map(len, full_rows), default=0)
    is_table = len(full_rows) >= _LEAST_TABLE_ROWS and width >= _LEAST_TABLE_COLUMNS
    if not is_table or min(map(len, full_rows)) == width:
        return rows
    columns = _columns_of(full_rows)
    marked = []
    for row in rows:
        cells = {_place_of(line, columns): " ".join(line.words) for line in row}
        if len(cells) < len(row) or len(columns) != width:
            values = [str(line.words) for row in full_rows for line in row[1:]]
            with_digits = list(filter(re.compile(r"\d").search, values))
            return None if 2 * len(with_digits) > len(values) else rows
        if len(row) > 1:
            text = " | ".join(cells.get(place, "") for place in range(width))
            row = [replace(row[0], words=[f"| {text} |"])]
        marked.append(row)
    return marked


def _columns_of(rows: list[list[_PdfLine]]) -> list[_Span]:
    """Return the columns of a table: what its cells, the narrow ones first, have in common."""
    columns: list[_Span] = []
    cells = [line for row in rows for line in row]
    for cell in sorted(cells, key=lambda cell: cell.right - cell.left):
        touched = [span for span in columns if _overlap(cell, span) > 0]
        if len(touched) > 1:  # It spans columns.
            continue
        span = (cell.left, cell.right)
        for column in touched:
            columns.remove(column)
            span = (min(column[0], cell.left), max(column[1], cell.right))
        columns.append(span)
    return sorted(columns)


def _overlap(line: _PdfLine, span: _Span) -> float:
    """Return the width that a line and a column have in common; below 0 if they are apart."""
    return min(line.right, span[1]) - max(line.left, span[0])


def _place_of(line: _PdfLine, columns: list[_Span]) -> int:
    """Return the index of the column that a line is in: of several, that with the most of it."""
    return max(range(len(columns)), key=lambda place: _overlap(line, columns[place]))


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


def page_texts(data: bytes) -> list[tuple[str, str]]:
    """Return the text of each page, and a note if it may be misread; both may be empty.

    A page without a text is an image. Raises `NeedsPassword`.
    """
    texts = []
    try:
        for page in extract_pages(BytesIO(data), laparams=LAParams(all_texts=True)):
            rows, note = _with_empty_cells(_rows_of(_lines_of(page)))
            texts.append((_page_text(rows, page.y1), note))
    except PDFPasswordIncorrect:
        raise NeedsPassword from None
    return texts


def _page_text(rows: list[list[_PdfLine]], bottom: float) -> str:
    """Return the lines of a page from top to bottom, with empty lines where the page has gaps.

    `bottom` is where the page begins.
    """
    shown = []
    for line in _lines_in_reading_order(rows):
        # After a column, the next line may be higher on the page than the last one.
        gap = abs(bottom - line.top)
        if gap > line.height:  # An empty line on the page, or a new column.
            shown.append("")
        shown.append(" ".join(line.words))
        bottom = line.bottom
    return "\n".join(shown).strip()


def _lines_in_reading_order(rows: list[list[_PdfLine]]) -> Iterator[_PdfLine]:
    """Yield the lines to show. A row becomes one line, unless it crosses columns of prose.

    A column is read as a whole: all its lines are yielded with the first row that crosses
    it, and left out of the rows below. A row with one line of prose may be a row of a table with a
    long text in a cell.
    """
    shown: set[_PdfLine] = set()
    for row in rows:
        crosses_columns = sum(1 for line in row if line.prose_column) >= 2
        lines = row
        if crosses_columns:
            lines = [line for part in row for line in part.prose_column or [part]]
        words: list[str] = []
        for line in lines:
            if line in shown:
                continue
            shown.add(line)
            if crosses_columns and line.words:
                yield line
            words += line.words
        if words and not crosses_columns:
            # The joined line is where the first of its lines is.
            yield replace(row[0], words=words)
