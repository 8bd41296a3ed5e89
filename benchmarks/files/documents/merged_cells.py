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
    width = len(rows[0]) if rows else 0
    remaining_cells = MAX_MERGED_CELLS
    areas_of_sheet = sorted(
        sheet.merged_cells.ranges, key=lambda area: (area.min_row, area.min_col)
    )
    for area in areas_of_sheet:
        # The rows and columns of an area count from 1.
        if area.min_row > len(rows) or area.min_col > width:
            continue  # It is below or right of all texts.
        text = rows[area.min_row - 1][area.min_col - 1]
        if not text:
            continue
        is_one_row = area.min_row == area.max_row
        if is_one_row and area.min_col == 1 and area.max_col >= width:
            areas.append(str(area.coord))
            continue  # It is a title.
        last_row = min(area.max_row, len(rows))
        last_column = min(area.max_col, width)
        height = last_row - area.min_row + 1
        remaining_cells -= height * (last_column - area.min_col + 1)
        if remaining_cells < 0:
            break
        areas.append(str(area.coord))
        for row in rows[area.min_row - 1 : last_row]:
            for column in range(area.min_col - 1, last_column):
                row[column] = text
    return areas
