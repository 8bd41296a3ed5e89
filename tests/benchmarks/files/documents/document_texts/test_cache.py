"""The texts of documents are kept in a cache, because conversion is slow.

The cache is a folder with a file for each document: of a report of two pages, it has both texts.
"""

import os
from pathlib import Path

from controlplane.benchmarks.files.documents.documents import add_documents
from controlplane.benchmarks.files.sources.file_sources import SourceLimits
from controlplane.benchmarks.files.sources.folder_scan import find_sources
from controlplane.benchmarks.files.sources.source_search import files_with_words
from tests.benchmarks.files.documents.converted_sources import converted_sources


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


def test_pipe_in_the_cache_is_not_read(
    folder_of_documents: Path, cache_folder: Path
) -> None:
    """Somebody has put pipes in place of the cached files, which nobody writes to.

    Reading a pipe would wait without end. Instead, the workbook is converted again. It has a
    text then, which is beyond the limit.
    """
    converted_sources(folder_of_documents)
    for path in (cache_folder / "controlplane/documents").iterdir():
        path.unlink()
        os.mkfifo(path)
    sources = find_sources(folder_of_documents)
    sources.limits = SourceLimits(total_mb=0.0)  # No text is allowed.

    add_documents(sources, (".xlsx",))

    assert sources.left_out["beyond 0 MB as text, --set total_mb"] == ["/book.xlsx"]
