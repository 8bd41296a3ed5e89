"""The texts of documents that were converted before."""

from pathlib import Path

import pytest

from controlplane.benchmarks.files.documents import conversion_cache
from controlplane.benchmarks.files.documents.conversion import Conversion, DocumentPart
from controlplane.benchmarks.files.documents.conversion_cache import ConversionCache


def test_texts_of_an_earlier_conversion_are_not_used(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    # Version 9 showed the number 501 in the format `00,000` as `00501`.
    with monkeypatch.context() as earlier:
        earlier.setattr(conversion_cache, "CONVERSION_VERSION", 9)
        ConversionCache().keep(b"a workbook", [["sheet-A.csv", "00501"]])
    assert ConversionCache().conversion_of(b"a workbook") is None

    ConversionCache().keep(b"a workbook", [["sheet-A.csv", "00,501"]])
    assert ConversionCache().conversion_of(b"a workbook") == Conversion(
        [DocumentPart("sheet-A.csv", "00,501")]
    )
