"""A folder of documents of several kinds."""

from pathlib import Path

import pytest

from tests.benchmarks.files.office_files import write_letter, write_workbook
from tests.benchmarks.files.pdf_files import pdf_of_pages


@pytest.fixture
def folder_of_documents(tmp_path: Path) -> Path:
    """A folder with six documents; two of them, a scan and a broken file, have no text."""
    write_workbook(tmp_path / "book.xlsx")
    write_letter(tmp_path / "letter.docx")
    report = pdf_of_pages(["First page.", "loan-09 may be kept."])
    (tmp_path / "report.pdf").write_bytes(report)
    (tmp_path / "scan.pdf").write_bytes(pdf_of_pages(["", ""]))
    web_page = "<h1>Loans</h1><p>loan-10</p><script>x()</script>"
    (tmp_path / "page.html").write_text(web_page)
    (tmp_path / "bad.docx").write_bytes(b"PK nonsense")
    return tmp_path
