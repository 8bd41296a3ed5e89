"""Documents that cannot be read, or only in part, are named with the reason."""

import io
import zipfile
from pathlib import Path

import pytest

pytest.importorskip("openpyxl")

import openpyxl

from controlplane.benchmarks.files.files_environment import FilesEnvironment
from controlplane.benchmarks.files.question_schema import FilesQuestion
from tests.benchmarks.files.documents.converted_sources import converted_sources

OLD_OFFICE = bytes.fromhex("D0CF11E0A1B11AE1") + bytes(600)


def workbook(sheets: int = 1) -> bytes:
    """Return a workbook, in which each sheet has the rows `item,n` and `bolt,3`."""
    book = openpyxl.Workbook()
    for number in range(sheets):
        sheet = book.active if number == 0 else book.create_sheet(f"More{number}")
        sheet.append(["item", "n"])
        sheet.append(["bolt", 3])
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def with_member(document: bytes, name: str, content: bytes) -> bytes:
    """Return a ZIP archive in which one file has another content."""
    file = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(document)) as old,
        zipfile.ZipFile(file, "w") as new,
    ):
        for member in old.namelist():
            new.writestr(member, content if member == name else old.read(member))
    return file.getvalue()


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        pytest.param("a.xlsx", b"", "is empty", id="empty"),
        pytest.param("a.xlsx", b"<table>", "is no .xlsx file", id="HTML"),
        pytest.param("a.xlsx", workbook()[:500], "BadZipFile", id="cut off"),
        pytest.param("a.xlsx", OLD_OFFICE, "Office before 2007", id="old workbook"),
        pytest.param("a.docx", OLD_OFFICE, "save it as .docx", id="old letter"),
        pytest.param("a.docx", workbook(), "ValueError", id="a workbook"),
        pytest.param(
            "a.xlsx",
            OLD_OFFICE + "EncryptedPackage".encode("utf-16-le"),
            "needs a password",
            id="password",
        ),
        pytest.param("a.pdf", b"%PDF-1.4 x", "PDFSyntaxError", id="PDF"),
        pytest.param("a.db", b"hello", "not an SQLite database", id="database"),
    ],
)
def test_reason_is_told(tmp_path: Path, name: str, content: bytes, reason: str) -> None:
    (tmp_path / name).write_bytes(content)
    sources = converted_sources(tmp_path)

    overview = FilesEnvironment(FilesQuestion("What?", sources)).call("sources", {})

    unread = overview["unread"]
    assert isinstance(unread, dict)
    assert reason in unread[f"/{name}"]


def test_sheets_beside_a_damaged_one_are_read(tmp_path: Path) -> None:
    """Of the damaged sheet, the rows before the damage are read, and its note says so."""
    book = workbook(sheets=2)
    with zipfile.ZipFile(io.BytesIO(book)) as archive:
        xml = archive.read("xl/worksheets/sheet1.xml")
    end_of_first_row = xml.index(b"</row>") + len(b"</row>")
    damaged = with_member(book, "xl/worksheets/sheet1.xml", xml[: end_of_first_row + 9])
    (tmp_path / "a.xlsx").write_bytes(damaged)

    sources = converted_sources(tmp_path)

    assert sources["/a.xlsx/sheet-Sheet.csv"] == "item,n\n"
    assert "damaged, and could not be read after row 1" in str(sources.notes)
    assert sources["/a.xlsx/sheet-More1.csv"] == "item,n\nbolt,3\n"


def test_workbook_in_the_strict_format_is_read(tmp_path: Path) -> None:
    """Its XML has other names, so that a library may find no cells."""
    file = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(workbook())) as old,
        zipfile.ZipFile(file, "w") as new,
    ):
        for member in old.namelist():
            content = old.read(member)
            for part in (
                b"spreadsheetml/2006/main",
                b"officeDocument/2006/relationships",
            ):
                usual = b"http://schemas.openxmlformats.org/" + part
                strict = b"http://purl.oclc.org/ooxml/" + part.replace(b"2006/", b"")
                content = content.replace(usual, strict)
            new.writestr(member, content)
    (tmp_path / "a.xlsx").write_bytes(file.getvalue())

    assert converted_sources(tmp_path)["/a.xlsx/sheet-Sheet.csv"] == "item,n\nbolt,3\n"


def test_chart_costs_no_sheet(tmp_path: Path) -> None:
    """A sheet that is a chart has no cells."""
    book = openpyxl.Workbook()
    book.active.append(["item"])
    book.create_chartsheet("Chart")
    book.save(tmp_path / "a.xlsx")

    sources = converted_sources(tmp_path)

    assert list(sources) == ["/a.xlsx/sheet-Sheet.csv"]


def test_same_bytes_with_another_suffix_are_another_document(tmp_path: Path) -> None:
    """What is no letter may be a workbook."""
    (tmp_path / "a.docx").write_bytes(workbook())
    (tmp_path / "b.xlsx").write_bytes(workbook())

    assert list(converted_sources(tmp_path)) == ["/b.xlsx/sheet-Sheet.csv"]


def test_notebook_that_cannot_be_read_is_shown_as_it_is_with_a_note(
    tmp_path: Path,
) -> None:
    (tmp_path / "a.ipynb").write_text("{}")

    sources = converted_sources(tmp_path)

    assert sources["/a.ipynb"] == "{}"
    assert "shown as it is" in str(sources.notes["/a.ipynb"])
