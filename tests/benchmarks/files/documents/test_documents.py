"""Documents, such as PDFs and workbooks, as texts that a question can be about.

A document becomes a folder with a file for each part: `/report.pdf` becomes
`/report.pdf/page-1` and `/report.pdf/page-2`, and `/book.xlsx` becomes
`/book.xlsx/sheet-Loans.csv`. The texts are kept in a cache, because conversion is slow.
"""

import os
from pathlib import Path

import pytest

from controlplane.benchmarks.files.documents.documents import add_documents
from controlplane.benchmarks.files.sources.file_sources import SourceFiles, SourceLimits
from controlplane.benchmarks.files.sources.file_suffixes import DOCUMENT_SUFFIXES
from controlplane.benchmarks.files.sources.folder_scan import find_sources
from controlplane.benchmarks.files.sources.source_search import files_with_words
from tests.benchmarks.files.office_files import write_letter, write_workbook
from tests.benchmarks.files.pdf_files import HELVETICA, pdf_of_objects, pdf_of_pages


def converted_sources(folder: Path) -> SourceFiles:
    """Return the sources of a folder, with its documents as texts."""
    sources = find_sources(folder)
    add_documents(sources, DOCUMENT_SUFFIXES)
    return sources


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


def check_texts_of_documents(sources: SourceFiles) -> None:
    """Check the texts of the documents of `folder_of_documents`, and what was left out."""
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


class TestConversion:
    """Documents become texts, by page and sheet if they have any.

    The folder has a workbook, a letter, a web page and a report of two pages, and two documents
    without a text: a scan and a broken file.
    """

    def test_documents_become_texts_by_page_and_sheet(
        self, folder_of_documents: Path
    ) -> None:
        """A letter has no pages that a program could tell, so that it is one text."""
        check_texts_of_documents(converted_sources(folder_of_documents))

    def test_texts_of_documents_are_cached(
        self, folder_of_documents: Path, cache_folder: Path
    ) -> None:
        """The cache has a file for each of six documents, which are not converted again."""
        converted_sources(folder_of_documents)
        cached_files = list((cache_folder / "controlplane/documents").iterdir())
        assert len(cached_files) == 6

        sources_from_cache = converted_sources(folder_of_documents)

        check_texts_of_documents(sources_from_cache)

    def test_pipe_in_the_cache_is_not_read(
        self, folder_of_documents: Path, cache_folder: Path
    ) -> None:
        """Somebody has put pipes in place of the cached files, which nobody writes to.

        Reading a pipe would wait without end. Instead, the workbook is converted again. It has a
        text then, which is beyond the limit.
        """
        converted_sources(folder_of_documents)
        for path in (cache_folder / "controlplane/documents").iterdir():
            path.unlink()
            os.mkfifo(path)
        sources = find_sources(folder_of_documents)
        no_text_is_allowed = SourceLimits(total_mb=0.0)
        sources.limits = no_text_is_allowed

        add_documents(sources, (".xlsx",))

        assert sources.left_out["beyond 0 MB as text, --set total_mb"] == ["/book.xlsx"]


class TestFigures:
    """Some programs put all of a PDF page into a figure, an object that the page only draws.

    `pdf_of_objects` makes a PDF file of the objects that a page needs; `3 0 R` refers to the third.
    """

    def test_pdf_page_that_is_drawn_as_one_figure_has_its_text(
        self, tmp_path: Path
    ) -> None:
        """Some programs put all of a page into a figure, an object that the page only draws."""
        figure_content = "BT /F1 12 Tf 72 700 Td (Pay 14.439,30 by June.) Tj ET"
        catalogue = "<< /Type /Catalog /Pages 2 0 R >>"
        list_of_pages = "<< /Type /Pages /Kids [4 0 R] /Count 1 >>"
        page = (
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] "
            "/Resources << /XObject << /X 5 0 R >> /Font << /F1 3 0 R >> >> "
            "/Contents 6 0 R >>"
        )
        figure = (
            "<< /Type /XObject /Subtype /Form /BBox [0 0 612 792] "
            "/Resources << /Font << /F1 3 0 R >> >> "
            f"/Length {len(figure_content)} >>\nstream\n{figure_content}\nendstream"
        )
        page_content = "<< /Length 5 >>\nstream\n/X Do\nendstream"
        pdf = pdf_of_objects(
            [catalogue, list_of_pages, HELVETICA, page, figure, page_content]
        )
        (tmp_path / "bill.pdf").write_bytes(pdf)

        sources = converted_sources(tmp_path)

        assert dict(sources) == {"/bill.pdf/page-1": "Pay 14.439,30 by June."}
        assert dict(sources.left_out) == {}
