"""Reads a question about files from the settings of a run.

`ask --continue "And in March?" invoices/` gives a question, a folder, and the earlier questions
and answers. They reach the benchmark `files` as settings, which are texts: the list of chosen
files and the conversation are JSON.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from controlplane import (
    BenchmarkError,
)
from controlplane.benchmarks.files.documents.documents import add_documents
from controlplane.benchmarks.files.files_question import Conversation, FilesQuestion
from controlplane.benchmarks.files.sources.file_sources import SourceFiles
from controlplane.benchmarks.files.sources.file_suffixes import DOCUMENT_SUFFIXES
from controlplane.benchmarks.files.sources.folder_scan import find_sources
from controlplane.sandbox.interface import bounds, error_codes
from controlplane.sandbox.interface.foreign_documents import read_json

DEFAULT_LIMITS: Final = {
    "file_mb": bounds.MOST_FILE_MB,
    "total_mb": bounds.MOST_TOTAL_MB,
    "most_files": bounds.MOST_QUESTION_FILES,
}
"""The options that limit the files of a question, with their defaults."""


def read_question(root: Path, settings: Mapping[str, str]) -> FilesQuestion:
    """Return the question in the settings of a run, with the files that it is about.

    `{"question": "Which invoices are open?", "only": '["2026"]', "file_mb": "50"}`. Raises
    `BenchmarkError` if there is no question, if a file cannot be read, or if a setting has a
    wrong value.
    """
    text = settings.get("question", "").strip()
    if not text:
        msg = "what is the question? Give it to `ask`, or as --set question=..."
        raise BenchmarkError(error_codes.INVALID_ARGUMENT, msg)
    try:
        sources = _opened_sources(root, settings)
        earlier = _earlier_of(settings)
    except OSError as error:
        raise BenchmarkError(
            error_codes.INVALID_ARGUMENT, f"{error.filename or root}: {error.strerror}"
        ) from error
    except (ValueError, TypeError) as error:
        numbers = ", ".join(DEFAULT_LIMITS)
        msg = f"the settings only and earlier must be JSON, {numbers} numbers: {error}"
        raise BenchmarkError(error_codes.INVALID_ARGUMENT, msg) from error
    return FilesQuestion(text, sources, settings.get("write", ""), earlier)


def _opened_sources(root: Path, settings: Mapping[str, str]) -> SourceFiles:
    """Return the files of a question, with documents converted to text.

    Raises `OSError` if files cannot be read, and `ValueError` or `TypeError` for wrong
    settings.
    """
    limits = {}
    for name, default in DEFAULT_LIMITS.items():
        limits[name] = float(settings.get(name) or default)
    chosen = [str(name) for name in read_json(settings.get("only", "[]"))]
    sources = find_sources(root, chosen, **limits)
    add_documents(sources, DOCUMENT_SUFFIXES)
    return sources


def _earlier_of(settings: Mapping[str, str]) -> Conversation | None:
    """Return the conversation that the question continues. Raises `ValueError`."""
    text = settings.get("earlier")
    return Conversation.model_validate_json(text) if text else None
