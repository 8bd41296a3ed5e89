"""Reads what a question is about: the files below its folder, and the conversation before it.

`ask --continue "And in March?"` gives a question, a folder, and the earlier questions and
answers. They reach the benchmark `files` as settings of the run, which are texts: the
list of chosen files and the conversation are JSON.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from controlplane import (
    BenchmarkError,
)
from controlplane.benchmarks.files.conversation import Conversation
from controlplane.benchmarks.files.documents.documents import add_documents
from controlplane.benchmarks.files.sources.file_sources import SourceFiles
from controlplane.benchmarks.files.sources.file_suffixes import DOCUMENT_SUFFIXES
from controlplane.benchmarks.files.sources.folder_scan import find_sources
from controlplane.sandbox.interface import bounds, error_codes

DEFAULT_LIMITS: Final = {
    "file_mb": bounds.MOST_FILE_MB,
    "total_mb": bounds.MOST_TOTAL_MB,
    "most_files": bounds.MOST_QUESTION_FILES,
}
"""The options that limit the files of a question, with their defaults."""


@dataclass(frozen=True, slots=True)
class QuestionInputs:
    """What a question is about, beside its text."""

    sources: SourceFiles
    """The files that the question is about."""
    earlier: Conversation | None
    """The conversation that the question continues; None if it is the first."""


def read_inputs(root: Path, settings: Mapping[str, str]) -> QuestionInputs:
    """Return the files of a question and the conversation that it continues.

    `settings` are those of the run: `{"only": '["docs"]', "file_mb": "50"}`. Raises
    `BenchmarkError` if a file cannot be read or a setting has a wrong value.
    """
    try:
        return QuestionInputs(_opened_sources(root, settings), _earlier_of(settings))
    except OSError as error:
        raise BenchmarkError(
            error_codes.INVALID_ARGUMENT, f"{error.filename or root}: {error.strerror}"
        ) from error
    except (ValueError, TypeError) as error:
        numbers = ", ".join(DEFAULT_LIMITS)
        msg = f"the settings only and earlier must be JSON, {numbers} numbers: {error}"
        raise BenchmarkError(error_codes.INVALID_ARGUMENT, msg) from error


def _opened_sources(root: Path, settings: Mapping[str, str]) -> SourceFiles:
    """Return the files of a question, with documents converted to text.

    Raises `OSError` if files cannot be read, and `ValueError` or `TypeError` for wrong
    settings.
    """
    limits = {}
    for name, default in DEFAULT_LIMITS.items():
        limits[name] = float(settings.get(name) or default)
    chosen = [str(name) for name in json.loads(settings.get("only", "[]"))]
    sources = find_sources(root, chosen, **limits)
    add_documents(sources, DOCUMENT_SUFFIXES)
    return sources


def _earlier_of(settings: Mapping[str, str]) -> Conversation | None:
    """Return the conversation that the question continues. Raises `ValueError`."""
    text = settings.get("earlier")
    return Conversation.model_validate_json(text) if text else None
