"""Converts workbooks to text: each sheet as CSV, with notes about what CSV cannot show.

A cell becomes the text that a spreadsheet shows: `1,234.50 EUR`. That the cells A1 to C1 are
merged, or that the sheet is hidden, becomes a note, because an answer may depend on it.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from io import BytesIO, StringIO
from operator import itemgetter
from typing import Any, Final, NamedTuple, TypeAlias

from openpyxl import load_workbook

from controlplane.benchmarks.files.documents.cells.cell_text import (
    cell_text,
    is_rounded,
)
from controlplane.benchmarks.files.documents.merged_cells import fill_merged_areas
from controlplane.benchmarks.files.documents.saved_values import (
    formula_of,
    lacks_values,
)

SHOWN_CELLS: Final = 8
"""The most cells or areas that a note names. The others are only counted."""
Place: TypeAlias = tuple[int, int]
"""The row and column of a cell, from 1: `(4, 1)` for `A4`."""


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
    if lacks_values(data):
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


class _CellTexts(NamedTuple):
    """The texts of a sheet's cells, and the names of cells whose text is not their value."""

    by_place: dict[Place, str]
    rounded_cells: list[str]
    """Cells with fewer digits than their number: `["B2"]`."""
    formula_cells: list[str]
    """Cells with a formula in place of a value that was not saved: `["C2"]`."""


def _sheet(sheet: Any, formula_sheet: Any) -> Sheet:
    """Return a sheet's text as CSV, and notes on what the text cannot show.

    `formula_sheet` is the same sheet with formulas instead of values. It is None if all
    values are saved, so that no formula has to be shown.
    """
    texts = _texts_of(sheet, formula_sheet)
    rows = _rows_of(texts.by_place)
    merged_areas = fill_merged_areas(rows, sheet)

    notes = []
    if sheet.sheet_state != "visible":
        notes.append("the sheet is hidden")
    if merged_areas:
        areas = _shortened(merged_areas)
        notes.append(f"merged cells, whose text stands in each of them: {areas}")
    if texts.formula_cells:
        cells = _shortened(texts.formula_cells)
        notes.append(
            f"formulas that the file has no values of, shown as formulas: {cells}"
        )
    if texts.rounded_cells:
        cells = _shortened(texts.rounded_cells)
        notes.append(f"computed numbers, rounded as the cells show them: {cells}")
    return Sheet(sheet.title, csv_text(rows), tuple(notes))


def _texts_of(sheet: Any, formula_sheet: Any) -> _CellTexts:
    """Return the text of each cell: its value as the sheet shows it, or its formula."""
    texts: dict[Place, str] = {}
    rounded_cells: list[str] = []
    for place, cell in _cells_with_values(sheet):
        texts[place] = cell_text(cell.value, cell.number_format)
        if is_rounded(cell.value, cell.number_format):
            rounded_cells.append(cell.coordinate)
    formula_cells: list[str] = []
    if formula_sheet is not None:
        for place, cell in _cells_with_values(formula_sheet):
            formula = formula_of(cell.value)
            if formula and place not in texts:  # Its value was not saved.
                texts[place] = formula
                formula_cells.append(cell.coordinate)
    return _CellTexts(texts, rounded_cells, formula_cells)


def _cells_with_values(sheet: Any) -> list[tuple[Place, Any]]:
    """Return the cells that have a value, with their places, row by row.

    Formatted cells without a value may be far below or right of the others. openpyxl's
    `iter_rows` would create all cells up to them, which can be millions.
    """
    # `_cells` has only the cells that the file has, by place. There is no public way to it.
    cells = [item for item in sheet._cells.items() if item[1].value is not None]
    return sorted(cells, key=itemgetter(0))


def _rows_of(texts: dict[Place, str]) -> list[list[str]]:
    """Return rows with these texts, without empty rows at the end and columns at the right.

    `{(1, 1): "City", (2, 2): "5"}` -> `[["City", ""], ["", "5"]]`
    """
    shown = {place: text for place, text in texts.items() if text}
    height = max((row for row, _ in shown), default=0)
    width = max((column for _, column in shown), default=0)
    rows = [[""] * width for _ in range(height)]
    for (row, column), text in shown.items():
        rows[row - 1][column - 1] = text
    return rows


def _shortened(places: list[str]) -> str:
    """Return the first places and the number of the others: `A1, B2 and 3 more`."""
    text = ", ".join(places[:SHOWN_CELLS])
    if len(places) > SHOWN_CELLS:
        text += f" and {len(places) - SHOWN_CELLS:,} more"
    return text
