"""Runs one command of a task in a container, with a time limit and limited output.

A command such as `make test &` may start processes that go on in the background, or print
more than a model can read. So its output goes to files in the container: background
processes do not block the call, the output can be shown while the command runs, and what
is too long can be read later. All its processes are in one group, which can be ended.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from controlplane.benchmarks.containers.command_programs import END_COMMAND, RUN_COMMAND
from controlplane.benchmarks.containers.container import (
    CommandPlace,
    Container,
    own_program,
)
from controlplane.benchmarks.containers.output_watch import OutputWatch, show_nothing
from controlplane.benchmarks.containers.program_run import CommandResult

NOTICE_BYTES: Final = 1_000
"""The most bytes of what the programs below add to a long output."""
TIMEOUT_EXIT_CODE: Final = 124
"""The exit code of a command that was ended after its time limit, as for `timeout`."""


@dataclass(frozen=True, slots=True)
class TaskCommand:
    """A command of an agent, a tool or a grader."""

    words: Sequence[str]
    """The program and its arguments: `["bash", "-c", "make test"]`."""
    place: CommandPlace
    timeout_s: float
    output_bytes: int
    """The most bytes of each output in the result."""
    stdin: bytes = b""


def run_command(
    container: Container,
    command: TaskCommand,
    show_output: Callable[[str], None] = show_nothing,
) -> CommandResult:
    """Run a command and wait for it. After its time limit, end its process group.

    `show_output` is called repeatedly with the end of a long command's output,
    and with an empty text when the command ends. Raises `ContainerError`,
    and `CommandInterrupted` if the run is being stopped; the command then
    continues in the container.
    """
    command_folder = f"/tmp/shell-{secrets.token_hex(6)}"
    output_bytes = str(command.output_bytes)
    arguments = [command_folder, output_bytes, *command.words]
    # The programs in the container keep to `output_bytes`, unless somebody has replaced them.
    most_bytes = command.output_bytes + NOTICE_BYTES
    watch = OutputWatch(container, command_folder, show_output)
    try:
        result = container.run(
            own_program(RUN_COMMAND, *arguments),
            command.place,
            stdin=command.stdin,
            timeout_s=command.timeout_s,
            while_waiting=watch.look_if_due,
            output_bytes=most_bytes,
        )
    finally:
        watch.end()
    if not result.timed_out:
        return result

    # The time-out has ended only the runtime's program on this machine, not the command
    # in the container. Its outputs are in its folder.
    ended = container.script(
        END_COMMAND, command_folder, output_bytes, output_bytes=most_bytes
    )
    notice = f"[ended: it took longer than {command.timeout_s:.0f} s]\n".encode()
    return CommandResult(
        ended.stdout, ended.stderr + notice, TIMEOUT_EXIT_CODE, timed_out=True
    )
