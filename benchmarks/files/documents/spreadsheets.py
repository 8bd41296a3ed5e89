"""Converts workbooks to text: each sheet as CSV, with notes about what CSV cannot show.

A cell becomes the text that a spreadsheet shows: `1,234.50 EUR`. That the cells A1 to C1 are
merged, or that the sheet is hidden, becomes a note.
"""

from __future__ import annotations

import csv
import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from io import BytesIO, StringIO
from operator import itemgetter
from typing import Any, Final, TypeAlias

import re2
from openpyxl import load_workbook
from openpyxl.worksheet.formula import ArrayFormula, DataTableFormula

from controlplane.benchmarks.files.documents.cells.cell_text import (
    cell_text,
    is_rounded,
)

SHOWN_CELLS: Final = 8
"""The most cells or areas that a note names. The others are only counted."""
MAX_MERGED_CELLS: Final = 100_000
"""The most cells of a sheet's merged areas that are filled. A file can claim millions."""
Place: TypeAlias = tuple[int, int]
"""The row and column of a cell, from 1: `(4, 1)` for `A4`."""
# In the XML of a sheet, a cell with a formula and its value is `<c><f>B2*2</f><v>8</v></c>`.
_PREFIX: Final = rb"(?:\w+:)?"  # of a namespace: `<x:f>`
# <f>B2*2</f>
_FORMULA: Final = b"<" + _PREFIX + rb"f(?:\s[^>]*)?(?:/>|>[^<]*</" + _PREFIX + b"f>)"
# <v/>, or no value at all
_EMPTY_VALUE: Final = b"(?:<" + _PREFIX + rb"v\s*/>|<v></v>)?"
_END_OF_CELL: Final = b"</" + _PREFIX + b"c>"
FORMULA_WITHOUT_VALUE: Final = re2.compile(
    _FORMULA + rb"\s*" + _EMPTY_VALUE + rb"\s*" + _END_OF_CELL
)
"""A formula without a saved value, such as `<f>B2*2</f><v/></c>`. Some programs save no values."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """One sheet of a workbook."""

    title: str
    text: str
    notes: tuple[str, ...]


def sheets_of(data: bytes) -> list[Sheet]:
    """Return the sheets of an XLSX file."""
    # With `data_only`, a cell with a formula has the value that was saved with the formula.
    workbook = load_workbook(BytesIO(data), data_only=True)
    formulas = None
    if _lacks_values(data):
        # Without a saved value the cell is empty. So load the formulas, to show them instead.
        formulas = load_workbook(BytesIO(data))
    sheets = []
    for sheet in workbook.worksheets:
        formula_sheet = None if formulas is None else formulas[sheet.title]
        sheets.append(_sheet(sheet, formula_sheet))
    return sheets


def csv_text(rows: Iterable[Sequence[Any]]) -> str:
    """Return rows as CSV."""
    text = StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def _lacks_values(data: bytes) -> bool:
    """Return True if a formula of the workbook has no saved value."""
    with zipfile.ZipFile(BytesIO(data)) as archive:
        for name in archive.namelist():
            if name.startswith("xl/worksheets/") and name.endswith(".xml"):
                if FORMULA_WITHOUT_VALUE.search(archive.read(name)):
                    return True
    return False


def _sheet(sheet: Any, formula_sheet: Any) -> Sheet:
    """Return a sheet's text and notes.

    `formula_sheet` is the same sheet with formulas instead of values. It is None if all
    values are saved, so that no formula has to be shown.
    """
    texts: dict[Place, str] = {}
    rounded_cells: list[str] = []
    for place, cell in _cells_with_values(sheet):
        texts[place] = cell_text(cell.value, cell.number_format)
        if is_rounded(cell.value, cell.number_format):
            rounded_cells.append(cell.coordinate)
    formula_cells: list[str] = []
    if formula_sheet is not None:
        for place, cell in _cells_with_values(formula_sheet):
            formula = _formula_of(cell.value)
            if formula and place not in texts:  # Its value was not saved.
                texts[place] = formula
                formula_cells.append(cell.coordinate)
    rows = _rows_of(texts)
    merged_areas = _fill_merged_areas(rows, sheet)

    notes = []
    if sheet.sheet_state != "visible":
        notes.append("the sheet is hidden")
    if merged_areas:
        notes.append(
            f"merged cells, whose text stands in each of them: {_shortened(merged_areas)}"
        )
    if formula_cells:
        cells = _shortened(formula_cells)
        notes.append(
            f"formulas that the file has no values of, shown as formulas: {cells}"
        )
    if rounded_cells:
        cells = _shortened(rounded_cells)
        notes.append(f"computed numbers, rounded as the cells show them: {cells}")
    return Sheet(sheet.title, csv_text(rows), tuple(notes))


def _cells_with_values(sheet: Any) -> list[tuple[Place, Any]]:
    """Return the cells that have a value, with their places, row by row.

    Formatted cells without a value may be far below or right of the others. openpyxl's
    `iter_rows` would create all cells up to them, which can be millions.
    """
    # `_cells` has only the cells that the file has, by place. There is no public way to it.
    cells = [item for item in sheet._cells.items() if item[1].value is not None]
    return sorted(cells, key=itemgetter(0))


def _formula_of(value: Any) -> str:
    """Return a formula as its author wrote it; empty for any other value."""
    if isinstance(value, ArrayFormula):
        value = value.text
    if isinstance(value, DataTableFormula):
        return "=TABLE()"
    if isinstance(value, str) and value.startswith("="):
        return value
    return ""


def _rows_of(texts: dict[Place, str]) -> list[list[str]]:
    """Return rows with these texts, without empty rows at the end and columns at the right."""
    shown = {place: text for place, text in texts.items() if text}
    height = max((row for row, _ in shown), default=0)
    width = max((column for _, column in shown), default=0)
    rows = [[""] * width for _ in range(height)]
    for (row, column), text in shown.items():
        rows[row - 1][column - 1] = text
    return rows


def _fill_merged_areas(rows: list[list[str]], sheet: Any) -> list[str]:
    """Copy the text of each merged area to all its cells. Return the areas: `["A4:A5"]`.

    An area in one row over the full width is a title, so its text is not repeated. After
    `MAX_MERGED_CELLS` cells, further areas are neither filled nor returned.
    """
    places = []
    width = len(rows[0]) if rows else 0
    remaining_cells = MAX_MERGED_CELLS
    for area in sorted(
        sheet.merged_cells.ranges, key=lambda area: (area.min_row, area.min_col)
    ):
        if area.min_row > len(rows) or area.min_col > width:
            continue  # It is below or right of all texts.
        text = rows[area.min_row - 1][area.min_col - 1]
        if not text:
            continue
        is_title = (
            area.min_row == area.max_row and area.min_col == 1 and area.max_col >= width
        )
        if is_title:
            places.append(str(area.coord))
            continue
        last_row = min(area.max_row, len(rows))
        last_column = min(area.max_col, width)
        height = last_row - area.min_row + 1
        remaining_cells -= height * (last_column - area.min_col + 1)
        if remaining_cells < 0:
            break
        places.append(str(area.coord))
        for row in rows[area.min_row - 1 : last_row]:
            for column in range(area.min_col - 1, last_column):
                row[column] = text
    return places


def _shortened(places: list[str]) -> str:
    """Return the first places and the number of the others: `A1, B2 and 3 more`."""
    text = ", ".join(places[:SHOWN_CELLS])
    if len(places) > SHOWN_CELLS:
        text += f" and {len(places) - SHOWN_CELLS:,} more"
    return text
