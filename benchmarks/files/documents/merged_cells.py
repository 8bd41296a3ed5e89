"""Fills the merged cells of a spreadsheet, so that each row of its text is complete.

In a workbook, the cells A4 and A5 may be merged and show `North` once. The file has the text
only in A4. In CSV, the row of A5 would have no region, so the text is copied to it.
"""

from __future__ import annotations

from typing import Any, Final

MAX_MERGED_CELLS: Final = 100_000
"""The most cells of a sheet's merged areas that are filled. A file can claim millions."""


def fill_merged_areas(rows: list[list[str]], sheet: Any) -> list[str]:
    """Copy the text of each merged area to all its cells. Return the areas: `["A4:A5"]`.

    `rows` are the texts of the sheet's cells, and are changed. An area in one row over the
    full width is a title, so its text is not repeated. After `MAX_MERGED_CELLS` cells,
    further areas are neither filled nor returned.
    """
    areas = []
    remaining_cells = MAX_MERGED_CELLS
    for area in sorted(sheet.merged_cells.ranges, key=_first_cell):
        text = _text_of(area, rows)
        if not text:
            continue
        if not _is_title(area, rows):
            # The rows and columns of an area count from 1, and may go beyond the texts.
            area_rows = rows[area.min_row - 1 : area.max_row]
            columns = range(area.min_col - 1, min(area.max_col, len(rows[0])))
            remaining_cells -= len(area_rows) * len(columns)
            if remaining_cells < 0:
                break
            for row in area_rows:
                for column in columns:
                    row[column] = text
        areas.append(str(area.coord))
    return areas


def _first_cell(area: Any) -> tuple[int, int]:
    """Return the row and column of an area's first cell."""
    return area.min_row, area.min_col


def _text_of(area: Any, rows: list[list[str]]) -> str:
    """Return the text in an area's first cell. Empty if the area is below or right of all texts."""
    row_number, column_number = _first_cell(area)
    if row_number > len(rows) or column_number > len(rows[0]):
        return ""
    return rows[row_number - 1][column_number - 1]


def _is_title(area: Any, rows: list[list[str]]) -> bool:
    """Return True for an area in one row over the full width."""
    is_one_row = bool(area.min_row == area.max_row)
    return is_one_row and area.min_col == 1 and area.max_col >= len(rows[0])
