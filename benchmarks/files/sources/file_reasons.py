"""Why a file is not one of a question's files, by its name, its kind, its size or its content.

The reasons are told to the user: `binary (logo.png); hidden (.env, .git)`. Otherwise an answer
that misses a file would look like an answer about all files.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Sequence
from typing import Final

from controlplane.benchmarks.files.sources.file_sources import MB, SourceFiles
from controlplane.benchmarks.files.sources.file_suffixes import (
    TEXT_SUFFIXES,
    is_document,
)
from controlplane.benchmarks.files.sources.git_ignore import Rules, is_ignored
from controlplane.sandbox import normal_path
from controlplane.sandbox.interface import bounds
from controlplane.text_files import is_text

UNUSABLE_NAME: Final = "its name cannot be used"
UNREADABLE: Final = "not readable"
TYPE_BYTES: Final = 8_192
"""The number of bytes at the start of a file that show if it is a text or binary."""
JUNK: Final = frozenset({"__pycache__", "node_modules"})
"""Folders that programs fill and nobody reads. They are treated as hidden ones."""
JOURNALS: Final = re.compile(r"\d{8}-\d{6}-[\w.-]+\.jsonl")
"""The name of a run's journal: `20270301-101500-answers.jsonl`.

It has earlier questions and answers, which are not sources for the next one.
"""


def has_journals(entries: Sequence[os.DirEntry[str]]) -> bool:
    """Return True if a folder with these entries has journals of runs."""
    return any(JOURNALS.fullmatch(entry.name) for entry in entries)


def reason_by_name(entry: os.DirEntry[str], rules: Rules) -> str:
    """Return the reason to leave out a file or folder with such a name; empty if there is none."""
    if entry.name.startswith(".") or entry.name in JUNK:
        return "hidden"
    is_folder = entry.is_dir(follow_symlinks=False)
    if is_ignored(entry.path, rules, is_folder=is_folder):
        return "named by .gitignore"
    return ""


def reason_against(sources: SourceFiles, path: str, status: os.stat_result) -> str:
    """Return why a file is left out of the sources; empty to keep it.

    `status` is the result of `os.lstat`. Raises `CallError` if the path is too long or too deep.
    """
    if stat.S_ISLNK(status.st_mode):
        return "a link"
    if not stat.S_ISREG(status.st_mode):
        return "not a file"
    # A path such as `/a\nb` could not be shown, and another spelling would not be found.
    if not path.isprintable() or normal_path(path) != path:
        return UNUSABLE_NAME
    reason = _reason_by_size(sources, path, status.st_size)
    if reason or is_document(path) or path.lower().endswith(TEXT_SUFFIXES):
        return reason
    # The suffix does not tell if it is a text, so look at the content.
    beginning = sources.first_bytes_of(path, TYPE_BYTES)
    if beginning is None:
        return UNREADABLE
    return "" if is_text(beginning) else "binary"


def _reason_by_size(sources: SourceFiles, path: str, size: int) -> str:
    """Return the limit that a file exceeds; empty if there is none."""
    limits = sources.limits
    max_mb = limits.file_mb
    if not is_document(path):  # A large text can be read in parts.
        max_mb = max(max_mb, bounds.MOST_LARGE_MB)
    if size > max_mb * MB:
        return f"larger than {max_mb:g} MB, --set file_mb"

    is_too_much = sources.total_bytes + size > limits.total_mb * MB
    if is_too_much or len(sources.paths) >= limits.most_files:
        most = f"{limits.most_files:,.9g} files or {limits.total_mb:,.6g} MB"
        return f"beyond {most}, --set most_files and total_mb"
    return ""
