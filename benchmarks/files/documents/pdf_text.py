"""Extract the text of a PDF by page. A table row is one line; columns of prose stay separate."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
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

LEAST_COLUMN_LINES: Final = 3
"""The fewest lines of a text box that may be a column of prose."""
LEAST_WORDS_A_LINE: Final = 5
"""The fewest words per line, on average, of a column of prose. Table cells have fewer."""


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
    lines: list[LTTextLine] = []
    column_of_line: dict[int, list[LTTextLine]] = {}
    """For each line of a column of prose, by its `id`: all lines of the column."""
    for box in _text_boxes(page):
        box_lines = [line for line in box if isinstance(line, LTTextLine)]
        lines += box_lines
        if _is_prose(box_lines):
            for line in box_lines:
                column_of_line[id(line)] = box_lines

    writer = _PageWriter(bottom=page.y1)
    for row in _rows_of(lines):
        if _is_beside_columns(row, column_of_line):
            # Write each column as a whole. The rows below have lines of the same
            # columns, which the writer then skips, because it writes no line twice.
            for line in row:
                for column_line in column_of_line.get(id(line), [line]):
                    writer.add([column_line])
        else:
            writer.add(row)
    return "\n".join(writer.shown).strip()


def _text_boxes(place: LTLayoutContainer) -> Iterator[LTTextBox]:
    """Yield the text boxes of a page and of its figures: some programs draw a page as one."""
    for item in place:
        if isinstance(item, LTTextBox):
            yield item
        elif isinstance(item, LTFigure):
            yield from _text_boxes(item)


def _is_prose(lines: list[LTTextLine]) -> bool:
    if len(lines) < LEAST_COLUMN_LINES:
        return False
    words = 0
    for line in lines:
        words += len(line.get_text().split())
    return words >= LEAST_WORDS_A_LINE * len(lines)


def _rows_of(lines: list[LTTextLine]) -> list[list[LTTextLine]]:
    """Return lines grouped by row, from top to bottom. In a row, they go from left to right."""
    # In a PDF, y is the distance from the bottom of the page. A line is in the row of
    # the one above if its middle is between the edges of that line.
    rows: list[list[LTTextLine]] = []
    for line in sorted(lines, key=_middle_of, reverse=True):
        middle = _middle_of(line)
        if rows and rows[-1][0].y0 < middle < rows[-1][0].y1:
            rows[-1].append(line)
        else:
            rows.append([line])
    for row in rows:
        row.sort(key=lambda line: line.x0)
    return rows


def _middle_of(line: LTTextLine) -> float:
    return float(line.y0 + line.y1) / 2


def _is_beside_columns(
    row: list[LTTextLine], column_of_line: dict[int, list[LTTextLine]]
) -> bool:
    """Return True if at least two lines of a row belong to columns of prose."""
    in_columns = [line for line in row if id(line) in column_of_line]
    return len(in_columns) >= 2


@dataclass(slots=True)
class _PageWriter:
    """The lines of a page that have been written so far. Created for each page."""

    bottom: float
    """The lower edge of the last line."""
    shown: list[str] = field(default_factory=list)
    _written: set[int] = field(default_factory=set)

    def add(self, group: list[LTTextLine]) -> None:
        """Write text that is side by side as one line. Skip what was written before."""
        words: list[str] = []
        for line in group:
            if id(line) not in self._written:
                words += line.get_text().split()
            self._written.add(id(line))
        if not words:
            return
        first = group[0]
        gap = abs(self.bottom - first.y1)  # from the last line to this one
        if gap > first.height:
            self.shown.append("")
        self.shown.append(" ".join(words))
        self.bottom = first.y0


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
