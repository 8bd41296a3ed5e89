"""Reads one file of a task: only a text, and not through links.

A link in a task that somebody else wrote could lead to any file of this machine.
"""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Final

from controlplane import BenchmarkError
from controlplane.sandbox.files import read_whole
from controlplane.sandbox.interface import bounds, error_codes

LINK_REASON: Final = (
    "it is a link or below one, and links are not followed: put the file itself there"
)


def read_text(real_root: Path, name: str, shown_path: Path) -> str | None:
    """Return the text of the file `name` below a folder; None if it is missing.

    `real_root` is the folder without links in its own path, and `shown_path` the file's
    path in messages. Raises `BenchmarkError` for a file that a task cannot have.
    """
    try:
        # Raises `OSError` if the file, or a folder that leads to it, is a link.
        file = read_whole(real_root / name, real_root, bounds.MOST_TASK_BYTES)
        if file is None:
            return None
        data, _mode = file
        return data.decode()
    except UnicodeDecodeError as error:
        reason = f"it is not UTF-8 text (byte {error.start}); a task's files are texts"
        raise _unreadable(shown_path, reason) from error
    except OSError as error:
        reason = error.strerror or "it cannot be read"
        if error.errno == errno.ELOOP:
            reason = LINK_REASON
        raise _unreadable(shown_path, reason) from error


def _unreadable(shown_path: Path, reason: str) -> BenchmarkError:
    return BenchmarkError(error_codes.INVALID_ARGUMENT, f"{shown_path}: {reason}")
