"""Containers of the runtime on this machine: podman or docker, called as a program.

`ContainerRuntime` builds images and starts, finds and removes containers; `Container` runs commands
in one. Commands of our own that fail raise `ContainerError` with the last lines of their output.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

RUNTIMES: Final = ("podman", "docker")
COMMAND_TIMEOUT_S: Final = 120.0
"""Seconds for a command of ours that neither builds, pulls nor runs something of a task."""
LAST_LINES: Final = 12
"""Lines of a failed command's output that an error shows."""
LAST_LINE_CHARS: Final = 300
OWNER_LABEL: Final = "controlplane.owner"
RUN_LABEL: Final = "controlplane.run"
TRIAL_LABEL: Final = "controlplane.trial"
ENDED_SUFFIX: Final = "-ended"
"""The end of the name of a container whose trial has ended, until the container is removed."""
IDLE_COMMAND: Final = 'trap "exit 0" TERM; while :; do sleep 3600 & wait $!; done'
"""Keeps a container alive, reaps its processes, and ends at once when the container is stopped."""


LIMIT_NAMES: Final = ("memory", "cores", "processes")
INFO_FORMATS: Final = {
    "podman": "{{.Host.Security.Rootless}} {{.Host.CgroupsVersion}}",
    "docker": "{{.MemoryLimit}} {{.CPUCfsQuota}} {{.PidsLimit}}",
}
"""What the command `info` of each runtime is asked for."""
WAIT_CHECK_S: Final = 0.2
"""Seconds between two calls of `while_waiting` while a program runs."""


class CommandInterrupted(Exception):
    """The run is being stopped, so a command of a task was not waited for."""


class ContainerError(Exception):
    """The container runtime failed; the message says at what, with its last lines."""


@dataclass(frozen=True, slots=True)
class CommandResult:
    """The end of a command."""

    stdout: bytes
    stderr: bytes
    exit_code: int
    timed_out: bool = False


@dataclass(frozen=True, slots=True)
class ImageDefaults:
    """Where and as whom programs run unless a task says otherwise."""

    workdir: str
    user: str
    """Empty for root."""


@dataclass(frozen=True, slots=True)
class ContainerLimits:
    """Limits of one container; those that are 0 or empty do not apply."""

    memory: str = ""
    """As the runtime writes it, such as `2048m`."""
    cpus: float = 0.0
    pids: int = 512
    """Processes and threads; a limit by `ulimit` would not hold for root."""
    storage: str = ""
    """Size of the container's own layer, which only some storage drivers can limit."""


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
    """Return the label by which containers of this user are told from those of others."""
    return f"uid-{os.getuid()}"


def limits_not_enforced(runtime_name: str, information: str) -> list[str]:
    """Return the limits that a runtime cannot enforce, by what its command `info` prints.

    For example, docker's `true false true` means that it cannot limit cores. Podman limits nothing
    if it is rootless and the machine has control groups of version 1: `true v1`.
    """
    words = information.split()
    if runtime_name == "podman":
        return list(LIMIT_NAMES) if words == ["true", "v1"] else []
    names = []
    for name, word in zip(LIMIT_NAMES, words, strict=False):
        if word == "false":
            names.append(name)
    return names


def last_lines(output: bytes) -> list[str]:
    """Return the last lines of a command's output, each cut to a bounded length."""
    lines = output.decode("utf-8", "replace").rstrip().splitlines()
    return [line[:LAST_LINE_CHARS] for line in lines[-LAST_LINES:]]


class ContainerRuntime:
    """The program `podman` or `docker`. Used from many threads at once."""

    def __init__(
        self,
        program: str,
        run_flags: Sequence[str] = (),
        build_flags: Sequence[str] = (),
        stop: threading.Event | None = None,
    ) -> None:
        """`stop` is set while the run is being stopped."""
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
        """Return which limits of containers the runtime cannot enforce here, such as `memory`."""
        format_text = INFO_FORMATS.get(self.name, "")
        result = self._run("info", "--format", format_text)
        return limits_not_enforced(self.name, result.stdout.decode("utf-8", "replace"))

    # Images

    def has_image(self, image: str) -> bool:
        """Say whether an image is on this machine."""
        return self._run("image", "inspect", image).exit_code == 0

    def pull(self, image: str, timeout_s: float) -> None:
        """Pull an image from its registry. Raises `ContainerError` and `CommandInterrupted`."""
        self._checked(
            f"pull the image {image}",
            "pull",
            image,
            timeout_s=timeout_s,
            while_waiting=self.raise_if_stopped,
        )

    def build(
        self, folder: Path, image: str, timeout_s: float, *, has_network: bool, may_pull: bool
    ) -> None:
        """Build the image of a folder with a Dockerfile.

        Raises `ContainerError` and `CommandInterrupted`.
        """
        arguments = ["build", "--tag", image]
        if not has_network:
            arguments += ["--network", "none"]
        if self.name == "podman":
            # Docker has no such flag: its builds pull a base image that is missing.
            arguments += ["--pull=missing" if may_pull else "--pull=never"]
        arguments += [*self.build_flags, str(folder)]
        self._checked(
            "build the image",
            *arguments,
            timeout_s=timeout_s,
            while_waiting=self.raise_if_stopped,
        )

    def image_defaults(self, image: str) -> ImageDefaults:
        """Return where and as whom programs of an image run. Raises `ContainerError`."""
        format_text = "{{.Config.WorkingDir}}\n{{.Config.User}}"
        result = self._checked(
            f"inspect the image {image}", "image", "inspect", "--format", format_text, image
        )
        workdir, _, user = result.stdout.decode("utf-8", "replace").partition("\n")
        return ImageDefaults(workdir.strip() or "/", user.strip())

    # Containers

    def start(self, spec: ContainerSpec) -> Container:
        """Start a container that idles. Raises `ContainerError`."""
        arguments = ["run", "--detach", "--pull=never", *self.run_flags, "--name", spec.name]
        for name, value in spec.labels.items():
            arguments += ["--label", f"{name}={value}"]
        # Values travel in the environment of the program, where other users do not see them.
        for name in spec.variables:
            arguments += ["--env", name]
        arguments += self._limit_arguments(spec.limits)
        if not spec.has_network:
            arguments += ["--network", "none"]
        arguments += ["--user", "0:0", "--entrypoint", "sh", spec.image, "-c", IDLE_COMMAND]
        variables = {**os.environ, **spec.variables}
        try:
            self._checked(f"start a container of {spec.image}", *arguments, variables=variables)
        except ContainerError:
            # It may have been made and not started.
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
        """Return the container of this name, started again if it was stopped; None without one.

        Raises `ContainerError`.
        """
        result = self._run("inspect", "--type", "container", "--format", "{{.State.Running}}", name)
        if result.exit_code != 0:
            return None
        if result.stdout.strip() != b"true":
            self._checked(f"start the container {name} again", "start", name)
        return Container(self, name)

    def names(self, labels: Mapping[str, str]) -> list[str]:
        """Return the names of all containers with these labels. Raises `ContainerError`."""
        arguments = ["ps", "--all", "--format", "{{.Names}}"]
        for name, value in labels.items():
            arguments += ["--filter", f"label={name}={value}"]
        result = self._checked("list containers", *arguments)
        return result.stdout.decode("utf-8", "replace").split()

    def mark_ended(self, name: str) -> None:
        """Rename a container whose trial has ended, so that a later start removes it."""
        self._run("rename", name, name + ENDED_SUFFIX)

    def remove(self, name: str) -> None:
        """End and remove a container; one that is not there is no error."""
        self._run("rm", "--force", "--volumes", name)

    def stop(self, name: str) -> None:
        """Stop a container's processes and keep its files."""
        self._run("stop", "--time", "2", name)

    # Calling the program

    def raise_if_stopped(self) -> None:
        """Raise `CommandInterrupted` if the run is being stopped."""
        if self.stop_signal.is_set():
            raise CommandInterrupted

    def _run(
        self,
        *arguments: str,
        timeout_s: float = COMMAND_TIMEOUT_S,
        variables: Mapping[str, str] | None = None,
    ) -> CommandResult:
        """Run the program and return how it ended; one that overruns is ended."""
        return self.run_program(arguments, b"", timeout_s, variables)

    def run_program(
        self,
        arguments: Sequence[str],
        stdin: bytes,
        timeout_s: float,
        variables: Mapping[str, str] | None = None,
        while_waiting: Callable[[], None] | None = None,
    ) -> CommandResult:
        """Run the program with this input and return how it ended; one that overruns is ended.

        `while_waiting` is called again and again while the program runs; if it raises an exception,
        the program is ended and the exception goes on. Raises `ContainerError` if the program
        cannot be run.
        """
        try:
            process = subprocess.Popen(
                [self.program, *arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=variables,
                start_new_session=True,  # Ctrl-C in the terminal is ours to handle.
            )
        except OSError as error:
            msg = f"{self.program} cannot be run: {error}"
            raise ContainerError(msg) from error

        ends_at = time.monotonic() + timeout_s
        unsent_input: bytes | None = stdin
        try:
            while True:
                wait_s = max(ends_at - time.monotonic(), 0.0)
                if while_waiting is not None:
                    wait_s = min(wait_s, WAIT_CHECK_S)
                try:
                    stdout, stderr = process.communicate(unsent_input, timeout=wait_s)
                    return CommandResult(stdout, stderr, process.returncode)
                except subprocess.TimeoutExpired:
                    # The next call of `communicate` goes on with the input that it has.
                    unsent_input = None

                if time.monotonic() >= ends_at:
                    _end_group(process)
                    stdout, stderr = process.communicate()
                    return CommandResult(stdout, stderr, -1, timed_out=True)
                if while_waiting is not None:
                    while_waiting()
        except BaseException:
            _end_group(process)
            process.communicate()
            raise

    def _checked(
        self,
        purpose: str,
        *arguments: str,
        timeout_s: float = COMMAND_TIMEOUT_S,
        variables: Mapping[str, str] | None = None,
        while_waiting: Callable[[], None] | None = None,
    ) -> CommandResult:
        """Run the program. Raises `ContainerError` if it fails or overruns."""
        result = self.run_program(arguments, b"", timeout_s, variables, while_waiting)
        if result.timed_out:
            msg = f"{self.name} could not {purpose} within {timeout_s:g} s"
        elif result.exit_code != 0:
            msg = f"{self.name} could not {purpose}"
        else:
            return result
        raise ContainerError("\n".join([msg, *last_lines(result.stdout + result.stderr)]))


def _end_group(process: subprocess.Popen[bytes]) -> None:
    """End a process and those that it started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        process.kill()


@dataclass(frozen=True, slots=True)
class Container:
    """One running container."""

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

        A command that overruns, or that `while_waiting` ends by an exception, goes on in the
        container, unless its caller ends it there.
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
        return self.runtime.run_program(arguments, stdin, timeout_s, environment, while_waiting)

    def script(
        self, script: str, *arguments: str, timeout_s: float = COMMAND_TIMEOUT_S
    ) -> CommandResult:
        """Run a script of `sh` as root; `$1` is the first argument. Raises `ContainerError`."""
        command = ["sh", "-c", script, "sh", *arguments]
        return self.run(command, user="0:0", timeout_s=timeout_s)

    def copy_in(self, folder: Path, path: str) -> None:
        """Copy what a folder of this machine holds into a folder of the container.

        Raises `ContainerError`.
        """
        self.runtime._checked(f"copy {folder.name}", "cp", f"{folder}/.", f"{self.name}:{path}")

    def connect_network(self, *, is_on: bool) -> None:
        """Give the container its network back, or take it away. Raises `ContainerError`.

        It was started with the runtime's default network.
        """
        network = "podman" if self.runtime.name == "podman" else "bridge"
        verb = "connect" if is_on else "disconnect"
        self.runtime._checked(f"{verb} the network", "network", verb, network, self.name)


def find_runtime(
    choice: str, variables: Mapping[str, str], stop: threading.Event | None = None
) -> ContainerRuntime:
    """Return the runtime that the user chose, or the first one on PATH for an empty choice.

    `CONTAINER_RUN_FLAGS` and `CONTAINER_BUILD_FLAGS` among the variables are flags for machines that need
    special ones. Raises `ContainerError` if there is none.
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
