"""Extract the text of a PDF by page.

A PDF only says where each piece of text is on the page. Pieces side by side may be the
cells of a table's row, which become one line: `Pens 3 1.20`. Or they may be columns of a
newspaper, which are read one after the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from io import BytesIO

from pdfminer.high_level import extract_pages
from pdfminer.layout import (
    LAParams,
    LTPage,
)
from pdfminer.pdfdocument import PDFPasswordIncorrect

from controlplane.benchmarks.files.documents.pdf_lines import Line, lines_of, rows_of


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
    for line in _lines_in_reading_order(rows_of(lines_of(page))):
        # After a column, the next line may be higher on the page than the last one.
        gap = abs(bottom - line.top)
        height = line.top - line.bottom
        if gap > height:  # An empty line on the page, or a new column.
            shown.append("")
        shown.append(" ".join(line.words))
        bottom = line.bottom
    return "\n".join(shown).strip()


def _lines_in_reading_order(rows: list[list[Line]]) -> Iterator[Line]:
    """Yield the lines to show. A row becomes one line, unless it crosses columns of prose.

    A column is read as a whole: all its lines are yielded with the first row that crosses
    it, and left out of the rows below.
    """
    shown: set[Line] = set()
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


def _crosses_columns(row: list[Line]) -> bool:
    """Return True if a row crosses at least two columns of prose.

    A row with one line of prose may be a row of a table with a long text in a cell.
    """
    prose_lines = [line for line in row if line.prose_column]
    return len(prose_lines) >= 2


def _lines_column_by_column(row: list[Line]) -> list[Line]:
    """Return the lines of a row; for a line of prose, all lines of its column."""
    lines = []
    for line in row:
        lines += line.prose_column or [line]
    return lines
