"""Limits how much is read of a folder of tasks.

The folder that a user names may be a wrong one, such as `/`. It is then refused with a
message before it fills the memory.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from controlplane import BenchmarkError
from controlplane.sandbox import normal_path
from controlplane.sandbox.interface import CallError, bounds, error_codes

INVALID: Final = error_codes.INVALID_ARGUMENT
MAX_NAME_CHARS_SHOWN: Final = 300


class FolderLimits:
    """What was read of a folder so far: the names of files and folders, and the bytes."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._names: set[str] = set()
        self._total_bytes = 0

    def add_name(self, name: str) -> None:
        """Count a file or folder, once. Its name is relative to the root.

        Raises `BenchmarkError` if the name is not allowed, or if there are too many.
        """
        fault = _fault_of(name)
        if fault:
            shown_name = str(self._root / name)[:MAX_NAME_CHARS_SHOWN]
            msg = f"{shown_name!r}: this name cannot be used: {fault}"
            raise BenchmarkError(INVALID, msg)
        self._names.add(name)
        self._check()

    def add_text(self, text: str) -> None:
        """Count the bytes of a text. Raises `BenchmarkError` if there are too many."""
        self._total_bytes += len(text.encode())
        self._check()

    def _check(self) -> None:
        """Raise `BenchmarkError` if more was counted than is allowed."""
        has_too_many = len(self._names) > bounds.MOST_TASK_FILES
        if has_too_many or self._total_bytes > bounds.MOST_TASK_BYTES:
            megabytes = bounds.MOST_TASK_BYTES // 1_000_000
            limit = f"{bounds.MOST_TASK_FILES:,} files and folders, or {megabytes} MB"
            msg = f"{self._root}: it holds more than {limit}; split it"
            raise BenchmarkError(INVALID, msg)


def _fault_of(name: str) -> str:
    """Return why scripts could not use a name; empty if they can."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return "it is not UTF-8"
    try:
        normal_path(name)
    except CallError as error:
        return error.message
    return ""
