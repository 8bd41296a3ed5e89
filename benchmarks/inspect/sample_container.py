"""Containers for samples of Inspect with `sandbox="docker"`, run by podman or docker.

`service_of_sample` finds out which container a sample needs. `SampleContainers` starts
one for each trial and removes it at the end. Inspect's tools and scorers use it as a
`ContainerSandbox`, through `inspect_ai.util.sandbox()`. Inspect itself copies the
sample's files into the container and runs the setup script. This module imports
Inspect, so import it only if a sample needs a container.
"""

from __future__ import annotations

import os
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import anyio.to_thread
from inspect_ai._eval.task.sandbox import read_sandboxenv_file, resolve_sample_files
from inspect_ai._util.path import chdir
from inspect_ai.dataset import Sample
from inspect_ai.util import ExecResult, OutputLimitExceededError, SandboxEnvironment
from inspect_ai.util._sandbox.context import (
    init_sandbox_environments_sample,
    sandbox_default_context_var,
    sandbox_environments_context_var,
    sandbox_with_environments_context_var,
)
from inspect_ai.util._sandbox.environment import SandboxEnvironmentSpec

from controlplane.agent.loop import LeftOpen
from controlplane.benchmarks.containers.compose_file import (
    ComposeError,
    ComposeService,
    compose_file_in,
    read_compose_file,
)
from controlplane.benchmarks.containers.container_command import (
    CommandPlace,
    TaskCommand,
    run_command,
)
from controlplane.benchmarks.containers.container_images import ContainerImages
from controlplane.benchmarks.containers.container_runtime import (
    OWNER_LABEL,
    CommandInterrupted,
    Container,
    ContainerRuntime,
    ContainerSpec,
    owner,
)
from controlplane.benchmarks.containers.container_settings import ContainerSettings

DEFAULT_IMAGE: Final = "docker.io/aisiuk/inspect-tool-support"
"""The image that Inspect uses if a task has neither a compose file nor a Dockerfile."""
BUILD_TIMEOUT_S: Final = 1_800.0
"""Inspect has no limit for builds. Half an hour is enough for the known tasks."""
COMMAND_TIMEOUT_S: Final = 86_400.0
"""For commands without a time limit: in practice the trial's limit applies."""
OUTPUT_BYTES: Final = 10 * 1024 * 1024
"""Inspect's limit for each output of a command."""
FILE_BYTES: Final = 100 * 1024 * 1024
"""Inspect's limit for reading a file."""
NAME_PREFIX: Final = "controlplane-inspect-"

# Exit codes of the programs below
IS_FOLDER: Final = 3
MISSING: Final = 4
NOT_ALLOWED: Final = 5
READ_FILE: Final = f"""
file=$1; bytes=$2
[ -d "$file" ] && exit {IS_FOLDER}
[ -e "$file" ] || exit {MISSING}
head -c "$bytes" "$file" || exit {NOT_ALLOWED}
"""
"""Prints the first bytes of a file."""
WRITE_FILE: Final = f"""
file=$1
[ -d "$file" ] && exit {IS_FOLDER}
mkdir -p "$(dirname "$file")" && cat >"$file" || exit {NOT_ALLOWED}
"""
"""Writes the input to a file, whose folder is created if it is missing."""


def service_of_sample(
    spec: SandboxEnvironmentSpec, task_folder: Path
) -> ComposeService:
    """Return the container that a sample's sandbox describes.

    Paths are relative to the folder of the task's file. Raises `ComposeError`
    with the reason if such a container is not supported, for example because
    there is a second service.
    """
    if spec.type != "docker":
        msg = f"its sandbox is {spec.type!r}, and containers are started for 'docker' alone"
        raise ComposeError(msg)
    if spec.config is None:
        service = _service_of_folder(task_folder)
    elif isinstance(spec.config, str):
        service = _service_of_file(task_folder / spec.config)
    else:
        msg = "its sandbox is configured by an object, not by a file"
        raise ComposeError(msg)
    if (
        service.build_folder is not None
        and not (service.build_folder / "Dockerfile").is_file()
    ):
        msg = f"there is no Dockerfile in {service.build_folder}"
        raise ComposeError(msg)
    return service


def _service_of_folder(folder: Path) -> ComposeService:
    """Return the container of a task that names no file. The rules are Inspect's."""
    compose_path = compose_file_in(folder)
    if compose_path is not None:
        return read_compose_file(compose_path)
    if (folder / "Dockerfile").is_file():
        return ComposeService(build_folder=folder, has_network=False)
    return ComposeService(image=DEFAULT_IMAGE, has_network=False)


def _service_of_file(path: Path) -> ComposeService:
    if path.name == "Dockerfile":
        return ComposeService(build_folder=path.parent, has_network=False)
    return read_compose_file(path)


class SampleContainers:
    """The containers of a run's samples. Created once for each run; called from many threads."""

    def __init__(self, runtime: ContainerRuntime, settings: ContainerSettings) -> None:
        self._runtime = runtime
        self._settings = settings
        self._images = ContainerImages(runtime, settings)
        self._names: set[str] = set()
        """The names of containers that were started and not removed."""

    def remove_abandoned(self) -> None:
        """Remove the containers that killed processes left. Raises `ContainerError`."""
        for name in self._runtime.names({OWNER_LABEL: owner()}):
            if name.startswith(NAME_PREFIX) and not _is_running(_process_of(name)):
                self._runtime.remove(name)

    def start(self, service: ComposeService) -> ContainerSandbox:
        """Start a container. Raises `ContainerError` and `CommandInterrupted`."""
        if service.build_folder is not None:
            image = self._images.built(service.build_folder, BUILD_TIMEOUT_S)
        else:
            image = self._images.pulled(service.image, BUILD_TIMEOUT_S)
        defaults = self._images.defaults(image)
        workdir = service.workdir or defaults.workdir
        name = f"{NAME_PREFIX}{os.getpid()}-{secrets.token_hex(6)}"
        spec = ContainerSpec(
            image=image,
            name=name,
            labels={OWNER_LABEL: owner()},
            variables=self._settings.filled_in(dict(service.variables)),
            limits=self._settings.limits(service.memory, service.cpus),
            has_network=service.has_network and self._settings.agent_network,
        )
        container = self._runtime.start(spec)
        self._names.add(name)
        container.script('mkdir -p "$1" /tmp', workdir)
        return ContainerSandbox(container, CommandPlace(defaults.user, workdir))

    def remove(self, sandbox: ContainerSandbox) -> None:
        """Remove the container of a trial that has ended."""
        self._runtime.remove(sandbox.container.name)
        self._names.discard(sandbox.container.name)

    def close(self) -> None:
        """Remove all containers that are left."""
        for name in list(self._names):
            self._runtime.remove(name)
        self._names.clear()


def _process_of(name: str) -> int:
    """Return the process that started a container: `controlplane-inspect-812-1f05` -> 812.

    Return 0 for a name without a number. Its container is never removed, because
    `_is_running(0)` is True.
    """
    number = name.removeprefix(NAME_PREFIX).partition("-")[0]
    return int(number) if number.isascii() and number.isdigit() else 0


def _is_running(process_id: int) -> bool:
    try:
        os.kill(process_id, 0)  # The signal 0 only checks if the process exists.
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


class ContainerSandbox(SandboxEnvironment):
    """One container, for Inspect's tools and scorers."""

    def __init__(self, container: Container, place: CommandPlace) -> None:
        super().__init__()
        self.container = container
        self.place = place
        """The default user and folder of its commands."""

    async def exec(  # noqa: PLR0913 - Inspect's own signature
        self,
        cmd: list[str],
        input: str | bytes | None = None,
        cwd: str | None = None,
        env: dict[str, str] | None = None,
        user: str | None = None,
        timeout: int | None = None,
        timeout_retry: bool = True,
        concurrency: bool = True,
    ) -> ExecResult[str]:
        """Run a command. Raises `TimeoutError` after its time limit.

        `timeout_retry` and `concurrency`, which Inspect passes, have no effect here.
        """
        stdin = input or b""
        if isinstance(stdin, str):
            stdin = stdin.encode()
        # The container has the sample's variables already; `env` adds those of this command.
        place = CommandPlace(user or self.place.user, self._path(cwd or "."), env or {})
        command = TaskCommand(
            cmd, place, timeout or COMMAND_TIMEOUT_S, OUTPUT_BYTES, stdin
        )
        try:
            result = await anyio.to_thread.run_sync(
                run_command, self.container, command
            )
        except CommandInterrupted as interruption:
            # The run's journal keeps the call without a result: its effect is unknown.
            raise LeftOpen from interruption
        if result.timed_out:
            msg = f"{cmd[0]} took longer than {timeout} s"
            raise TimeoutError(msg)
        return ExecResult(
            success=result.exit_code == 0,
            returncode=result.exit_code,
            stdout=result.stdout.decode("utf-8", "replace"),
            stderr=result.stderr.decode("utf-8", "replace"),
        )

    async def write_file(self, file: str, contents: str | bytes) -> None:
        """Write a file. Create its folder if necessary."""
        data = contents.encode() if isinstance(contents, str) else contents
        await self._file_script(WRITE_FILE, file, self._path(file), stdin=data)

    async def read_file(self, file: str, text: bool = True) -> Any:
        """Return the text or the bytes of a file."""
        data = await self._file_script(
            READ_FILE, file, self._path(file), str(FILE_BYTES + 1)
        )
        if len(data) > FILE_BYTES:
            limit = "100 MiB"
            raise OutputLimitExceededError(limit, None)
        return data.decode("utf-8") if text else data

    async def _file_script(
        self, script: str, file: str, *arguments: str, stdin: bytes = b""
    ) -> bytes:
        """Run one of the scripts above and return its output."""

        def run() -> tuple[int, bytes]:
            words = ["sh", "-c", script, "sh", *arguments]
            result = self.container.run(words, stdin=stdin, user=self.place.user)
            return result.exit_code, result.stdout

        exit_code, output = await anyio.to_thread.run_sync(run)
        if exit_code == IS_FOLDER:
            raise IsADirectoryError(file)
        if exit_code == MISSING:
            raise FileNotFoundError(file)
        if exit_code != 0:
            raise PermissionError(file)
        return output

    def _path(self, path: str) -> str:
        """Return a path as an absolute one. A relative path starts at the working directory."""
        if path == ".":
            return self.place.workdir
        return str(Path(self.place.workdir, path))

    @classmethod
    async def sample_cleanup(
        cls, task_name: str, config: Any, environments: Any, interrupted: bool
    ) -> None:
        """Do nothing: `SampleContainers` removes the container."""


@dataclass(frozen=True, slots=True)
class StartedSandbox:
    """The container of one trial, after the sample's files were copied into it."""

    container: ContainerSandbox
    sandboxes: dict[str, SandboxEnvironment]
    """The container, by the name that Inspect's code uses for it."""

    def use(self) -> None:
        """Make it the sandbox that Inspect's code uses in the current context."""
        sandbox_environments_context_var.set(self.sandboxes)
        # What `sandbox_with` has found so far in this context: nothing.
        sandbox_with_environments_context_var.set({})
        sandbox_default_context_var.set("default")


async def prepare_container(
    sandbox: ContainerSandbox, sample: Sample, task_folder: Path
) -> dict[str, SandboxEnvironment]:
    """Copy a sample's files into its container and run its setup. Return its sandboxes by name."""
    files: dict[str, bytes] = {}
    setup: bytes | None = None
    with chdir(str(task_folder)):
        for path, contents in resolve_sample_files(sample.files or {}).items():
            files[path] = await read_sandboxenv_file(contents)
        if sample.setup:
            setup = await read_sandboxenv_file(sample.setup)
            if not setup.lstrip().startswith(b"#!"):
                setup = b"#!/usr/bin/env bash\n\n" + setup
    source: Any = _SandboxSource(sandbox)
    task_name = "sample"
    config = None
    metadata: dict[str, str] = {}
    return await init_sandbox_environments_sample(
        source, task_name, config, files, setup, metadata
    )


class _SandboxSource:
    """Gives Inspect a sandbox that exists, where it expects a class that creates sandboxes.

    It has the parts of such a class that `init_sandbox_environments_sample` uses.
    """

    __name__ = "docker"

    def __init__(self, sandbox: ContainerSandbox) -> None:
        self._sandbox = sandbox

    async def sample_init(
        self, task_name: str, config: Any, metadata: dict[str, str]
    ) -> dict[str, SandboxEnvironment]:
        return {"default": self._sandbox}

    async def sample_cleanup(
        self, task_name: str, config: Any, environments: Any, interrupted: bool
    ) -> None:
        """Do nothing: `SampleContainers` removes the container."""
