"""Sheets of workbooks are queried as tables, with what their text cannot show."""

from pathlib import Path

import pytest

pytest.importorskip("duckdb")
pytest.importorskip("openpyxl")

import openpyxl

from controlplane.sandbox import ForkServer
from tests.benchmarks.files.documents.converted_sources import converted_sources
from tests.benchmarks.files.opened_files import environment_with_worker


def test_query_of_a_sheet_tells_which_rows_it_hides(
    fork_server: ForkServer, tmp_path: Path
) -> None:
    """A sum counts the hidden rows, which the reader of the sheet does not see."""
    workbook = openpyxl.Workbook()
    sheet = workbook.active
    for row in (["item", "n"], ["bolt", 3], ["nut", 5]):
        sheet.append(row)
    sheet.row_dimensions[3].hidden = True
    workbook.save(tmp_path / "stock.xlsx")

    sources = converted_sources(tmp_path)
    with environment_with_worker(fork_server, sources) as environment:
        result = environment.call(
            "table", {"path": "/stock.xlsx", "columns": "sum(n) s"}
        )

    assert result["content"] == "s\n8\n"
    note = "/stock.xlsx/sheet-Sheet.csv: rows and columns that the sheet hides: 3"
    for field in ("told", "assumed"):
        lines = result[field]
        assert isinstance(lines, list)
        assert lines[0] == note
