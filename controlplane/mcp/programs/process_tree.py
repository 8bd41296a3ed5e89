"""Kills a program with all the processes that it has started, directly or by others.

A program in a session of its own is killed with its process group. A child process that has left
that group, such as a daemon, is found by /proc.
"""

from __future__ import annotations

import os
import signal
import subprocess
from contextlib import suppress
from pathlib import Path


def kill_all(process: subprocess.Popen[bytes]) -> None:
    """Kill a program and all its child processes, some of which may have a session of their own.

    Does nothing for processes that have ended.
    """
    # Listed first: a child process of a dead parent can no longer be found.
    descendants = _processes_below(process.pid)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    for descendant in descendants:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(descendant, signal.SIGKILL)


def _processes_below(process_id: int) -> list[int]:
    """Return the child processes of a process, their child processes, and so on.

    The list is empty on systems without /proc.
    """
    descendants: list[int] = []
    unread = [process_id]
    while unread:
        parent = unread.pop()
        for children_file in Path(f"/proc/{parent}/task").glob("*/children"):
            with suppress(OSError):
                children = [int(word) for word in children_file.read_text().split()]
                descendants += children
                unread += children
    return descendants
