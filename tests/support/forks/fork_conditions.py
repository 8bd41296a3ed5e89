"""When a command or a program can be a fork of a process that has imported the product already.

A fork costs 30 ms; to start Python and import the product costs half a second. But a fork cannot
have an environment that Python itself reads at its start, such as `PYTHONUTF8=1`.
"""

import os
from collections.abc import Mapping

READ_AT_START = ("PYTHON", "LC_", "LANG", "MALLOC_", "LD_")
"""Beginnings of variables that Python or the C library reads before any code of ours runs.
A command or program that changes one of them cannot be a fork."""


def can_fork(environment: Mapping[str, str], usual: Mapping[str, str]) -> bool:
    """Return True if a fork can have this environment.

    `usual` is the environment of the server; only the variables that differ from it matter.
    """
    # The server waits for the end of its forks by `pidfd_open`, which only Linux has.
    if not hasattr(os, "pidfd_open"):
        return False
    for name in environment.keys() | usual.keys():
        is_changed = environment.get(name) != usual.get(name)
        if is_changed and name.startswith(READ_AT_START):
            return False
    return True


def exit_code_of(end: SystemExit) -> int:
    """Return the exit code that Python gives a process that ends by this `SystemExit`."""
    if end.code is None:
        return 0
    if isinstance(end.code, int):
        return end.code
    return 1  # the exception carries a text, which Python prints
