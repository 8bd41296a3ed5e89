"""The texts of a folder's files and documents, which a question can be about.

    converted_sources(folder)["/report.pdf/page-1"]     # "First page."

A document becomes a folder with a file for each part, such as a page.
"""

from pathlib import Path

from controlplane.benchmarks.files.files_benchmark import add_documents, find_sources
from controlplane.benchmarks.files.sources.file_sources import SourceFiles
from controlplane.benchmarks.files.sources.file_suffixes import DOCUMENT_SUFFIXES
from controlplane.sandbox.interface import bounds


def converted_sources(
    folder: Path, most_files: float = bounds.MOST_QUESTION_FILES
) -> SourceFiles:
    """Return the sources of a folder, with its documents as texts."""
    sources = find_sources(folder, most_files=most_files)
    add_documents(sources, DOCUMENT_SUFFIXES)
    return sources
