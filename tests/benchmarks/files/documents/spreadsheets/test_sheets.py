"""Sheets with formulas, empty cells, or a state such as hidden: they become CSV, and notes.

Each test fills a workbook with openpyxl, and converts it. A sheet becomes `text`, its cells as CSV,
and `notes` on what CSV cannot show.
"""

import pytest

pytest.importorskip("openpyxl")

from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont
from openpyxl.comments import Comment
from openpyxl.styles import Font

from tests.benchmarks.files.documents.spreadsheets.converted_workbooks import (
    converted_sheets,
    new_workbook,
)


def test_formula_without_a_saved_value_is_written_as_a_formula() -> None:
    """Excel saves the value of each formula. Libraries such as openpyxl do not."""
    workbook, sheet = new_workbook()
    sheet.append([2, "=A1*2"])

    (converted,) = converted_sheets(workbook)

    assert converted.text == "2,=A1*2\n"
    assert converted.notes == (
        "formulas that the file has no values of, shown as formulas: B1",
    )


def test_empty_cells_at_the_edge_are_left_out() -> None:
    """Spreadsheets save formatted cells without a value."""
    workbook, sheet = new_workbook()
    sheet["A1"] = "x"
    sheet["D9"].number_format = "0.00"  # Formatted, but without a value.

    (converted,) = converted_sheets(workbook)

    assert converted.text == "x\n"
    assert converted.notes == ()


def test_hidden_rows_and_columns_are_noted() -> None:
    """A filter hides rows, which a sum over the column counts."""
    workbook, sheet = new_workbook()
    for number in range(3):
        sheet.append([number, "x"])
    sheet.row_dimensions[2].hidden = True
    sheet.column_dimensions["B"].hidden = True

    (converted,) = converted_sheets(workbook)

    assert converted.text == "0,x\n1,x\n2,x\n"
    assert converted.notes == ("rows and columns that the sheet hides: 2, B",)


def test_hidden_sheet_is_converted_and_noted_as_hidden() -> None:
    """It may have the answer, and it may have been hidden because it is old."""
    workbook, _ = new_workbook()
    workbook.create_sheet("Secret").sheet_state = "hidden"

    _, hidden_sheet = converted_sheets(workbook)

    assert hidden_sheet.text == ""
    assert hidden_sheet.notes == ("the sheet is hidden",)


def test_formatted_cell_in_the_last_row_and_column_does_not_fill_the_memory() -> None:
    """Every cell up to XFD1048576, the last one possible, would be 17 billion cells."""
    workbook, sheet = new_workbook()
    sheet["A1"] = "x"
    sheet["XFD1048576"].number_format = "0.00"

    (converted,) = converted_sheets(workbook)

    assert converted.text == "x\n"


@pytest.mark.parametrize("place", ["XFD1048576", "A1048576", "XFD100"])
def test_cell_far_away_is_left_out_and_named(place: str) -> None:
    """The other sheets, and the table of its own one, are there as if it were not."""
    workbook, sheet = new_workbook()
    for number in range(100):
        sheet.append(["bolt", number])
    sheet[place] = "x"
    workbook.create_sheet("Other").append(["y"])

    converted, other = converted_sheets(workbook)

    assert converted.text == "".join(f"bolt,{number}\n" for number in range(100))
    assert converted.notes == (f"cells far away from all others, left out: {place}",)
    assert other.text == "y\n"


def test_blank_far_away_is_left_out() -> None:
    workbook, sheet = new_workbook()
    sheet["A1"] = "x"
    sheet["XFD1048576"] = " "

    (converted,) = converted_sheets(workbook)

    assert (converted.text, converted.notes) == ("x\n", ())


def test_all_cells_of_a_thinly_filled_table_are_kept() -> None:
    """Forms with many columns have empty cells; only strays are left out."""
    workbook, sheet = new_workbook()
    for row in range(1, 3_001):
        sheet.cell(row, 1).value = row
        sheet.cell(row, 2 + row % 500).value = row

    (converted,) = converted_sheets(workbook)

    assert converted.text.count("\n") == 3_000
    assert converted.notes == ()


def test_raised_digits_are_kept_apart_from_the_number_before_them() -> None:
    """`10` with a raised `3` is not 103, and the mark of a footnote is no digit."""
    workbook, sheet = new_workbook()
    raised = InlineFont(vertAlign="superscript")
    lowered = InlineFont(vertAlign="subscript")
    sheet["A1"] = CellRichText(
        "10", TextBlock(raised, "3"), " m", TextBlock(raised, "2")
    )
    sheet["A2"] = CellRichText("CO", TextBlock(lowered, "2"), "5")
    sheet["A3"] = CellRichText("1001", TextBlock(lowered, "2"))

    (converted,) = converted_sheets(workbook)

    assert converted.text == "10^3 m2\nCO2 5\n1001_2\n"


def test_comments_on_cells_are_noted() -> None:
    """The unit of a column may be told in a comment only."""
    workbook, sheet = new_workbook()
    sheet.append(["price", 5])
    sheet["B1"].comment = Comment("in thousands\nof euros", "Ada")

    (converted,) = converted_sheets(workbook)

    assert converted.notes == ("comments on cells: B1: in thousands of euros",)


def test_cells_that_are_struck_out_are_noted() -> None:
    workbook, sheet = new_workbook()
    sheet.append(["pens", 5])
    sheet.append(["ink", 6])
    sheet["B2"].font = Font(strike=True)

    (converted,) = converted_sheets(workbook)

    assert converted.notes == ("cells that are struck out: B2",)
