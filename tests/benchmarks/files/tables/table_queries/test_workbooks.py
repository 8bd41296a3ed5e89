"""Tables of a workbook, which is converted to a folder with a CSV file for each sheet.

`call_table(texts, path="/one.xlsx")` writes such files, and makes the call of a script for a table.
"""

import pytest

from controlplane.sandbox.interface import CallError
from tests.benchmarks.files.tables.table_queries.table_calls import TableCalls


def test_path_of_a_workbook_means_its_only_sheet(call_table: TableCalls) -> None:
    sheet = {"one.xlsx/sheet-A.csv": "a\n1\n"}

    result = call_table(sheet, path="/one.xlsx")

    assert result["path"] == "/one.xlsx/sheet-A.csv"
    assert result["content"] == "a\n1\n"


def test_path_of_a_workbook_with_two_sheets_is_refused_with_their_names(
    call_table: TableCalls,
) -> None:
    """The error says which paths the call may name instead."""
    sheets = {"two.xlsx/sheet-A.csv": "a\n1\n", "two.xlsx/sheet-B.csv": "a\n1\n"}
    names_both = r"name /two\.xlsx/sheet-A\.csv or /two\.xlsx/sheet-B\.csv"

    with pytest.raises(CallError, match=names_both):
        call_table(sheets, path="/two.xlsx")
