"""DOCX files as text: their comments, and what stands above and below their pages."""

import zipfile
from pathlib import Path

import pytest

pytest.importorskip("markitdown")

from controlplane.benchmarks.files.documents.conversion import DocumentPart
from controlplane.benchmarks.files.documents.document_texts import parts_of
from tests.benchmarks.files.office_files import write_letter

WORDS = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
RELATIONS = """\
<?xml version="1.0"?>
<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
  <Relationship Id="r2" Target="comments.xml"
    Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/comments"/>
</Relationships>
"""


def converted(path: Path, **files: str) -> DocumentPart:
    """Write a letter with further files in the folder `word`, and convert it."""
    write_letter(path)
    with zipfile.ZipFile(path, "a") as archive:
        for name, text in files.items():
            archive.writestr(f"word/{name}.xml", text)
    (part,) = parts_of(".docx", path.read_bytes())
    return part


def test_header_and_footer_of_pages_are_noted(tmp_path: Path) -> None:
    """A letter may be marked as a draft at the top of its pages only."""
    header = f"<w:hdr xmlns:w='{WORDS}'><w:p><w:r><w:t>DRA</w:t></w:r><w:r><w:t>FT</w:t></w:r></w:p></w:hdr>"
    footer = f"<w:ftr xmlns:w='{WORDS}'><w:p><w:r><w:t>Page</w:t></w:r></w:p></w:ftr>"

    part = converted(
        tmp_path / "a.docx", header1=header, header2=header, footer1=footer
    )

    assert part.text == "loan-08 may be kept."
    assert part.notes == ("above or below each page: Page; DRAFT",)


def test_comments_are_shown_below_the_text(tmp_path: Path) -> None:
    path = tmp_path / "a.docx"
    write_letter(path)
    with zipfile.ZipFile(path) as archive:
        files = {name: archive.read(name).decode() for name in archive.namelist()}
    files["word/document.xml"] = files["word/document.xml"].replace(
        "</w:t></w:r>", "</w:t></w:r><w:r><w:commentReference w:id='1'/></w:r>"
    )
    files["word/_rels/document.xml.rels"] = RELATIONS
    files["word/comments.xml"] = (
        f"<w:comments xmlns:w='{WORDS}'><w:comment w:id='1' w:initials='A'>"
        "<w:p><w:r><w:t>until May</w:t></w:r></w:p></w:comment></w:comments>"
    )
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)

    (part,) = parts_of(".docx", path.read_bytes())

    assert "until May" in part.text


def test_hidden_text_is_left_out_and_noted(tmp_path: Path) -> None:
    """An author may hide runs by their own properties, or by a style of theirs."""
    path = tmp_path / "a.docx"
    write_letter(path)
    with zipfile.ZipFile(path) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    runs = (
        "<w:r><w:t>Rent: </w:t></w:r>"
        "<w:r><w:rPr><w:vanish/></w:rPr><w:t>99 </w:t></w:r>"
        "<w:r><w:t>10 EUR</w:t></w:r>"
        "<w:r><w:rPr><w:vanish w:val='0'/></w:rPr><w:t> a day</w:t></w:r>"
        "<w:r><w:rPr><w:rStyle w:val='Draft'/></w:rPr><w:t>or 8</w:t></w:r>"
    )
    files["word/document.xml"] = (
        f"<w:document xmlns:w='{WORDS}'><w:body><w:p>{runs}</w:p></w:body></w:document>"
    ).encode()
    files["word/styles.xml"] = (
        f"<w:styles xmlns:w='{WORDS}'><w:style w:type='character' w:styleId='Draft'>"
        "<w:rPr><w:vanish/></w:rPr></w:style></w:styles>"
    ).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)

    (part,) = parts_of(".docx", path.read_bytes())

    assert part.text == "Rent: 10 EUR a day"
    assert part.notes == ("hidden text, which is left out: 99; or 8",)
