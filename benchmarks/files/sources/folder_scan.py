"""Finds the files that a question is about.

Nothing outside the folder is read: links are not followed. Hidden files, files that
`.gitignore` names, binary files and files beyond the limits are left out. For each of
them the reason is recorded, since the user has to know what an answer could not use.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from pathlib import Path

from controlplane.benchmarks.files.sources.file_reasons import (
    UNREADABLE,
    UNUSABLE_NAME,
    has_journals,
    reason_against,
    reason_by_name,
)
from controlplane.benchmarks.files.sources.file_sources import (
    MB,
    SourceFiles,
    SourceLimits,
)
from controlplane.benchmarks.files.sources.git_ignore import rules_above, rules_of
from controlplane.sandbox.interface import CallError


def find_sources(
    root: Path, chosen: Sequence[str] = (), **limits: float
) -> SourceFiles:
    """Return the files below `root`, or only the files and folders that `chosen` names.

    `limits` are fields of `SourceLimits`, such as `file_mb=50`. Raises
    `FileNotFoundError` if a chosen name does not exist.
    """
    sources = SourceFiles(Path(os.path.realpath(root)), SourceLimits(**limits))
    places = [sources.root / name for name in chosen]
    if not chosen:
        places = [sources.root]
    scan = _Scan(sources)
    for place in places:
        if stat.S_ISDIR(place.lstat().st_mode):
            scan.add_folder(place)
        else:
            scan.add_file(str(place))
    sources.paths = dict(sorted(sources.paths.items()))
    return sources


class _Scan:
    """Adds files and folders to the sources of a question.

    Its methods take paths on disk, such as `/home/ada/notes/a.md`.
    """

    def __init__(self, sources: SourceFiles) -> None:
        """Begin to fill these sources."""
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
            if folder != str(top) and has_journals(entries):
                self._leave_out("journals of runs", folder)
                continue

            if any(entry.name == ".gitignore" for entry in entries):
                rules = (*rules, *rules_of(Path(folder)))
            for entry in entries:
                reason = reason_by_name(entry, rules)
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
            reason = reason_against(sources, path, status)
        except OSError:
            reason = UNREADABLE
        except CallError:  # From `reason_against`: the path is too long or too deep.
            reason = UNUSABLE_NAME
        if reason:
            self._leave_out(reason, real_path)
            return
        sources.add(path, status.st_size)
        if status.st_size > sources.limits.file_mb * MB:
            sources.large.add(path)

    def _leave_out(self, reason: str, real_path: str) -> None:
        """Record why a file is left out. Signs of its name that are not UTF-8 become `?`."""
        path = self._path_of(real_path)
        self.sources.left_out.add(reason, path.encode("utf-8", "replace").decode())

    def _path_of(self, real_path: str) -> str:
        """Return a file's path in the sources: `/notes/a.md`."""
        return "/" + real_path.removeprefix(str(self.sources.root)).lstrip("/")
