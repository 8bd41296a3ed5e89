"""The record of an improvement loop, which a running process may still write."""

from __future__ import annotations

from pathlib import Path
from typing import Final, Literal

from controlplane.errors import ControlPlaneError
from controlplane.journal.journal_files import is_being_written, open_to_read
from controlplane.journal.line_parser import fields_of
from controlplane.report.server.run_keys import id_as_text, key_of
from controlplane.report.server.run_row import RunRow, loop_row
from controlplane.terminal_text import one_line

LAST_LINE_BYTES: Final = 1 << 16
"""Bytes at the end of a loop's record that contain its last line."""


class WatchedLoop:
    """The record of a loop. Only its row in the list of runs is kept: its page reads the file.

    The folder treats it like a `WatchedRun`, so it has the same attributes.
    """

    is_loop: Literal[True] = True
    has_more = False
    """There is never more to read: `advance` reads only the last line of the file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.id = id_as_text(path)
        self.key = key_of(self.id, is_loop=True)
        self.row: RunRow | None = None
        """Its row in the list; None until it was read."""
        self.is_running = False
        """True if a process was writing the record when it was last read."""

    def advance(self) -> bool:
        """Update the row if the loop has begun or ended. Return True if it was updated."""
        is_running = is_being_written(self.path)
        if self.row is not None and is_running == self.is_running:
            return False
        self.is_running = is_running
        self.row = loop_row(self, _result_of_loop(self.path))
        return True

    def close(self) -> None:
        """Do nothing: the file is not kept open."""


def _result_of_loop(path: Path) -> str:
    """Return the result in the last line of a loop's record; empty if the loop has not ended."""
    try:
        with open_to_read(path) as file:
            file.seek(max(path.stat().st_size - LAST_LINE_BYTES, 0))
            last_line = fields_of(file.read().splitlines()[-1])
    except (OSError, ControlPlaneError, ValueError, KeyError, IndexError):
        return ""  # The page of the loop shows the error.
    if last_line.get("kind") != "loop_ended":
        return ""
    return one_line(str(last_line.get("text", "")))
