"""Writes a small workbook and a small letter for tests, as office programs do.

    write_workbook(folder / "book.xlsx")   # the sheets "Loans" and "Old"
    write_letter(folder / "letter.docx")   # one sentence: "loan-08 may be kept."

A letter is a DOCX file: a ZIP archive of at least three files in XML.
"""

import zipfile
from pathlib import Path

import pytest

# The three files that a DOCX file, which is a ZIP archive, consists of at least.
DOCX_CONTENT_TYPES = """\
<?xml version="1.0"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
  <Default Extension="rels"
    ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
  <Default Extension="xml" ContentType="application/xml"/>
  <Override PartName="/word/document.xml"
    ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/>
</Types>
"""

DOCX_RELATIONS = """\
<?xml version="1.0"?>
<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
  <Relationship Id="r1"
    Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
    Target="word/document.xml"/>
</Relationships>
"""

DOCX_TEXT = """\
<?xml version="1.0"?>
<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">
  <w:body><w:p><w:r><w:t>loan-08 may be kept.</w:t></w:r></w:p></w:body>
</w:document>
"""


def write_workbook(path: Path) -> None:
    """Write a workbook with the sheets "Loans" and "Old"."""
    openpyxl = pytest.importorskip("openpyxl")
    workbook = openpyxl.Workbook()
    workbook.active.title = "Loans"
    workbook.active.append(["loan", "until"])
    workbook.active.append(["loan-07", "2026-09-01"])
    workbook.create_sheet("Old")
    workbook.save(path)


def write_letter(path: Path) -> None:
    """Write a DOCX file with one sentence."""
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("[Content_Types].xml", DOCX_CONTENT_TYPES)
        archive.writestr("_rels/.rels", DOCX_RELATIONS)
        archive.writestr("word/document.xml", DOCX_TEXT)
