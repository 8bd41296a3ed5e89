"""Pages of a PDF that are drawn as one figure have their text, too.

Some programs put all of a page into a figure, an object that the page only draws. `pdf_of_objects`
makes a PDF file of the objects that a page needs; `3 0 R` refers to the third.
"""

from pathlib import Path

from tests.benchmarks.files.documents.converted_sources import converted_sources
from tests.benchmarks.files.pdf_files import HELVETICA, pdf_of_objects


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
