"""The environment of one trial: a shell and files in its container.

It keeps no state of its own, so a resumed run can continue with the same container.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from controlplane.agent.loop import LeftOpen
from controlplane.benchmarks.containers.container_command import (
    TIMEOUT_EXIT_CODE,
    CommandPlace,
    TaskCommand,
    run_command,
    show_nothing,
)
from controlplane.benchmarks.containers.container_runtime import (
    CommandInterrupted,
    Container,
    ContainerError,
)
from controlplane.benchmarks.harbor.container_files import ContainerFiles
from controlplane.sandbox.interface import (
    CallError,
    Effect,
    Operation,
    Parameter,
    Plain,
    ResultField,
    ToolSchema,
    bound_arguments,
    error_codes,
)
from controlplane.sandbox.interface.file_operations import (
    DELETE,
    FIND,
    LIST,
    READ,
    SEARCH,
    STAT,
    WRITE,
)

OUTPUT_BYTES: Final = 60_000
"""The most bytes of stdout, and of stderr, in a result. A file has the whole output."""
DEFAULT_SHELL_TIMEOUT_S: Final = 600
GRACE_S: Final = 30.0
"""Seconds that a call may take in addition to the command that it runs."""
RUN_IN_SHELL: Final = 'if command -v bash >/dev/null 2>&1; then exec bash -c "$1"; else exec sh -c "$1"; fi'
"""Runs its argument in bash, or in sh if the image has no bash."""


def shell_operation(longest_s: float) -> Operation:
    """Return the operation `shell`. A command may take `longest_s`, as long as the trial."""
    return Operation(
        name="shell",
        parameters=(
            Parameter("command", "str"),
            Parameter("stdin", "str", ""),
            Parameter("workdir", "str", ""),
            Parameter("timeout_s", "int", DEFAULT_SHELL_TIMEOUT_S),
        ),
        fields=(ResultField("stdout"), ResultField("stderr"), ResultField("exit_code")),
        summary=(
            "run a command in the container's shell; after timeout_s it is ended with exit code "
            f"{TIMEOUT_EXIT_CODE}; for a service, end the command with &"
        ),
        effect=Effect.EXECUTES,  # A command may change anything.
        subject="command",
        exit_field="exit_code",
        longest_s=longest_s,
        is_trusted=True,
    )


def tool_schema_of(agent_timeout_s: float) -> ToolSchema:
    """Return the operations of a trial with this time limit."""
    search = SEARCH._replace(
        summary="lines that match an extended regular expression of grep",
        is_trusted=True,
    )
    files = (READ, WRITE, LIST, FIND, search, STAT, DELETE)
    return ToolSchema(
        operations=(shell_operation(agent_timeout_s + GRACE_S), *files),
        # Other benchmarks block calls whose arguments come from untrusted files. Here all
        # files are trusted: programs are normally written from texts that were read, and
        # the container is isolated.
        trusted_roots=("/",),
        citations="none",
    )


class TerminalEnvironment:
    """The shell and files of one trial.

    Created when the trial starts; used by one thread at a time.
    """

    def __init__(
        self, container: Container, place: CommandPlace, agent_timeout_s: float
    ) -> None:
        self.container = container
        self.tool_schema = tool_schema_of(agent_timeout_s)
        self.ends_at = math.inf
        """When the trial's time is over, by `time.monotonic`. The trial sets it."""
        self.is_answered = False
        self.show_output: Callable[[str], None] = show_nothing
        """Shows the user the last part of a running command's output.

        Called with an empty text when the command ends.
        """
        self._place = place
        self._files = ContainerFiles(container, place.user, place.workdir)
        self._is_open = True

    def now(self) -> datetime | None:
        """Return None: scripts have no clock. Commands use the container's clock."""
        return None

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        """Make one call and return its result fields. Raises `CallError`."""
        if not self._is_open:
            raise CallError(error_codes.FAILED_PRECONDITION, "this trial has ended")
        declared = self.tool_schema.operation(operation)
        if declared is None:
            msg = f"there is no operation {operation[:60]!r}"
            raise CallError(error_codes.UNIMPLEMENTED, msg)
        values: dict[str, Any] = bound_arguments(declared, (), dict(arguments))
        try:
            return self._result_of(operation, values)
        except ContainerError as error:
            raise CallError(error_codes.INTERNAL, str(error)) from error

    def answer(self, message: str, outcome: str, refs: Sequence[str]) -> None:
        """Record the answer, which ends the work. Raises `CallError` for a second answer."""
        if self.is_answered:
            msg = "this trial has its answer already"
            raise CallError(error_codes.ALREADY_EXISTS, msg)
        self.is_answered = True

    def close(self) -> None:
        """Refuse all later calls."""
        self._is_open = False

    def _result_of(self, operation: str, values: dict[str, Any]) -> dict[str, Plain]:
        """Return the result of an operation. `values` has all its arguments."""
        if operation == "shell":
            return self._shell(**values)
        result: dict[str, Plain] = getattr(self._files, operation)(**values)
        return result

    def _shell(
        self, command: str, stdin: str, workdir: str, timeout_s: int
    ) -> dict[str, Plain]:
        """Run a command until it ends, or until its own time or the trial's time is over.

        A relative `workdir` starts at the task's working directory.
        """
        if "\0" in command:
            msg = "a command has no NUL character"
            raise CallError(error_codes.INVALID_ARGUMENT, msg)
        remaining_s = self.ends_at - time.monotonic()
        if remaining_s <= 0:
            msg = "the time of this trial is over"
            raise CallError(error_codes.FAILED_PRECONDITION, msg)
        task_command = TaskCommand(
            words=["sh", "-c", RUN_IN_SHELL, "sh", command],
            place=replace(self._place, workdir=self._files.absolute(workdir)),
            timeout_s=min(float(max(timeout_s, 1)), remaining_s),
            output_bytes=OUTPUT_BYTES,
            stdin=stdin.encode("utf-8", "replace"),
        )
        try:
            result = run_command(self.container, task_command, self.show_output)
        except CommandInterrupted as interruption:
            # It is unknown how much the command has done. `LeftOpen` keeps the call in the
            # journal without a result.
            raise LeftOpen from interruption
        return {
            "stdout": result.stdout.decode("utf-8", "replace"),
            "stderr": result.stderr.decode("utf-8", "replace"),
            "exit_code": result.exit_code,
        }
