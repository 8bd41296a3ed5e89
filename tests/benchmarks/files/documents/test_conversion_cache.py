"""The cache of documents that were converted to text before, such as a long PDF.

It must not give out a text that an older version of the program made in another way.
"""

from pathlib import Path

import pytest

from controlplane.benchmarks.files.documents import (
    document_converter as conversion_cache,
)
from controlplane.benchmarks.files.documents.conversion import Conversion, DocumentPart
from controlplane.benchmarks.files.documents.document_converter import ConversionCache

WORKBOOK = b"the bytes of a workbook"
"""The cache finds a text by the bytes of its document."""
OLD_VERSION = 9
"""This version showed the number 501 in the format `00,000` as `00501`, without the comma."""


@pytest.fixture(autouse=True)
def empty_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Let the cache be in an empty folder."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


def test_text_of_an_older_version_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """An older program has put a wrong text into the cache, which must not be shown."""
    with monkeypatch.context() as older_program:
        older_program.setattr(conversion_cache, "CONVERSION_VERSION", OLD_VERSION)
        ConversionCache().keep(".xlsx", WORKBOOK, [["sheet-A.csv", "00501"]])

    assert ConversionCache().conversion_of(".xlsx", WORKBOOK) is None


def test_text_of_this_version_is_used() -> None:
    """The cache keeps the name and the text of each part of a document, here of one sheet."""
    ConversionCache().keep(".xlsx", WORKBOOK, [["sheet-A.csv", "00,501"]])

    conversion = ConversionCache().conversion_of(".xlsx", WORKBOOK)

    assert conversion == Conversion([DocumentPart("sheet-A.csv", "00,501")])
