"""The text on standard input, as a source of a question."""

from __future__ import annotations

import hashlib
import os
import select
import stat
import sys
from pathlib import Path
from typing import BinaryIO, Final

from controlplane.errors import UsageError
from controlplane.sandbox.files import write_whole

STDIN: Final = "-"
"""The source that stands for the text on standard input."""
STDIN_DESCRIPTOR: Final = 0
WAIT_FOR_PIPE_S: Final = 2.0
"""How long a text on standard input may take to begin.
It may never begin: the program that started this one may have left a pipe open."""


def is_piped() -> bool:
    """Return True if standard input is a pipe."""
    return stat.S_ISFIFO(os.fstat(STDIN_DESCRIPTOR).st_mode)


def with_named_input(sources: tuple[str, ...], runs: Path) -> tuple[str, ...]:
    """Return the sources with a file in place of `-` that keeps the text on standard input.

    Raises `UsageError` if there is no text.
    """
    file = keep_input(sys.stdin.buffer, runs)
    if not file:
        msg = "-: there is no text on standard input"
        raise UsageError(msg)
    return tuple(file if source == STDIN else source for source in sources)


def piped_source(runs: Path) -> tuple[str, ...] | None:
    """Return the sources that the pipe gives: the file that keeps its text.

    There is none if the text is empty. Returns None if no text has come in time, so that it is
    unknown whether there is one.
    """
    readable, _, _ = select.select([STDIN_DESCRIPTOR], [], [], WAIT_FOR_PIPE_S)
    if not readable:
        return None
    file = keep_input(sys.stdin.buffer, runs)
    return (file,) if file else ()


def keep_input(stream: BinaryIO, runs: Path) -> str:
    """Write the text of a stream to a file named by the text's hash, and return the file's path.

    The path is empty if there is no text.
    """
    data = stream.read()
    if not data.strip():
        return ""
    folder = runs / "standard-input"
    place = folder / f"{hashlib.sha256(data).hexdigest()[:12]}.txt"
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    write_whole(place, data, folder, mode=0o600)
    return str(place)
