"""Find the files that a question is about.

Nothing outside the folder is read: links are not followed. Hidden files,
files listed in `.gitignore`, binary files and files beyond the limits are left
out and counted by reason.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from controlplane.benchmarks.files.sources.file_sources import (
    MB,
    SourceFiles,
    SourceLimits,
)
from controlplane.benchmarks.files.sources.file_suffixes import (
    TEXT_SUFFIXES,
    is_document,
)
from controlplane.benchmarks.files.sources.git_ignore import (
    Rules,
    is_ignored,
    rules_above,
    rules_of,
)
from controlplane.sandbox import normal_path
from controlplane.sandbox.interface import CallError, bounds
from controlplane.text_files import is_text

UNNAMED: Final = "its name cannot be used"
UNREADABLE: Final = "not readable"
TYPE_BYTES: Final = 8_192
"""The number of bytes at the start of a file that show if it is a text or binary."""
JUNK: Final = frozenset({"__pycache__", "node_modules"})
JOURNALS: Final = re.compile(r"\d{8}-\d{6}-[\w.-]+\.jsonl")
"""The name of a run's journal: `20270301-101500-answers.jsonl`.

It has earlier questions and answers, which are not sources for the next one.
"""


def find_sources(
    root: Path, chosen: Sequence[str] = (), **limits: float
) -> SourceFiles:
    """Return the files below `root`, or only the files and folders that `chosen` names.

    `limits` are fields of `SourceLimits`. Raises `FileNotFoundError` if a chosen name
    does not exist.
    """
    scan = _Scan(SourceFiles(Path(os.path.realpath(root)), SourceLimits(**limits)))
    sources = scan.sources
    for name in chosen or ("",):
        path = sources.root / name
        if stat.S_ISDIR(path.lstat().st_mode):
            scan.add_folder(path)
        else:
            scan.add_file(str(path))
    sources.paths = dict(sorted(sources.paths.items()))
    return sources


class _Scan:
    """Adds files and folders to the sources of a question.

    Its methods take paths on disk, such as `/home/ada/notes/a.md`.
    """

    def __init__(self, sources: SourceFiles) -> None:
        self.sources = sources

    def add_folder(self, top: Path) -> None:
        """Add the files below a folder, except those that its `.gitignore` rules leave out."""
        remaining = [(str(top), rules_above(top))]
        while remaining:
            folder, rules = remaining.pop()
            try:
                entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
            except OSError:
                self._leave_out(UNREADABLE, folder)
                continue
            # Journals of runs are left out, unless the question is about their own folder.
            if folder != str(top) and _has_journals(entries):
                self._leave_out("journals of runs", folder)
                continue

            if any(entry.name == ".gitignore" for entry in entries):
                rules = (*rules, *rules_of(Path(folder)))
            for entry in entries:
                reason = _reason_by_name(entry, rules)
                if reason:
                    self._leave_out(reason, entry.path)
                elif entry.is_dir(follow_symlinks=False):
                    remaining.append((entry.path, rules))
                else:
                    self.add_file(entry.path)

    def add_file(self, real_path: str) -> None:
        """Add a file, or record why it is left out."""
        sources = self.sources
        path = self._path_of(real_path)
        try:
            status = os.lstat(real_path)
            reason = _reason_against(sources, path, status)
        except OSError:
            reason = UNREADABLE
        except CallError:  # The path is too long or too deep.
            reason = UNNAMED
        if reason:
            self._leave_out(reason, real_path)
            return
        sources.add(path, status.st_size)
        if status.st_size > sources.limits.file_mb * MB:
            sources.large.add(path)

    def _leave_out(self, reason: str, real_path: str) -> None:
        path = self._path_of(real_path)
        self.sources.left_out.add(reason, path.encode("utf-8", "replace").decode())

    def _path_of(self, real_path: str) -> str:
        """Return a file's path in the sources: `/notes/a.md`."""
        return "/" + real_path.removeprefix(str(self.sources.root)).lstrip("/")


def _has_journals(entries: Sequence[os.DirEntry[str]]) -> bool:
    return any(JOURNALS.fullmatch(entry.name) for entry in entries)


def _reason_by_name(entry: os.DirEntry[str], rules: Rules) -> str:
    """Return the reason to leave out a file or folder with such a name; empty if there is none."""
    if entry.name.startswith(".") or entry.name in JUNK:
        return "hidden"
    is_folder = entry.is_dir(follow_symlinks=False)
    if is_ignored(entry.path, rules, is_folder=is_folder):
        return "named by .gitignore"
    return ""


def _reason_against(sources: SourceFiles, path: str, status: os.stat_result) -> str:
    """Return why a file is left out of the sources; empty to keep it.

    `status` is the result of `os.lstat`. Raises `CallError` if the path is too long or too deep.
    """
    if stat.S_ISLNK(status.st_mode):
        return "a link"
    if not stat.S_ISREG(status.st_mode):
        return "not a file"
    if not path.isprintable() or normal_path(path) != path:
        return UNNAMED
    reason = _reason_by_size(sources, path, status.st_size)
    if reason or is_document(path) or path.lower().endswith(TEXT_SUFFIXES):
        return reason
    # The suffix does not tell if it is a text, so look at the content.
    beginning = sources.bytes_of(path, TYPE_BYTES)
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
