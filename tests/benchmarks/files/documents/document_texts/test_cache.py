"""The texts of documents are kept in a cache, because conversion is slow.

The cache is a folder with a file for each document: of a report of two pages, it has both texts.
"""

import os
from pathlib import Path

from controlplane.benchmarks.files.files_environment import files_with_words
from tests.benchmarks.files.documents.converted_sources import converted_sources
from tests.benchmarks.files.office_files import write_workbook


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


def test_pipe_in_the_cache_is_not_read(tmp_path: Path, cache_folder: Path) -> None:
    """Somebody has put a pipe in place of a cached file. Reading it would wait without end.

    Instead, the workbook is converted again.
    """
    write_workbook(tmp_path / "book.xlsx")
    texts_of_workbook = dict(converted_sources(tmp_path))
    (cached_file,) = (cache_folder / "controlplane/documents").iterdir()
    cached_file.unlink()
    os.mkfifo(cached_file)

    assert dict(converted_sources(tmp_path)) == texts_of_workbook
