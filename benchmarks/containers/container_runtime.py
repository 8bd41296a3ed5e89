"""Run containers on this machine with the program podman or docker.

`ContainerRuntime` builds images and starts, finds and removes containers. `Container`
runs commands in one. `ContainerError` is raised if the program itself fails; it has the
last lines of the output.
"""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from controlplane.benchmarks.containers.program_run import (
    CommandResult,
    ProgramNotStarted,
    run_program,
)

RUNTIMES: Final = ("podman", "docker")
COMMAND_TIMEOUT_S: Final = 120.0
"""Seconds for a command of the runtime that does not build, pull or run a task's program."""
LAST_LINES: Final = 12
"""The number of output lines of a failed command in an error message."""
LAST_LINE_CHARS: Final = 300
OWNER_LABEL: Final = "controlplane.owner"
RUN_LABEL: Final = "controlplane.run"
TRIAL_LABEL: Final = "controlplane.trial"
ENDED_SUFFIX: Final = "-ended"
"""Added to a container's name when its trial ends. Such a container is removed later."""
IDLE_COMMAND: Final = 'trap "exit 0" TERM; while :; do sleep 3600 & wait $!; done'
"""The first process of a container. It sleeps until the container stops, and then exits at once.

A plain `sleep` would ignore the signal to stop, so `sleep` runs in the background
of a shell. The shell handles the signal, and also cleans up processes
that lost their parent.
"""


class CommandInterrupted(Exception):
    """The run is being stopped, so a task's command was interrupted."""


class ContainerError(Exception):
    """The container runtime failed. The message has the last lines of its output."""


@dataclass(frozen=True, slots=True)
class ImageDefaults:
    """The folder and user of an image's programs, unless a task names others."""

    workdir: str
    user: str
    """Empty for root."""


@dataclass(frozen=True, slots=True)
class ContainerLimits:
    """Limits of one container; 0 or an empty text means no limit."""

    memory: str = ""
    """In the runtime's notation, such as `2048m`."""
    cpus: float = 0.0
    pids: int = 512
    """Processes and threads. The container's limit also applies to root; `ulimit` would not."""
    storage: str = ""
    """The size of the container's own layer. Only some storage drivers can limit it."""


@dataclass(frozen=True, slots=True)
class ContainerSpec:
    """A container to start."""

    image: str
    name: str
    labels: Mapping[str, str]
    variables: Mapping[str, str] = field(default_factory=dict)
    limits: ContainerLimits = field(default_factory=ContainerLimits)
    has_network: bool = False


def owner() -> str:
    """Return the label value that marks containers of this user."""
    return f"uid-{os.getuid()}"


LIMIT_NAMES: Final = ("memory", "cores", "processes")
INFO_FORMATS: Final = {
    "podman": "{{.Host.Security.Rootless}} {{.Host.CgroupsVersion}}",  # `true v1`
    "docker": "{{.MemoryLimit}} {{.CPUCfsQuota}} {{.PidsLimit}}",  # in the order of `LIMIT_NAMES`
}
"""The formats in which the `info` command prints what `limits_not_enforced` reads."""


def limits_not_enforced(runtime_name: str, information: str) -> list[str]:
    """Return the limits that a runtime cannot enforce.

    `information` is the output of its `info` command in the format of `INFO_FORMATS`.
    `true false true` from docker means that it cannot limit cores.
    """
    words = information.split()
    if runtime_name == "podman":
        # Control groups are how the kernel limits processes. Those of version 1 are for
        # root only, so podman without root (rootless) cannot limit anything with them.
        is_rootless_with_v1 = words == ["true", "v1"]
        return list(LIMIT_NAMES) if is_rootless_with_v1 else []
    names = []
    # No words if `info` failed.
    for name, is_enforced in zip(LIMIT_NAMES, words, strict=False):
        if is_enforced == "false":
            names.append(name)
    return names


def last_lines(output: bytes) -> list[str]:
    """Return the last lines of a command's output, each shortened to a fixed length."""
    lines = output.decode("utf-8", "replace").rstrip().splitlines()
    return [line[:LAST_LINE_CHARS] for line in lines[-LAST_LINES:]]


class ContainerRuntime:
    """The program `podman` or `docker`. It may be used from many threads at once."""

    def __init__(
        self,
        program: str,
        run_flags: Sequence[str] = (),
        build_flags: Sequence[str] = (),
        stop: threading.Event | None = None,
    ) -> None:
        """Set up the runtime. `stop` is set when the run is being stopped."""
        self.program = program
        self.stop_signal = stop or threading.Event()
        self.run_flags = tuple(run_flags)
        self.build_flags = tuple(build_flags)

    @property
    def name(self) -> str:
        """`podman` or `docker`."""
        return Path(self.program).name

    # This machine

    def unenforced_limits(self) -> list[str]:
        """Return the container limits that the runtime cannot enforce here, such as `memory`."""
        format_text = INFO_FORMATS.get(self.name, "")
        result = self.run("info", "--format", format_text)
        return limits_not_enforced(self.name, result.stdout.decode("utf-8", "replace"))

    # Images

    def has_image(self, image: str) -> bool:
        """Return True if an image is on this machine."""
        return self.run("image", "inspect", image).exit_code == 0

    def pull(self, image: str, timeout_s: float) -> None:
        """Pull an image from its registry. Raises `ContainerError` and `CommandInterrupted`."""
        self.run_or_raise(
            f"pull the image {image}",
            "pull",
            image,
            timeout_s=timeout_s,
            while_waiting=self.raise_if_stopped,
        )

    def build(
        self,
        folder: Path,
        image: str,
        timeout_s: float,
        *,
        has_network: bool,
        may_pull: bool,
    ) -> None:
        """Build an image from a folder that has a Dockerfile.

        Raises `ContainerError` and `CommandInterrupted`.
        """
        arguments = ["build", "--tag", image]
        if not has_network:
            arguments += ["--network", "none"]
        if self.name == "podman":
            # Docker has no such flag. It always pulls a missing base image.
            arguments += ["--pull=missing" if may_pull else "--pull=never"]
        arguments += [*self.build_flags, str(folder)]
        self.run_or_raise(
            "build the image",
            *arguments,
            timeout_s=timeout_s,
            while_waiting=self.raise_if_stopped,
        )

    def image_defaults(self, image: str) -> ImageDefaults:
        """Return the working folder and user of an image's programs. Raises `ContainerError`."""
        format_text = "{{.Config.WorkingDir}}\n{{.Config.User}}"
        result = self.run_or_raise(
            f"inspect the image {image}",
            "image",
            "inspect",
            "--format",
            format_text,
            image,
        )
        workdir, _, user = result.stdout.decode("utf-8", "replace").partition("\n")
        return ImageDefaults(workdir.strip() or "/", user.strip())

    # Containers

    def start(self, spec: ContainerSpec) -> Container:
        """Start a container that waits for commands. Raises `ContainerError`."""
        arguments = [
            "run",
            "--detach",
            "--pull=never",
            *self.run_flags,
            "--name",
            spec.name,
        ]
        for name, value in spec.labels.items():
            arguments += ["--label", f"{name}={value}"]
        # Only names are arguments, because all users can see a program's arguments. The
        # values are in its environment.
        for name in spec.variables:
            arguments += ["--env", name]
        arguments += self._limit_arguments(spec.limits)
        if not spec.has_network:
            arguments += ["--network", "none"]
        arguments += [
            "--user",
            "0:0",
            "--entrypoint",
            "sh",
            spec.image,
            "-c",
            IDLE_COMMAND,
        ]
        variables = {**os.environ, **spec.variables}
        try:
            self.run_or_raise(
                f"start a container of {spec.image}", *arguments, variables=variables
            )
        except ContainerError:
            # The container may exist although it did not start.
            self.remove(spec.name)
            raise
        return Container(self, spec.name)

    def _limit_arguments(self, limits: ContainerLimits) -> list[str]:
        arguments = ["--pids-limit", str(limits.pids)]
        if limits.memory:
            arguments += ["--memory", limits.memory]
        if limits.cpus:
            arguments += ["--cpus", f"{limits.cpus:g}"]
        if limits.storage:
            arguments += ["--storage-opt", f"size={limits.storage}"]
        return arguments

    def find(self, name: str) -> Container | None:
        """Return the container with this name, restarted if it was stopped; None if there is none.

        Raises `ContainerError`.
        """
        result = self.run(
            "inspect", "--type", "container", "--format", "{{.State.Running}}", name
        )
        if result.exit_code != 0:
            return None
        if result.stdout.strip() != b"true":
            self.run_or_raise(f"start the container {name} again", "start", name)
        return Container(self, name)

    def names(self, labels: Mapping[str, str]) -> list[str]:
        """Return the names of all containers with these labels. Raises `ContainerError`."""
        arguments = ["ps", "--all", "--format", "{{.Names}}"]
        for name, value in labels.items():
            arguments += ["--filter", f"label={name}={value}"]
        result = self.run_or_raise("list containers", *arguments)
        return result.stdout.decode("utf-8", "replace").split()

    def mark_ended(self, name: str) -> None:
        """Rename a container whose trial has ended, so that the next start of a run removes it."""
        self.run("rename", name, name + ENDED_SUFFIX)

    def remove(self, name: str) -> None:
        """Stop and remove a container. Do nothing if it does not exist."""
        self.run("rm", "--force", "--volumes", name)

    def stop(self, name: str) -> None:
        """Stop a container's processes and keep its files."""
        self.run("stop", "--time", "2", name)

    # Calling the program

    def raise_if_stopped(self) -> None:
        """Raise `CommandInterrupted` if the run is being stopped."""
        if self.stop_signal.is_set():
            raise CommandInterrupted

    def run(
        self,
        *arguments: str,
        stdin: bytes = b"",
        timeout_s: float = COMMAND_TIMEOUT_S,
        variables: Mapping[str, str] | None = None,
        while_waiting: Callable[[], None] | None = None,
    ) -> CommandResult:
        """Run the program and return its result, even if it fails. Kill it after `timeout_s`.

        `while_waiting` is called repeatedly while the program runs. If it raises an
        exception, the program is killed and the exception is raised again. Raises
        `ContainerError` if the program cannot be started.
        """
        try:
            return run_program(
                [self.program, *arguments], stdin, timeout_s, variables, while_waiting
            )
        except ProgramNotStarted as error:
            raise ContainerError(str(error)) from error

    def run_or_raise(
        self,
        purpose: str,
        *arguments: str,
        timeout_s: float = COMMAND_TIMEOUT_S,
        variables: Mapping[str, str] | None = None,
        while_waiting: Callable[[], None] | None = None,
    ) -> CommandResult:
        """Run the program and return its result. Raises `ContainerError` if it fails.

        `purpose` completes the message of this error: `pull the image x` -> `podman
        could not pull the image x`.
        """
        result = self.run(
            *arguments,
            timeout_s=timeout_s,
            variables=variables,
            while_waiting=while_waiting,
        )
        if result.exit_code == 0 and not result.timed_out:
            return result
        msg = f"{self.name} could not {purpose}"
        if result.timed_out:
            msg += f" within {timeout_s:g} s"
        output = last_lines(result.stdout + result.stderr)
        raise ContainerError("\n".join([msg, *output]))


@dataclass(frozen=True, slots=True)
class Container:
    """A running container. `ContainerRuntime` creates it in `start` and `find`."""

    runtime: ContainerRuntime
    name: str

    def run(  # noqa: PLR0913 - each is a flag of `exec`, or a limit
        self,
        command: Sequence[str],
        *,
        stdin: bytes = b"",
        user: str = "",
        workdir: str = "",
        variables: Mapping[str, str] | None = None,
        timeout_s: float = COMMAND_TIMEOUT_S,
        while_waiting: Callable[[], None] | None = None,
    ) -> CommandResult:
        """Run a command in the container and wait for it. Raises `ContainerError`.

        After a timeout, or an exception from `while_waiting`, the command may still run
        in the container. The caller must end it there.
        """
        arguments = ["exec", "--interactive"]
        if user:
            arguments += ["--user", user]
        if workdir:
            arguments += ["--workdir", workdir]
        for name in variables or {}:
            arguments += ["--env", name]
        environment = {**os.environ, **(variables or {})}
        arguments += [self.name, *command]
        return self.runtime.run(
            *arguments,
            stdin=stdin,
            timeout_s=timeout_s,
            variables=environment,
            while_waiting=while_waiting,
        )

    def script(
        self, script: str, *arguments: str, timeout_s: float = COMMAND_TIMEOUT_S
    ) -> CommandResult:
        """Run a script with `sh` as root; `$1` is the first argument. Raises `ContainerError`."""
        command = ["sh", "-c", script, "sh", *arguments]
        return self.run(command, user="0:0", timeout_s=timeout_s)

    def copy_in(self, folder: Path, path: str) -> None:
        """Copy a local folder's contents to a path in the container. Raises `ContainerError`."""
        self.runtime.run_or_raise(
            f"copy {folder.name}", "cp", f"{folder}/.", f"{self.name}:{path}"
        )

    def connect_network(self, *, is_on: bool) -> None:
        """Connect the container to the network, or disconnect it. Raises `ContainerError`.

        The container must have been started with the runtime's default network.
        """
        # The name of the default network
        network = "podman" if self.runtime.name == "podman" else "bridge"
        verb = "connect" if is_on else "disconnect"
        self.runtime.run_or_raise(
            f"{verb} the network", "network", verb, network, self.name
        )


def find_runtime(
    choice: str, variables: Mapping[str, str], stop: threading.Event | None = None
) -> ContainerRuntime:
    """Return the runtime that the user chose, or the first one on PATH if `choice` is empty.

    The variables `CONTAINER_RUN_FLAGS` and `CONTAINER_BUILD_FLAGS` add flags for
    machines that need them. Raises `ContainerError` if no runtime is found.
    """
    names = (choice,) if choice else RUNTIMES
    for name in names:
        program = shutil.which(name, path=variables.get("PATH"))
        if program is not None:
            run_flags = variables.get("CONTAINER_RUN_FLAGS", "").split()
            build_flags = variables.get("CONTAINER_BUILD_FLAGS", "").split()
            return ContainerRuntime(program, run_flags, build_flags, stop)
    msg = f"there is no {' and no '.join(names)} on PATH: install podman or docker"
    raise ContainerError(msg)
