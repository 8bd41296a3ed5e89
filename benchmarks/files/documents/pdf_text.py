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
    """Return the lines of a page from top to bottom.

    Texts side by side become one line, as in a row of a table, unless they are in
    columns of prose, which are read one after the other.
    """
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
    """Yield the lines to show: a row as one line, or the lines of its columns of prose.

    A column is shown with the first row that crosses it. The rows below cross it, too,
    and its lines are then left out.
    """
    shown: set[Line] = set()
    for row in rows:
        for group in _groups_of(row):
            words = []
            for line in group:
                if line not in shown:
                    words += line.words
            shown.update(group)
            if words:
                # The joined line is where the first of its lines is.
                yield replace(group[0], words=words)


def _groups_of(row: list[Line]) -> list[list[Line]]:
    """Return the lines to show for a row, each as the group of lines that it is joined from.

    The row of a table becomes one line. If the row crosses columns of prose, each column
    is read as a whole, with its lines in the rows below, and nothing is joined.
    """
    # A row with one line of prose may be a row of a table with a long text in a cell.
    prose_lines = [line for line in row if line.prose_column]
    if len(prose_lines) < 2:
        return [row]
    groups = []
    for line in row:
        if line.prose_column:
            for column_line in line.prose_column:
                groups.append([column_line])
        else:
            groups.append([line])
    return groups
