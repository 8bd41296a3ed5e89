"""The file of a journal, which a running process may still write."""

from __future__ import annotations

import os
from pathlib import Path

from controlplane.journal.journal_files import is_being_written


class WatchedFile:
    """A file, as it was when it was last read."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.is_written = False
        """True if a process was writing it."""
        self.size = 0
        """Its size, in bytes."""
        self._change_ns = 0
        """The time of its last change."""

    def has_changed(self, status: os.stat_result) -> bool:
        """Return True if the file has changed, or the process that wrote it has ended.

        `status` is the current status of the file.
        """
        is_same_size = status.st_size == self.size
        if not is_same_size or status.st_mtime_ns != self._change_ns:
            return True
        return self.is_written and not is_being_written(self.path)

    def note(self, status: os.stat_result) -> None:
        """Note how the file is now, before it is read."""
        self.size = status.st_size
        self._change_ns = status.st_mtime_ns
        self.is_written = is_being_written(self.path)
