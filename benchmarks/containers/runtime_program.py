"""Runs the program podman or docker, which manages the containers of this machine.

`ContainerError` is raised if the program itself fails; it has the last lines of the output.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from controlplane.benchmarks.containers.program_run import (
    KEPT_OUTPUT_BYTES,
    CommandResult,
    ProgramNotStarted,
    run_program,
)

COMMAND_TIMEOUT_S: Final = 120.0
"""Seconds for a short command, such as `podman rm`. Builds and pulls get more, and so does
a command of a task."""
LAST_LINES: Final = 12
"""The number of output lines of a failed command in an error message."""
LAST_LINE_CHARS: Final = 300


class CommandInterrupted(Exception):
    """The run is being stopped, so a task's command was interrupted."""


class ContainerError(Exception):
    """The container runtime failed. The message has the last lines of its output."""


@dataclass(frozen=True, slots=True)
class RuntimeProgram:
    """The program `podman` or `docker`. It may be used from many threads at once."""

    path: str
    stop_signal: threading.Event = field(default_factory=threading.Event)
    """Is set when the run is being stopped."""

    @property
    def name(self) -> str:
        """`podman` or `docker`."""
        return Path(self.path).name

    def raise_if_stopped(self) -> None:
        """Raise `CommandInterrupted` if the run is being stopped."""
        if self.stop_signal.is_set():
            raise CommandInterrupted

    def pause(self, seconds: float) -> None:
        """Wait. Raises `CommandInterrupted` as soon as the run is being stopped."""
        self.stop_signal.wait(seconds)
        self.raise_if_stopped()

    def run(
        self,
        *arguments: str,
        stdin: bytes = b"",
        timeout_s: float = COMMAND_TIMEOUT_S,
        while_waiting: Callable[[], None] | None = None,
        output_bytes: int = KEPT_OUTPUT_BYTES,
    ) -> CommandResult:
        """Run the program and return its result, even if it fails. Kill it after `timeout_s`.

        Its environment is that of the user: no task adds to it. Of each output, at most
        `output_bytes` are kept: its start and its end. `while_waiting` is called repeatedly
        while the program runs. If it raises an exception, the program is killed and the
        exception is raised again. Unless it is given, `CommandInterrupted` is raised as soon
        as the run is being stopped; what has to be done all the same passes `go_on`. Raises
        `ContainerError` if the program cannot be started.
        """
        if while_waiting is None:
            while_waiting = self.raise_if_stopped
            self.raise_if_stopped()
        words = [self.path, *arguments]
        for word in words:
            _check_word(word)
        try:
            return run_program(
                words,
                stdin,
                timeout_s,
                while_waiting=while_waiting,
                output_bytes=output_bytes,
            )
        except ProgramNotStarted as error:
            raise ContainerError(str(error)) from error

    def run_or_raise(
        self,
        purpose: str,
        *arguments: str,
        timeout_s: float = COMMAND_TIMEOUT_S,
        while_waiting: Callable[[], None] | None = None,
    ) -> CommandResult:
        """Run the program and return its result. Raises `ContainerError` if it fails.

        `purpose` completes the message of this error: `pull the image x` -> `podman
        could not pull the image x`.
        """
        result = self.run(
            *arguments,
            timeout_s=timeout_s,
            while_waiting=while_waiting,
        )
        if result.exit_code == 0 and not result.timed_out:
            return result
        msg = f"{self.name} could not {purpose}"
        if result.timed_out:
            msg += f" within {timeout_s:g} s"
        output = last_lines(result.stdout + result.stderr)
        raise ContainerError("\n".join([msg, *output]))


def go_on() -> None:
    """Do nothing: as `while_waiting` of what cleans up while the run is being stopped."""


def _check_word(word: str) -> None:
    """Raise `ContainerError` for an argument that no program can be given."""
    has_nul = "\0" in word
    try:
        os.fsencode(word)
        is_encodable = True
    except UnicodeEncodeError:
        is_encodable = False
    if has_nul or not is_encodable:
        msg = f"an argument has a NUL character or half of a surrogate pair: {word[:80]!a}"
        raise ContainerError(msg)


def last_lines(output: bytes) -> list[str]:
    """Return the last lines of a command's output, each shortened to a fixed length."""
    lines = output.decode("utf-8", "replace").rstrip().splitlines()
    return [line[:LAST_LINE_CHARS] for line in lines[-LAST_LINES:]]
