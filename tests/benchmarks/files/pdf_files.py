"""Writes small PDF files for tests."""

HELVETICA = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
"""An object of a PDF file: the font Helvetica."""


def placed_texts(texts: list[tuple[int, int, str]]) -> str:
    """Return the content of a page with texts at these distances from its left and lower edges."""
    return " ".join(f"BT /F1 10 Tf {x} {y} Td ({text}) Tj ET" for x, y, text in texts)


def pdf_of_pages(pages: list[str], contents: list[str] | None = None) -> bytes:
    """Return a PDF file with one line of text on each page, or with `contents` as the pages.

    Its objects are numbered: 1 is the catalogue, 2 the list of pages, 3 the font, 4 the
    first page, 5 its text, 6 the second page, and so on.
    """
    page_objects: list[str] = []
    page_references: list[str] = []
    if contents is None:
        contents = [f"BT /F1 12 Tf 72 700 Td ({text}) Tj ET" for text in pages]
    for index, content in enumerate(contents):
        page_number = 4 + 2 * index
        page_references.append(f"{page_number} 0 R")
        page_objects.append(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] "
            "/Resources << /Font << /F1 3 0 R >> >> "
            f"/Contents {page_number + 1} 0 R >>"
        )
        page_objects.append(
            f"<< /Length {len(content)} >>\nstream\n{content}\nendstream"
        )

    catalogue = "<< /Type /Catalog /Pages 2 0 R >>"
    list_of_pages = (
        f"<< /Type /Pages /Kids [{' '.join(page_references)}] /Count {len(contents)} >>"
    )
    return pdf_of_objects([catalogue, list_of_pages, HELVETICA, *page_objects])


def pdf_of_objects(objects: list[str]) -> bytes:
    """Return a PDF file of these objects. They refer to each other by number: `3 0 R`."""
    body = ""
    for number, text in enumerate(objects, start=1):
        body += f"{number} 0 obj\n{text}\nendobj\n"
    trailer = f"trailer << /Size {len(objects) + 1} /Root 1 0 R >>"
    return f"%PDF-1.4\n{body}{trailer}\n%%EOF\n".encode()
