"""The words of a PDF page are what a reader sees, whatever signs its font has."""

import pytest

pytest.importorskip("pdfminer")

from controlplane.benchmarks.files.documents.document_texts import parts_of
from tests.benchmarks.files.pdf_files import pdf_of_pages


def test_sign_for_two_letters_is_written_as_these_letters() -> None:
    """`\\256` is one sign for `fi`. A search for `confirm` would not find it."""
    (page,) = parts_of(".pdf", pdf_of_pages([r"We con\256rm the order."]))

    assert page.text == "We confirm the order."
