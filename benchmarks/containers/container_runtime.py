"""Starts, finds and removes the containers of this machine, with podman or docker.

Containers have labels with their owner, their run and their trial. By these, a resumed run
finds the containers that an earlier process has started.
"""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from controlplane.benchmarks.containers.container import Container
from controlplane.benchmarks.containers.container_spec import ContainerSpec
from controlplane.benchmarks.containers.container_variables import (
    run_flags_of_proxies,
    variable_flags,
)
from controlplane.benchmarks.containers.image_commands import ImageCommands
from controlplane.benchmarks.containers.runtime_program import (
    ContainerError,
    RuntimeProgram,
    go_on,
)

RUNTIMES: Final = ("podman", "docker")
OWNER_LABEL: Final = "controlplane.owner"
RUN_LABEL: Final = "controlplane.run"
TRIAL_LABEL: Final = "controlplane.trial"
ENDED_SUFFIX: Final = "-ended"
"""Added to a container's name when its trial ends. Such a container is removed later."""


def owner() -> str:
    """Return the label value that marks containers of this user."""
    return f"uid-{os.getuid()}"


@dataclass(frozen=True, slots=True)
class ContainerRuntime:
    """The containers and images of this machine. It may be used from many threads at once."""

    program: RuntimeProgram
    images: ImageCommands
    run_flags: tuple[str, ...] = ()
    """The user's own flags for the start of containers."""

    @property
    def name(self) -> str:
        """`podman` or `docker`."""
        return self.program.name

    def start(self, spec: ContainerSpec) -> Container:
        """Start a container that waits for commands.

        Raises `ContainerError`, and `CommandInterrupted` if the run is being stopped.
        """
        try:
            with variable_flags(spec.variables) as flags:
                proxy_flags = run_flags_of_proxies(self.name, spec.variables)
                words = spec.run_words((*proxy_flags, *self.run_flags), flags)
                self.program.run_or_raise(f"start a container of {spec.image}", *words)
        except BaseException:
            # The container may exist although it did not start.
            self.remove(spec.name)
            raise
        return Container(self.program, spec.name)

    def find(self, name: str) -> Container | None:
        """Return the container with this name, restarted if it was stopped; None if there is none.

        Raises `ContainerError`.
        """
        result = self.program.run(
            "inspect", "--type", "container", "--format", "{{.State.Running}}", name
        )
        if result.exit_code != 0:
            return None
        if result.stdout.strip() != b"true":
            purpose = f"start the container {name} again"
            self.program.run_or_raise(purpose, "start", name)
        return Container(self.program, name)

    def names(self, labels: Mapping[str, str]) -> list[str]:
        """Return the names of all containers with these labels. Raises `ContainerError`."""
        arguments = ["ps", "--all", "--format", "{{.Names}}"]
        for name, value in labels.items():
            arguments += ["--filter", f"label={name}={value}"]
        result = self.program.run_or_raise("list containers", *arguments)
        return result.stdout.decode("utf-8", "replace").split()

    # These clean up, also while the run is being stopped.

    def mark_ended(self, name: str) -> None:
        """Rename a container whose trial has ended, so that the next start of a run removes it."""
        self.program.run("rename", name, name + ENDED_SUFFIX, while_waiting=go_on)

    def remove(self, name: str) -> None:
        """Stop and remove a container. Do nothing if it does not exist."""
        self.program.run("rm", "--force", "--volumes", name, while_waiting=go_on)

    def stop(self, name: str) -> None:
        """Stop a container's processes and keep its files."""
        self.program.run("stop", "--time", "2", name, while_waiting=go_on)


def find_runtime(
    choice: str,
    variables: Mapping[str, str],
    stop: threading.Event | None = None,
    notify: Callable[[str], None] = lambda text: None,
) -> ContainerRuntime:
    """Return the runtime that the user chose, or the first one on PATH if `choice` is empty.

    The variables `CONTAINER_RUN_FLAGS` and `CONTAINER_BUILD_FLAGS` add flags for
    machines that need them. `stop` is set when the run is being stopped. `notify` tells
    the user of pulls. Raises `ContainerError` if no runtime is found.
    """
    names = (choice,) if choice else RUNTIMES
    for name in names:
        path = shutil.which(name, path=variables.get("PATH"))
        if path is not None:
            program = RuntimeProgram(path, stop or threading.Event())
            build_flags = variables.get("CONTAINER_BUILD_FLAGS", "").split()
            run_flags = variables.get("CONTAINER_RUN_FLAGS", "").split()
            images = ImageCommands(program, tuple(build_flags), notify)
            return ContainerRuntime(program, images, tuple(run_flags))
    msg = f"there is no {' and no '.join(names)} on PATH: install podman or docker"
    raise ContainerError(msg)
