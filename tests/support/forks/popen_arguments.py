"""What `subprocess.Popen` passes to its method that starts a process, by position.

The method, `_execute_child`, is private, but the same in Python 3.11 to 3.14. So a class that
overrides it knows what it is given: `named_arguments((None, None, True))["close_fds"]` is True.
"""

from collections.abc import Sequence
from typing import Any

PIPE_ENDS = (
    "stdin_read", "stdin_write", "stdout_read", "stdout_write", "stderr_read", "stderr_write",
)  # fmt: skip
"""The ends of the three pipes that `Popen` may open between a command and its parent. Both ends of
a pipe are -1 for a stream that the command inherits."""

NAMES = (
    "executable", "preexec_fn", "close_fds", "pass_fds", "cwd", "env",
    "startupinfo", "creationflags", "shell", *PIPE_ENDS,
    "restore_signals", "gid", "gids", "uid", "umask", "start_new_session",
)  # fmt: skip
"""The arguments behind the command's words. `process_group`, which follows, is used by no test."""


def named_arguments(arguments: Sequence[Any]) -> dict[str, Any]:
    """Return the arguments behind the command's words by their names."""
    return dict(zip(NAMES, arguments, strict=False))


def standard_streams(arguments: dict[str, Any]) -> list[int]:
    """Return the descriptors of the command's standard streams: `[0, 14, 2]`."""
    streams = [
        arguments["stdin_read"],
        arguments["stdout_write"],
        arguments["stderr_write"],
    ]
    for number in range(3):
        if streams[number] == -1:
            streams[number] = number  # the stream of the test itself
    return streams
