"""Runs the commands of an agent in the shell of its container.

A script calls `harness.shell("make test")`, and gets the output and the exit code.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from controlplane.agent.loop import LeftOpen
from controlplane.benchmarks.containers.container import CommandPlace, Container
from controlplane.benchmarks.containers.container_command import (
    TaskCommand,
    run_command,
)
from controlplane.benchmarks.containers.runtime_program import CommandInterrupted
from controlplane.sandbox.interface import CallError, Plain, error_codes

OUTPUT_BYTES: Final = 60_000
"""The most bytes of stdout, and of stderr, in a result. The middle of a longer output is left
out, and the result names the file in the container that has all of it."""
RUN_IN_SHELL: Final = 'if command -v bash >/dev/null 2>&1; then exec bash -c "$1"; else exec sh -c "$1"; fi'
"""Runs its argument in bash, or in sh if the image has no bash."""


@dataclass(frozen=True, slots=True)
class ShellCommand:
    """A command as a script gives it to the shell."""

    text: str
    """The command, as `make test 2>&1 | tail`."""
    stdin: str
    timeout_s: float


def run_in_shell(
    container: Container,
    place: CommandPlace,
    command: ShellCommand,
    show_output: Callable[[str], None],
) -> dict[str, Plain]:
    """Run a command until it ends or its time is over, and return its result's fields.

    `show_output` is called repeatedly with the end of a long command's output. Raises
    `CallError`, `ContainerError`, and `LeftOpen` if the run is being stopped.
    """
    if "\0" in command.text:
        msg = "a command has no NUL character"
        raise CallError(error_codes.INVALID_ARGUMENT, msg)
    task_command = TaskCommand(
        words=["/bin/sh", "-c", RUN_IN_SHELL, "sh", command.text],
        place=place,
        timeout_s=command.timeout_s,
        output_bytes=OUTPUT_BYTES,
        stdin=command.stdin.encode("utf-8", "replace"),
    )
    try:
        result = run_command(container, task_command, show_output)
    except CommandInterrupted as interruption:
        # It is unknown how much the command has done. `LeftOpen` ends the trial for now, and
        # the run's journal has the call without a result. A resumed run goes on from there.
        raise LeftOpen from interruption
    return {
        "stdout": result.stdout.decode("utf-8", "replace"),
        "stderr": result.stderr.decode("utf-8", "replace"),
        "exit_code": result.exit_code,
    }
