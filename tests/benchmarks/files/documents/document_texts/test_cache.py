"""The texts of documents are kept in a cache, because conversion is slow.

The cache is a folder with a file for each document: of a report of two pages, it has both texts.
"""

import os
from pathlib import Path

import pytest

from controlplane.benchmarks.files.files_benchmark import add_documents, find_sources
from controlplane.benchmarks.files.files_environment import files_with_words
from controlplane.benchmarks.files.sources.file_sources import SourceLimits
from tests.benchmarks.files.documents.converted_sources import converted_sources
from tests.benchmarks.files.office_files import write_letter, write_workbook
from tests.benchmarks.files.pdf_files import HELVETICA, pdf_of_objects, pdf_of_pages


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


# Documents, such as PDFs and workbooks, become texts that a question can be about.
#
# A document becomes a folder with a file for each part: `/report.pdf` becomes `/report.pdf/page-1` and
# `/report.pdf/page-2`. The folder has a workbook, a letter, a web page and a report of two pages, and
# two documents without a text: a scan and a broken file.


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
        "cannot be converted: BadZipFile: File is not a zip file": ["/bad.docx"],
        "no text: its pages are images": ["/scan.pdf"],
    }
    assert files_with_words(sources, ["loan-09"]) == ["/report.pdf/page-2"]


# Pages of a PDF that are drawn as one figure have their text, too.
#
# Some programs put all of a page into a figure, an object that the page only draws. `pdf_of_objects`
# makes a PDF file of the objects that a page needs; `3 0 R` refers to the third.


def test_pdf_page_that_is_drawn_as_one_figure_has_its_text(tmp_path: Path) -> None:
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


# A document whose text is longer than the sources of a question may be is left out, with the reason.


def test_document_with_a_text_beyond_the_limit_is_left_out(tmp_path: Path) -> None:
    write_workbook(tmp_path / "book.xlsx")
    sources = find_sources(tmp_path)
    sources.limits = SourceLimits(total_mb=0.0)

    add_documents(sources, (".xlsx",))

    assert sources.left_out["beyond 0 MB as text, --set total_mb"] == ["/book.xlsx"]
    assert "/book.xlsx" not in sources


def test_texts_of_documents_are_cached(
    folder_of_documents: Path, cache_folder: Path
) -> None:
    """The cache has a file for each of six documents, which are not converted again."""
    converted = converted_sources(folder_of_documents)
    cached_files = list((cache_folder / "controlplane/documents").iterdir())
    assert len(cached_files) == 6

    sources_from_cache = converted_sources(folder_of_documents)

    assert dict(sources_from_cache) == dict(converted)
    assert dict(sources_from_cache.left_out) == dict(converted.left_out)
    found_paths = files_with_words(sources_from_cache, ["loan-09"])
    assert found_paths == ["/report.pdf/page-2"]


def test_pipe_in_the_cache_is_not_read(tmp_path: Path, cache_folder: Path) -> None:
    """Somebody has put a pipe in place of a cached file. Reading it would wait without end.

    Instead, the workbook is converted again.
    """
    write_workbook(tmp_path / "book.xlsx")
    texts_of_workbook = dict(converted_sources(tmp_path))
    (cached_file,) = (cache_folder / "controlplane/documents").iterdir()
    cached_file.unlink()
    os.mkfifo(cached_file)

    assert dict(converted_sources(tmp_path)) == texts_of_workbook
