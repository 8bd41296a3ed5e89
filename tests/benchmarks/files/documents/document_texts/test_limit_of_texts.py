"""A document whose text is longer than the sources of a question may be is left out, with the reason."""

from pathlib import Path

from controlplane.benchmarks.files.files_benchmark import add_documents, find_sources
from controlplane.benchmarks.files.sources.file_sources import SourceLimits
from tests.benchmarks.files.office_files import write_workbook


def test_document_with_a_text_beyond_the_limit_is_left_out(tmp_path: Path) -> None:
    write_workbook(tmp_path / "book.xlsx")
    sources = find_sources(tmp_path)
    sources.limits = SourceLimits(total_mb=0.0)

    add_documents(sources, (".xlsx",))

    assert sources.left_out["beyond 0 MB as text, --set total_mb"] == ["/book.xlsx"]
    assert "/book.xlsx" not in sources
