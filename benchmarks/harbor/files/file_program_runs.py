"""Runs the short programs of `file_programs` for paths in a container.

A program says by its exit code why it failed. That becomes an error for the script, such as
`/app/main.py does not exist`.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Final

from controlplane.agent.loop import LeftOpen
from controlplane.benchmarks.containers.container import (
    CommandPlace,
    Container,
    own_program,
)
from controlplane.benchmarks.containers.program_run import CommandResult
from controlplane.benchmarks.containers.runtime_program import (
    COMMAND_TIMEOUT_S,
    CommandInterrupted,
)
from controlplane.benchmarks.harbor.files.file_programs import BAD_PATTERN, FAILURES
from controlplane.sandbox.interface import CallError, error_codes

MAX_FAULT_CHARS: Final = 500
"""The most characters of a program's own error in a message."""


@dataclass(frozen=True, slots=True)
class FileProgramRuns:
    """Where programs run: in one container, as one user."""

    container: Container
    user: str
    """The user who reads and changes the files."""
    workdir: str
    """The folder at which relative paths start."""
    ends_at: float = math.inf
    """When the trial's time is over, by `time.monotonic`. Programs end by then."""

    def absolute(self, path: str) -> str:
        """Return a path as an absolute one."""
        if path in ("", "."):
            return self.workdir
        if path.startswith("/"):
            return path
        return f"{self.workdir.rstrip('/')}/{path}"

    def output(
        self, program: str, path: str, *arguments: str, stdin: bytes = b""
    ) -> bytes:
        """Run a program for a path and return its output.

        Raises `CallError` if it fails, and `LeftOpen` if the run is being stopped.
        """
        words = [self.absolute(path), *arguments]
        if any("\0" in word for word in words):
            msg = "an argument has a NUL character"
            raise CallError(error_codes.INVALID_ARGUMENT, msg)
        remaining_s = self.ends_at - time.monotonic()
        if remaining_s <= 0:
            msg = "the time of this trial is over"
            raise CallError(error_codes.FAILED_PRECONDITION, msg)
        try:
            result = self.container.run(
                own_program(program, *words),
                CommandPlace(self.user),
                stdin=stdin,
                timeout_s=min(COMMAND_TIMEOUT_S, remaining_s),
            )
        except CommandInterrupted as interruption:
            # The journal has the call without a result, and a resumed run makes it again.
            raise LeftOpen from interruption
        _check(result, path)
        return result.stdout


def _check(result: CommandResult, path: str) -> None:
    """Raise `CallError` if a program has failed. `path` is as the script wrote it."""
    if result.timed_out:
        msg = f"{path}: it took too long"
        raise CallError(error_codes.FAILED_PRECONDITION, msg)
    if result.left_out_bytes:
        msg = f"{path}: the container's programs print more than they were asked for"
        raise CallError(error_codes.INTERNAL, msg)
    if result.exit_code == 0:
        return
    if result.exit_code in FAILURES:
        code, text = FAILURES[result.exit_code]
        raise CallError(code, f"{path} {text}")
    fault = result.stderr.decode("utf-8", "replace").strip()[:MAX_FAULT_CHARS]
    if result.exit_code == BAD_PATTERN:
        msg = f"the pattern is refused: {fault}"
        raise CallError(error_codes.INVALID_ARGUMENT, msg)
    raise CallError(error_codes.INTERNAL, f"{path}: {fault}")
