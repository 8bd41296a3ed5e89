"""Converting the sheets of a workbook to CSV.

A cell is written as the spreadsheet shows it: the number 1234.5 in the format
`#,##0.00 "EUR"` becomes `1,234.50 EUR`. What CSV cannot show, such as merged cells, is
said in notes beside it.
"""

from datetime import date, datetime, time, timedelta
from io import BytesIO
from typing import Any

import pytest

pytest.importorskip("openpyxl")

from openpyxl import Workbook
from openpyxl.worksheet.worksheet import Worksheet

from controlplane.benchmarks.files.documents import merged_cells
from controlplane.benchmarks.files.documents.cells.cell_text import cell_text
from controlplane.benchmarks.files.documents.spreadsheets import Sheet, sheets_of


class TestNumbers:
    """A number is written in the format of its cell, as its reader sees it: article 00501, not 501.

    `cell_text(501, "00000")` is the text of a cell with this number and format.
    """

    @pytest.mark.parametrize(
        ("value", "number_format", "expected_text"),
        [
            pytest.param(501, "00000", "00501", id="leading zeros"),
            pytest.param(7, '000"-"000', "000-007", id="quoted hyphen"),
            pytest.param(123456, "00-00-00", "12-34-56", id="hyphens"),
            pytest.param(0.25, "0%", "25%", id="percent"),
            pytest.param(-0.25, "0.0%", "-25.0%", id="negative percent"),
            pytest.param(
                1234.5, '#,##0.00 "EUR"', "1,234.50 EUR", id="currency in words"
            ),
            pytest.param(1234567, "#,##0", "1,234,567", id="thousands"),
            pytest.param(0, "#,###", "0", id="zero that the format would hide"),
            pytest.param(501, "00,000", "00,501", id="leading zeros and thousands"),
            pytest.param(1234, "00,000", "01,234", id="one leading zero and thousands"),
            pytest.param(
                -5, "#,##0.00 [$€-407]", "-5.00 €", id="currency of a country"
            ),
            pytest.param(
                12345.678, "$#,##0.00", "$12,345.678", id="typed decimals stay"
            ),
            pytest.param(
                -1234.5,
                '_-* #,##0.00 "€"_-;-* #,##0.00 "€"_-',
                "-1,234.50 €",
                id="accounting",
            ),
            pytest.param(-5, "0.00_);(0.00)", "(5.00)", id="negative in parentheses"),
            pytest.param(-5, "0.00;[Red]0.00", "-5.00", id="negative in red"),
            pytest.param(
                0,
                '_-* #,##0.00_-;-* #,##0.00_-;_-* "-"??_-',
                "0",
                id="zero shown as a hyphen",
            ),
            pytest.param(1_500_000, '0.0,,"M"', "1.5M", id="millions"),
            pytest.param(5, ";;;", "5", id="hidden value"),
            pytest.param(0.5, "# ?/?", "0.5", id="fraction"),
            pytest.param(0.1 + 0.2, "General", "0.3", id="noise in the 17th digit"),
            pytest.param(491701234567, "General", "491701234567", id="phone number"),
            pytest.param(True, "General", "TRUE", id="boolean"),
            pytest.param(float("inf"), "0.00", "inf", id="infinite"),
            pytest.param("0049", "@", "0049", id="text"),
        ],
    )
    def test_number_is_written_in_the_format_of_its_cell(
        self, value: Any, number_format: str, expected_text: str
    ) -> None:
        """An answer quotes a cell as its reader sees it: article 00501, and not 501."""
        assert cell_text(value, number_format) == expected_text

    def test_computed_number_is_rounded_as_its_format_says(self) -> None:
        """1/3 has many digits, so nobody has typed it: it is shown as 33%."""
        assert cell_text(1 / 3, "0%") == "33%"

    def test_typed_number_keeps_its_digits(self) -> None:
        """A number with few digits was typed by a person, and is not shown as 25%."""
        assert cell_text(0.2537, "0%") == "25.37%"


class TestDates:
    """Dates are written year first, so that queries can compare them.

    A time that is not midnight is written, too, even if the format hides it.
    """

    @pytest.mark.parametrize(
        ("value", "number_format", "expected_text"),
        [
            pytest.param(datetime(2026, 1, 5), "yyyy-mm-dd", "2026-01-05", id="day"),
            pytest.param(date(2026, 1, 5), "dd.mm.yyyy", "2026-01-05", id="German day"),
            pytest.param(
                datetime(2026, 1, 5),
                "dd.mm.yyyy hh:mm",
                "2026-01-05 00:00",
                id="midnight",
            ),
            pytest.param(
                datetime(2026, 2, 9, 14, 30),
                "dd.mm.yyyy",
                "2026-02-09 14:30",
                id="time that the format hides",
            ),
            pytest.param(
                datetime(2026, 2, 9, 14, 29, 59, 999_999),
                "m/d/yy h:mm",
                "2026-02-09 14:30",
                id="time just below a minute",
            ),
            pytest.param(time(7, 30), "h:mm", "07:30", id="time"),
            pytest.param(time(7, 30), "h:mm:ss", "07:30:00", id="time with seconds"),
            pytest.param(
                timedelta(hours=26, minutes=5), "[h]:mm", "26:05", id="duration"
            ),
            pytest.param(
                timedelta(hours=26, minutes=5),
                "[hh]:mm:ss",
                "26:05:00",
                id="duration with seconds",
            ),
            pytest.param(
                timedelta(hours=-1), "[h]:mm", "-01:00", id="negative duration"
            ),
            # Files count days from 1899-12-31 on, so this is a day, 2 hours and 5 minutes.
            pytest.param(
                datetime(1900, 1, 1, 2, 5),
                "h:mm",
                "26:05",
                id="duration that the file stores as a date",
            ),
        ],
    )
    def test_dates_are_written_year_first_and_times_as_their_format_says(
        self, value: Any, number_format: str, expected_text: str
    ) -> None:
        """Queries can compare such dates. A time that is not midnight is written, too."""
        assert cell_text(value, number_format) == expected_text


def new_workbook() -> tuple[Workbook, Worksheet]:
    """Return a workbook and its first sheet, which is empty."""
    workbook = Workbook()
    sheet = workbook.active
    assert isinstance(sheet, Worksheet)
    return workbook, sheet


def converted_sheets(workbook: Workbook) -> list[Sheet]:
    """Save a workbook, and return its sheets as they are shown to scripts.

    A sheet has a `text`, its cells as CSV, and `notes` on what the text does not show.
    """
    file = BytesIO()
    workbook.save(file)
    return list(sheets_of(file.getvalue()))


class TestMergedCells:
    """Merged cells repeat their text in each of them, which a note says.

    A sheet becomes `text`, its cells as CSV, and `notes` on what the text does not show.
    """

    def test_merged_cells_repeat_their_text_except_for_a_title(self) -> None:
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

        assert (
            converted.text
            == "Sales,,\nRegion,2024,2024\n,Q1,Q2\nNorth,1,2\nNorth,3,4\n"
        )
        assert converted.notes == (
            "merged cells, whose text stands in each of them: A1:C1, B2:C2, A4:A5",
        )

    def test_merged_area_beyond_the_limit_is_neither_filled_nor_noted(
        self, monkeypatch: pytest.MonkeyPatch
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


class TestSheets:
    """A sheet becomes a CSV text, and notes on what CSV cannot show.

    Each test fills a workbook with openpyxl, and converts it: a sheet has a `text` and `notes`.
    """

    def test_formula_without_a_saved_value_is_written_as_a_formula(self) -> None:
        """Excel saves the value of each formula. Libraries such as openpyxl do not."""
        workbook, sheet = new_workbook()
        sheet.append([2, "=A1*2"])

        (converted,) = converted_sheets(workbook)

        assert converted.text == "2,=A1*2\n"
        assert converted.notes == (
            "formulas that the file has no values of, shown as formulas: B1",
        )

    def test_empty_cells_at_the_edge_are_left_out(self) -> None:
        """Spreadsheets save formatted cells without a value."""
        workbook, sheet = new_workbook()
        sheet["A1"] = "x"
        sheet["D9"].number_format = "0.00"  # Formatted, but without a value.

        (converted,) = converted_sheets(workbook)

        assert converted.text == "x\n"
        assert converted.notes == ()

    def test_hidden_sheet_is_converted_and_noted_as_hidden(self) -> None:
        """It may have the answer, and it may have been hidden because it is old."""
        workbook, _ = new_workbook()
        workbook.create_sheet("Secret").sheet_state = "hidden"

        _, hidden_sheet = converted_sheets(workbook)

        assert hidden_sheet.text == ""
        assert hidden_sheet.notes == ("the sheet is hidden",)

    def test_formatted_cell_in_the_last_row_and_column_does_not_fill_the_memory(
        self,
    ) -> None:
        """Every cell up to XFD1048576, the last one possible, would be 17 billion cells."""
        workbook, sheet = new_workbook()
        sheet["A1"] = "x"
        sheet["XFD1048576"].number_format = "0.00"

        (converted,) = converted_sheets(workbook)

        assert converted.text == "x\n"
