"""Merged cells of a spreadsheet: each of them gets their text, and a note says so.

Each test fills a sheet with openpyxl, and converts it. It becomes `text`, its cells as CSV, and
`notes` on what CSV cannot show.
"""

import pytest

pytest.importorskip("openpyxl")

from controlplane.benchmarks.files.documents import spreadsheets as merged_cells
from tests.benchmarks.files.documents.spreadsheets.converted_workbooks import (
    converted_sheets,
    new_workbook,
)


def test_merged_cells_repeat_their_text_except_for_a_title() -> None:
    """A title over all columns is written once: repeated, it would look like a row."""
    workbook, sheet = new_workbook()
    sheet.append(["Sales", None, None])
    sheet.append(["Region", "2024", None])
    sheet.append([None, "Q1", "Q2"])
    sheet.append(["North", 1, 2])
    sheet.append([None, 3, 4])
    sheet.merge_cells("A1:C1")  # Sales
    sheet.merge_cells("B2:C2")  # 2024
    sheet.merge_cells("A4:A5")  # North

    (converted,) = converted_sheets(workbook)

    assert converted.text == "Sales,,\nRegion,2024,2024\n,Q1,Q2\nNorth,1,2\nNorth,3,4\n"
    assert converted.notes == (
        "merged cells, whose text stands in each of them: A1:C1, B2:C2, A4:A5",
    )


def test_title_beside_empty_columns_is_written_once() -> None:
    workbook, sheet = new_workbook()
    sheet.append(["Sales", None, None, None])
    sheet.append(["Region", "Q1", "Q2", "Note"])
    sheet.append(["North", 1, 2, "new"])
    sheet.merge_cells("A1:C1")

    (converted,) = converted_sheets(workbook)

    assert converted.text == "Sales,,,\nRegion,Q1,Q2,Note\nNorth,1,2,new\n"


def test_merged_area_beyond_the_limit_is_neither_filled_nor_noted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Two areas of two cells are merged, and the limit of three allows only the first."""
    monkeypatch.setattr(merged_cells, "MAX_MERGED_CELLS", 3)
    workbook, sheet = new_workbook()
    sheet.append(["North", 1])
    sheet.append([None, 2])
    sheet.append(["South", 3])
    sheet.append([None, 4])
    sheet.merge_cells("A1:A2")
    sheet.merge_cells("A3:A4")

    (converted,) = converted_sheets(workbook)

    assert converted.text == "North,1\nNorth,2\nSouth,3\n,4\n"
    assert converted.notes == (
        "merged cells, whose text stands in each of them: A1:A2",
    )
