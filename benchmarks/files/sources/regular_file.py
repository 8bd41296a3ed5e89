"""Reads a file below a folder without following links.

A link in the folder of a question could lead to any file of the user's, such as a private key,
whose text would then be sent to a model.
"""

from __future__ import annotations

import os
import stat
from typing import NamedTuple


def read_regular_file(path: str, max_bytes: float) -> bytes | None:
    """Return the content of a file; None if it is larger than `max_bytes`.

    Also return None if the file is gone, is not a regular file, or lies behind a link.
    `path` has no link itself.
    """
    file = _opened(path)
    if file is None:
        return None
    try:
        if file.size > max_bytes:
            return None
        return os.read(file.descriptor, file.size)
    except OSError:
        return None
    finally:
        os.close(file.descriptor)


def read_first_bytes(path: str, count: int) -> bytes | None:
    """Return the first bytes of a file of any size, or None as above."""
    file = _opened(path)
    if file is None:
        return None
    try:
        # Files of the system, such as those below /proc, have the size 0, and are empty here.
        return os.read(file.descriptor, min(count, file.size))
    except OSError:
        return None
    finally:
        os.close(file.descriptor)


class _OpenFile(NamedTuple):
    """A regular file that is open for reading."""

    descriptor: int
    size: int


def _opened(path: str) -> _OpenFile | None:
    """Open a regular file. Return None if it is none, or cannot be opened."""
    try:
        # O_NONBLOCK: do not wait for somebody to write, if it is a pipe.
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        status = os.fstat(descriptor)
        # If a folder in the path is a link, the open file has another path.
        if stat.S_ISREG(status.st_mode) and _resolved(descriptor, path) == path:
            return _OpenFile(descriptor, status.st_size)
    except OSError:
        pass  # As if it were no regular file.
    os.close(descriptor)
    return None


def _resolved(descriptor: int, path: str) -> str:
    """Return the path of an open file, with all links resolved."""
    try:
        return os.readlink(f"/proc/self/fd/{descriptor}")  # noqa: PTH115 - a quarter of pathlib's time, for 10,000 files
    except OSError:  # A system without /proc.
        return os.path.realpath(path)
