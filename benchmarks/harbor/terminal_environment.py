"""The environment of one trial: a shell and files in its container.

It keeps no state of its own, so a resumed run can continue with the same container.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from controlplane.benchmarks.containers.container import CommandPlace, Container
from controlplane.benchmarks.containers.output_watch import show_nothing
from controlplane.benchmarks.containers.runtime_program import ContainerError
from controlplane.benchmarks.harbor.container_shell import ShellCommand, run_in_shell
from controlplane.benchmarks.harbor.files.file_operations import result_of
from controlplane.benchmarks.harbor.files.file_program_runs import FileProgramRuns
from controlplane.benchmarks.harbor.terminal_schema import tool_schema_of
from controlplane.sandbox.interface import (
    CallError,
    Plain,
    bound_arguments,
    error_codes,
)


class TerminalEnvironment:
    """The shell and files of one trial. Used by one thread at a time.

    Created when the trial starts. The trial then sets `ends_at` and `show_output`, makes its
    calls, and ends with one answer.
    """

    def __init__(
        self, container: Container, place: CommandPlace, agent_timeout_s: float
    ) -> None:
        self.tool_schema = tool_schema_of(agent_timeout_s)
        self.ends_at = math.inf
        """When the trial's time is over, by `time.monotonic`. Commands end by then."""
        self.is_answered = False
        self.show_output: Callable[[str], None] = show_nothing
        """Shows the user the last part of a running command's output.

        Called with an empty text when the command ends.
        """
        self.container = container
        self._place = place
        self._programs = FileProgramRuns(container, place.user, place.workdir)
        """Runs the short programs that read and change files in the container."""
        self._is_open = True

    def now(self) -> datetime | None:
        """Return None: scripts have no clock. Commands use the container's clock."""
        return None

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        """Make one call and return its result fields.

        Raises `CallError`, and `LeftOpen` if the run is being stopped.
        """
        if not self._is_open:
            raise CallError(error_codes.FAILED_PRECONDITION, "this trial has ended")
        declared = self.tool_schema.operation(operation)
        if declared is None:
            msg = f"there is no operation {operation[:60]!r}"
            raise CallError(error_codes.UNIMPLEMENTED, msg)
        values: dict[str, Any] = bound_arguments(declared, (), dict(arguments))
        try:
            if operation == "shell":
                return self._shell(**values)
            programs = replace(self._programs, ends_at=self.ends_at)
            return result_of(programs, operation, values)
        except ContainerError as error:
            raise CallError(error_codes.INTERNAL, str(error)) from error

    def answer(self, message: str, outcome: str, refs: Sequence[str]) -> None:
        """Note that there is an answer. Raises `CallError` for a second one.

        What it says does not matter here: the verifier looks at the container alone.
        """
        if self.is_answered:
            msg = "this trial has its answer already"
            raise CallError(error_codes.ALREADY_EXISTS, msg)
        self.is_answered = True

    def close(self) -> None:
        """Refuse all later calls."""
        self._is_open = False

    def _shell(
        self, command: str, stdin: str, workdir: str, timeout_s: int
    ) -> dict[str, Plain]:
        """Run a command until it ends, or until its own time or the trial's time is over.

        A relative `workdir` starts at the task's working directory.
        """
        remaining_s = self.ends_at - time.monotonic()
        if remaining_s <= 0:
            msg = "the time of this trial is over"
            raise CallError(error_codes.FAILED_PRECONDITION, msg)
        place = replace(self._place, workdir=self._programs.absolute(workdir))
        allowed_s = min(float(max(timeout_s, 1)), remaining_s)
        shell_command = ShellCommand(command, stdin, allowed_s)
        return run_in_shell(self.container, place, shell_command, self.show_output)
