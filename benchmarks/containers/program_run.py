"""Runs a program on this machine, such as podman, with a time limit.

While it runs, a function of the caller is called again and again, which may stop it.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

WAIT_CHECK_S: Final = 0.2
"""Seconds between calls of `while_waiting` while a program runs."""


class ProgramNotStarted(Exception):
    """A program could not be started, for example because it was removed."""


@dataclass(frozen=True, slots=True)
class CommandResult:
    """The output of a command, and how it ended."""

    stdout: bytes
    stderr: bytes
    exit_code: int
    timed_out: bool = False


def run_program(
    command: Sequence[str],
    stdin: bytes,
    timeout_s: float,
    variables: Mapping[str, str] | None = None,
    while_waiting: Callable[[], None] | None = None,
) -> CommandResult:
    """Run a program with this input and return its result. Kill it after `timeout_s`.

    `while_waiting` is called repeatedly while the program runs. If it raises an
    exception, the program is killed and the exception is raised again. Raises
    `ProgramNotStarted`.
    """
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=variables,
            # The program leads a process group of its own. So Ctrl-C in the terminal does
            # not reach it, and it can be killed with the processes that it started.
            start_new_session=True,
        )
    except OSError as error:
        msg = f"{command[0]} cannot be run: {error}"
        raise ProgramNotStarted(msg) from error

    try:
        return _result_of(process, stdin, timeout_s, while_waiting)
    except BaseException:
        _kill_group(process)
        process.communicate()
        raise


def _result_of(
    process: subprocess.Popen[bytes],
    stdin: bytes,
    timeout_s: float,
    while_waiting: Callable[[], None] | None,
) -> CommandResult:
    """Wait for a process, or kill it after `timeout_s`."""
    ends_at = time.monotonic() + timeout_s
    new_input: bytes | None = stdin
    while True:
        wait_s = max(ends_at - time.monotonic(), 0.0)
        if while_waiting is not None:
            wait_s = min(wait_s, WAIT_CHECK_S)
        try:
            stdout, stderr = process.communicate(new_input, timeout=wait_s)
            return CommandResult(stdout, stderr, process.returncode)
        except subprocess.TimeoutExpired:
            # `communicate` keeps the input of its first call, and takes it only once.
            new_input = None

        if time.monotonic() >= ends_at:
            _kill_group(process)
            stdout, stderr = process.communicate()
            return CommandResult(stdout, stderr, -1, timed_out=True)
        if while_waiting is not None:
            while_waiting()


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kill a process that leads a group, and the processes that it started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:  # No such group any more.
        process.kill()
