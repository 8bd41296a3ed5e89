"""Documents, such as PDFs and workbooks, become texts that a question can be about.

A document becomes a folder with a file for each part: `/report.pdf` becomes `/report.pdf/page-1` and
`/report.pdf/page-2`. The folder has a workbook, a letter, a web page and a report of two pages, and
two documents without a text: a scan and a broken file.
"""

from pathlib import Path

from controlplane.benchmarks.files.files_environment import files_with_words
from tests.benchmarks.files.documents.converted_sources import converted_sources


def test_documents_become_texts_by_page_and_sheet(folder_of_documents: Path) -> None:
    """A letter has no pages that a program could tell, so that it is one text."""
    sources = converted_sources(folder_of_documents)

    texts = {path: text.strip() for path, text in sources.items()}
    assert texts == {
        "/book.xlsx/sheet-Loans.csv": "loan,until\nloan-07,2026-09-01",
        "/book.xlsx/sheet-Old.csv": "",
        "/letter.docx": "loan-08 may be kept.",
        "/page.html": "# Loans\n\nloan-10",
        "/report.pdf/page-1": "First page.",
        "/report.pdf/page-2": "loan-09 may be kept.",
    }
    assert dict(sources.left_out) == {
        "cannot be converted": ["/bad.docx"],
        "no text: its pages are images": ["/scan.pdf"],
    }
    assert files_with_words(sources, ["loan-09"]) == ["/report.pdf/page-2"]
