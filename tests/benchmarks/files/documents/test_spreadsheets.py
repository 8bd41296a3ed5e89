"""Workbooks: each cell as its number format shows it, and notes of what CSV cannot show."""

from datetime import date, datetime, time, timedelta
from io import BytesIO
from typing import Any

import pytest

pytest.importorskip("openpyxl")

from openpyxl import Workbook

from controlplane.benchmarks.files.documents import spreadsheets
from controlplane.benchmarks.files.documents.cell_formats import cell_text
from controlplane.benchmarks.files.documents.spreadsheets import Sheet, sheets_of


@pytest.mark.parametrize(
    ("value", "number_format", "shown"),
    [
        (501, "00000", "00501"),
        (7, '000"-"000', "000-007"),
        (123456, "00-00-00", "12-34-56"),
        (0.25, "0%", "25%"),
        (-0.25, "0.0%", "-25.0%"),
        (1234.5, '#,##0.00 "EUR"', "1,234.50 EUR"),
        (1234567, "#,##0", "1,234,567"),
        (0, "#,###", "0"),
        (501, "00,000", "00,501"),
        (1234, "00,000", "01,234"),
        (-5, "#,##0.00 [$€-407]", "-5.00 €"),
        (12345.678, "$#,##0.00", "$12,345.678"),
        (-1234.5, '_-* #,##0.00 "€"_-;-* #,##0.00 "€"_-', "-1,234.50 €"),
        (-5, "0.00_);(0.00)", "(5.00)"),
        (-5, "0.00;[Red]0.00", "-5.00"),
        (0, '_-* #,##0.00_-;-* #,##0.00_-;_-* "-"??_-', "0"),
        (1_500_000, '0.0,,"M"', "1.5M"),
        (5, ";;;", "5"),
        (0.5, "# ?/?", "0.5"),
        (0.1 + 0.2, "General", "0.3"),
        (491701234567, "General", "491701234567"),
        (True, "General", "TRUE"),
        (float("inf"), "0.00", "inf"),
        ("0049", "@", "0049"),
    ],
)
def test_a_number_is_shown_in_its_format(
    value: Any, number_format: str, shown: str
) -> None:
    assert cell_text(value, number_format) == shown


def test_a_computed_number_is_rounded_and_a_typed_one_keeps_its_digits() -> None:
    assert cell_text(1 / 3, "0%") == "33%"
    assert cell_text(0.2537, "0%") == "25.37%"


@pytest.mark.parametrize(
    ("value", "number_format", "shown"),
    [
        (datetime(2026, 1, 5), "yyyy-mm-dd", "2026-01-05"),
        (date(2026, 1, 5), "dd.mm.yyyy", "2026-01-05"),
        (datetime(2026, 1, 5), "dd.mm.yyyy hh:mm", "2026-01-05 00:00"),
        (datetime(2026, 2, 9, 14, 30), "dd.mm.yyyy", "2026-02-09 14:30"),
        (datetime(2026, 2, 9, 14, 29, 59, 999_999), "m/d/yy h:mm", "2026-02-09 14:30"),
        (time(7, 30), "h:mm", "07:30"),
        (time(7, 30), "h:mm:ss", "07:30:00"),
        (timedelta(hours=26, minutes=5), "[h]:mm", "26:05"),
        (timedelta(hours=26, minutes=5), "[hh]:mm:ss", "26:05:00"),
        (timedelta(hours=-1), "[h]:mm", "-01:00"),
        (datetime(1900, 1, 1, 2, 5), "h:mm", "26:05"),
    ],
)
def test_times_have_the_parts_that_their_format_shows(
    value: Any, number_format: str, shown: str
) -> None:
    assert cell_text(value, number_format) == shown


def only_sheet(workbook: Workbook) -> Sheet:
    file = BytesIO()
    workbook.save(file)
    (sheet,) = sheets_of(file.getvalue())
    return sheet


def test_a_merged_area_has_its_text_in_each_cell_and_a_title_only_once() -> None:
    workbook = Workbook()
    sheet = workbook.active

    assert sheet is not None
    for row in (
        ["Sales", None, None],
        ["Region", "2024", None],
        [None, "Q1", "Q2"],
        ["North", 1, 2],
        [None, 3, 4],
    ):
        sheet.append(row)
    for area in ("A1:C1", "B2:C2", "A4:A5"):
        sheet.merge_cells(area)
    found = only_sheet(workbook)
    assert found.text == "Sales,,\nRegion,2024,2024\n,Q1,Q2\nNorth,1,2\nNorth,3,4\n"
    assert found.notes == (
        "merged cells, whose text stands in each of them: A1:C1, B2:C2, A4:A5",
    )


def test_a_formula_without_a_saved_value_is_shown_and_told() -> None:
    workbook = Workbook()
    sheet = workbook.active

    assert sheet is not None
    sheet.append([2, "=A1*2"])
    found = only_sheet(workbook)
    assert found.text == "2,=A1*2\n"
    assert found.notes == (
        "formulas that the file has no values of, shown as formulas: B1",
    )


def test_empty_rows_and_columns_at_the_edge_are_left_out_and_a_hidden_sheet_is_told() -> (
    None
):
    workbook = Workbook()
    sheet = workbook.active

    assert sheet is not None
    sheet["A1"] = "x"
    sheet["D9"].number_format = "0.00"
    workbook.create_sheet("Secret").sheet_state = "hidden"
    file = BytesIO()
    workbook.save(file)
    shown, hidden = sheets_of(file.getvalue())
    assert (shown.text, shown.notes) == ("x\n", ())
    assert (hidden.text, hidden.notes) == ("", ("the sheet is hidden",))


def test_a_formatted_cell_in_the_last_row_and_column_costs_nothing() -> None:
    workbook = Workbook()
    sheet = workbook.active

    assert sheet is not None
    sheet["A1"] = "x"
    # Every cell up to this one would be 17 thousand million cells.
    sheet["XFD1048576"].number_format = "0.00"
    assert only_sheet(workbook).text == "x\n"


def test_a_merged_area_that_is_too_large_to_be_filled_is_not_told_as_filled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(spreadsheets, "MAX_MERGED_CELLS", 3)
    workbook = Workbook()
    sheet = workbook.active
    assert sheet is not None
    for row in (["North", 1], [None, 2], ["South", 3], [None, 4]):
        sheet.append(row)
    sheet.merge_cells("A1:A2")
    sheet.merge_cells("A3:A4")
    found = only_sheet(workbook)
    assert found.text == "North,1\nNorth,2\nSouth,3\n,4\n"
    assert found.notes == ("merged cells, whose text stands in each of them: A1:A2",)
