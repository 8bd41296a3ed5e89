r"""Workbooks that are made with openpyxl, and converted to CSV as the product does.

    workbook, sheet = new_workbook()
    sheet.append([2, "=A1*2"])
    (converted,) = converted_sheets(workbook)
    converted.text     # "2,=A1*2\n"

What CSV cannot show is in the `notes` of a sheet: "the sheet is hidden".
"""

from io import BytesIO

from openpyxl import Workbook
from openpyxl.worksheet.worksheet import Worksheet

from controlplane.benchmarks.files.documents.conversion import DocumentPart
from controlplane.benchmarks.files.documents.spreadsheets import sheets_of


def new_workbook() -> tuple[Workbook, Worksheet]:
    """Return a workbook and its first sheet, which is empty."""
    workbook = Workbook()
    sheet = workbook.active
    assert isinstance(sheet, Worksheet)
    return workbook, sheet


def converted_sheets(workbook: Workbook) -> list[DocumentPart]:
    """Save a workbook, and return its sheets as they are shown to scripts.

    A sheet has a `text`, its cells as CSV, and `notes` on what the text does not show.
    """
    file = BytesIO()
    workbook.save(file)
    return sheets_of(file.getvalue())
