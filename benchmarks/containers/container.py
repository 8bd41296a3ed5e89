"""A running container, in which commands run.

Every method calls the program `podman` or `docker`, such as `podman exec NAME ls`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from controlplane.benchmarks.containers.container_variables import variable_flags
from controlplane.benchmarks.containers.program_run import (
    KEPT_OUTPUT_BYTES,
    CommandResult,
)
from controlplane.benchmarks.containers.runtime_program import (
    COMMAND_TIMEOUT_S,
    RuntimeProgram,
    go_on,
)
from controlplane.benchmarks.containers.task_values import check_user, check_workdir


@dataclass(frozen=True, slots=True)
class CommandPlace:
    """The user, folder and variables of a container's commands."""

    user: str = ""
    """A name or an id; empty for root."""
    workdir: str = ""
    """Empty for that of the image."""
    variables: Mapping[str, str] = field(default_factory=dict)


ROOT: Final = CommandPlace(user="0:0")
FIND_OWN_PROGRAMS: Final = """
task_path=$PATH
PATH="$PATH:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
"""
"""Begins a shell program of ours: a task may set a PATH in which `mkdir` and `cat` are missing."""


def own_program(program: str, *arguments: str) -> list[str]:
    """Return the words that run a shell program of ours in a container; `$1` is the first argument.

    It finds the usual programs whatever PATH the task sets, and has the task's in `$task_path`.
    """
    return ["/bin/sh", "-c", FIND_OWN_PROGRAMS + program, "sh", *arguments]


@dataclass(frozen=True, slots=True)
class Container:
    """A running container. `ContainerRuntime` creates it in `start` and `find`."""

    program: RuntimeProgram
    name: str

    def run(
        self,
        command: Sequence[str],
        place: CommandPlace,
        *,
        stdin: bytes = b"",
        timeout_s: float = COMMAND_TIMEOUT_S,
        while_waiting: Callable[[], None] | None = None,
        output_bytes: int = KEPT_OUTPUT_BYTES,
    ) -> CommandResult:
        """Run a command in the container and wait for it. Raises `ContainerError`.

        `["ls", "/logs"]` -> a result with exit code, stdout and stderr. Of each output, the
        start and the end are kept, `output_bytes` in all, whatever the container's
        programs print. `while_waiting` is called again and again until the command ends.
        Unless it is given, `CommandInterrupted` is raised when the run is being stopped. A
        user, folder or variable that does not fit its grammar raises `TaskValueError`.

        After a timeout, or an exception from `while_waiting`, the command may still run
        in the container. The caller must end it there. If it was ended because it printed
        without end, the container was restarted.
        """
        check_user(place.user)
        check_workdir(place.workdir)
        options = ["--interactive"]
        if place.user:
            options.append(f"--user={place.user}")
        if place.workdir:
            options.append(f"--workdir={place.workdir}")
        with variable_flags(place.variables) as flags:
            # What follows the name belongs to the command, even if it begins with a dash.
            result = self.program.run(
                *("exec", *options, *flags, self.name, *command),
                stdin=stdin,
                timeout_s=timeout_s,
                while_waiting=while_waiting,
                output_bytes=output_bytes,
            )
        if result.was_endless:
            # It would go on in the container, and podman's own process here would read on. No
            # program of the container is trusted to end it.
            self.program.run("restart", "--time=0", self.name, while_waiting=go_on)
        return result

    def script(
        self,
        script: str,
        *arguments: str,
        timeout_s: float = COMMAND_TIMEOUT_S,
        output_bytes: int = KEPT_OUTPUT_BYTES,
    ) -> CommandResult:
        """Run a script with `sh` as root; `$1` is the first argument.

        Raises `ContainerError`, and `CommandInterrupted` if the run is being stopped.
        """
        command = own_program(script, *arguments)
        return self.run(command, ROOT, timeout_s=timeout_s, output_bytes=output_bytes)

    def copy_in(self, folder: Path, path: str) -> None:
        """Copy a local folder's contents to a path in the container. Raises `ContainerError`."""
        self.program.run_or_raise(
            "copy files into the container", "cp", f"{folder}/.", f"{self.name}:{path}"
        )

    def connect_network(self, *, is_on: bool) -> None:
        """Connect the container to the network, or disconnect it. Raises `ContainerError`.

        The container must have been started with the runtime's default network.
        """
        default_network = "podman" if self.program.name == "podman" else "bridge"
        verb = "connect" if is_on else "disconnect"
        self.program.run_or_raise(
            f"{verb} the network", "network", verb, default_network, self.name
        )
