"""Starts the sandbox of one trial: a container with the files of the trial's sample.

A sample of Inspect may have files and a setup script: `Sample(input="Fix the bug.",
files={"bug.py": "print(1/0)"}, setup="chmod 600 bug.py")`. The container is started here; then
Inspect's own code copies the files into it and runs the script; where they may come from is in `samples`. Inspect is an optional package, so
this module, which imports it, must be imported only when a sample needs a container.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

import anyio.to_thread
from inspect_ai.util import ExecResult, OutputLimitExceededError, SandboxEnvironment
from inspect_ai.util._sandbox.context import (
    init_sandbox_environments_sample,
    sandbox_default_context_var,
    sandbox_environments_context_var,
    sandbox_with_environments_context_var,
)

from controlplane import BenchmarkError
from controlplane.agent.loop import LeftOpen
from controlplane.benchmarks.containers.compose_file import ComposeProject
from controlplane.benchmarks.containers.container import (
    KEPT_OUTPUT_BYTES,
    MISSING,
    READ_FILE,
    WRITE_FILE,
    WRONG_KIND,
    CommandInterrupted,
    CommandPlace,
    CommandResult,
    Container,
    TaskCommand,
    own_program,
    run_command,
)
from controlplane.benchmarks.containers.container_runtime import TrialServices
from controlplane.benchmarks.containers.container_settings import ContainerError
from controlplane.benchmarks.containers.set_files import SetFileError, SetFiles
from controlplane.benchmarks.inspect.samples import PlayableSample, SampleContainers
from controlplane.sandbox.interface import error_codes

# A container as a sandbox of Inspect.
#
# The tools and scorers of an Inspect task get it by `inspect_ai.util.sandbox()`, and run
# commands and use files in it.
# This module imports Inspect, so import it only if a sample needs a container.

_COMMAND_TIMEOUT_S: Final = 86_400
"""A day, for commands without a time limit. In practice the trial's limit ends them."""
_OUTPUT_BYTES: Final = 10 * 1024 * 1024
"""Inspect's limit for each output of a command."""
_FILE_BYTES: Final = 100 * 1024 * 1024
"""Inspect's limit for reading a file."""


class ContainerSandbox(SandboxEnvironment):
    """One container, for Inspect's tools and scorers."""

    def __init__(self, container: Container) -> None:
        super().__init__()
        self._container = container
        self._place = container.place

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
        # The container has the sample's variables already; `env` adds those of this command.
        folder = _absolute(cwd or ".", self._place.workdir)
        place = CommandPlace(user or self._place.user, folder, env or {})
        time_limit_s = timeout or _COMMAND_TIMEOUT_S
        command = TaskCommand(cmd, place, time_limit_s, _OUTPUT_BYTES, _bytes(input))
        result = await _in_thread(run_command, self._container, command)
        if result.timed_out:
            msg = f"{cmd[0]} took longer than {time_limit_s} s"
            raise TimeoutError(msg)
        return ExecResult(
            success=result.exit_code == 0,
            returncode=result.exit_code,
            stdout=result.stdout.decode("utf-8", "replace"),
            stderr=result.stderr.decode("utf-8", "replace"),
        )

    async def write_file(self, file: str, contents: str | bytes) -> None:
        """Write a file. Create its folder if necessary."""
        await self._run_for_file(WRITE_FILE, file, stdin=_bytes(contents))

    async def read_file(self, file: str, text: bool = True) -> Any:
        """Return the text or the bytes of a file."""
        max_bytes = _FILE_BYTES + 1
        content = await self._run_for_file(
            READ_FILE, file, str(max_bytes), output_bytes=max_bytes
        )
        if len(content) > _FILE_BYTES:
            limit = "100 MiB"
            raise OutputLimitExceededError(limit, None)
        return content.decode("utf-8") if text else content

    async def _run_for_file(
        self,
        program: str,
        file: str,
        *arguments: str,
        stdin: bytes = b"",
        output_bytes: int = KEPT_OUTPUT_BYTES,
    ) -> bytes:
        """Run a program of ours for a file, as the container's default user. Return its output.

        Raises the error of Python's that Inspect expects, and `LeftOpen` if the run is being stopped.
        """
        path = _absolute(file, self._place.workdir)
        run = partial(self._container.run, stdin=stdin, output_bytes=output_bytes)
        words = own_program(program, path, *arguments)
        result = await _in_thread(run, words, CommandPlace(self._place.user))
        if result.exit_code == WRONG_KIND:
            raise IsADirectoryError(file)
        if result.exit_code == MISSING:
            raise FileNotFoundError(file)
        if result.exit_code != 0:  # NOT_ALLOWED; or the program did not even start.
            raise PermissionError(file)
        return result.stdout

    @classmethod
    async def sample_cleanup(
        cls, task_name: str, config: Any, environments: Any, interrupted: bool
    ) -> None:
        """Do nothing: `SampleContainers` removes the container."""


def _absolute(path: str, workdir: str) -> str:
    """Return a path as an absolute one. A relative path starts at the working directory."""
    if path == ".":  # As an image's settings spell it, perhaps with a slash at the end.
        return workdir
    return str(Path(workdir, path))


def _bytes(text: str | bytes | None) -> bytes:
    """Return the input of a command as bytes; empty for None."""
    if isinstance(text, str):
        return text.encode()
    return text or b""


async def _in_thread(
    function: Callable[..., CommandResult], *arguments: Any
) -> CommandResult:
    """Call a function that waits, in a thread. Raises `LeftOpen` if the run is being stopped."""
    try:
        return await anyio.to_thread.run_sync(function, *arguments)
    except CommandInterrupted as interruption:
        # The run's journal keeps the call without a result: its effect is unknown.
        raise LeftOpen from interruption


_SETUP: Final = "setup"
"""Names the setup script of a sample in messages."""


@dataclass(frozen=True, slots=True)
class TrialSandbox:
    """The containers of one trial, after the sample's files were copied into them."""

    started: TrialServices
    sandboxes: dict[str, SandboxEnvironment]
    """The sandboxes of the sample by the names of services, first that which tools use unasked."""

    def use(self) -> None:
        """Let `inspect_ai.util.sandbox()` return these sandboxes in the current context.

        Inspect keeps its sandboxes in context variables, which `init_sandbox_environments_sample`
        sets only in the context in which it runs. They are set here for the code of a trial.
        """
        sandbox_environments_context_var.set(self.sandboxes)
        sandbox_default_context_var.set(next(iter(self.sandboxes)))
        # Inspect's `sandbox_with(file)` notes here which sandbox has a file: so far, none.
        sandbox_with_environments_context_var.set({})


def start_sandbox(
    containers: SampleContainers, project: ComposeProject, playable: PlayableSample
) -> TrialSandbox:
    """Start the containers of a sample with its files. `project` describes them.

    Raises `BenchmarkError` if one does not start, a file cannot be copied, or the
    sample's setup fails.
    """
    try:
        return _start(containers, project, playable)
    except (ContainerError, SetFileError, OSError, RuntimeError) as error:
        msg = f"{playable.task_id}: {error}"
        raise BenchmarkError(error_codes.FAILED_PRECONDITION, msg) from error
    except (CommandInterrupted, LeftOpen) as error:
        # The run is about to end, and then removes all of its containers.
        msg = f"{playable.task_id}: the run is being stopped"
        raise BenchmarkError(error_codes.UNAVAILABLE, msg) from error


def _start(
    containers: SampleContainers, project: ComposeProject, playable: PlayableSample
) -> TrialSandbox:
    """Start the containers of a sample. Remove them if its files cannot be copied.

    Raises `ContainerError`, `CommandInterrupted` and `SetFileError`; Inspect's code also raises
    `OSError` and `RuntimeError`.
    """
    files = SetFiles.of(playable.files.task_folder)
    for service in project.in_order():
        if service.build is not None:
            files = playable.files.set_of(service.build.folder)
    started = containers.start(project, files)
    own: dict[str, SandboxEnvironment] = {}
    for name, container in started.containers.items():
        own[name] = ContainerSandbox(container)
    try:
        sandboxes = asyncio.run(_prepared(own, playable))
    except (ContainerError, SetFileError, OSError, RuntimeError):
        containers.remove(started)
        raise
    return TrialSandbox(started, sandboxes)


async def _prepared(
    own: dict[str, SandboxEnvironment], playable: PlayableSample
) -> dict[str, SandboxEnvironment]:
    """Copy a sample's files into its containers, run its setup, and return its sandboxes by name."""
    sample = playable.sample
    files = await playable.files.contents(sample.files or {})
    setup: bytes | None = None
    if sample.setup:
        contents = await playable.files.contents({_SETUP: sample.setup})
        setup = _with_interpreter(contents[_SETUP])

    # Inspect takes a class that creates sandboxes, and arguments for it, which are not needed here.
    sandbox_class: Any = _ExistingSandboxes(own)
    return await init_sandbox_environments_sample(
        sandbox_class,
        task_name="sample",
        config=None,
        files=files,
        setup=setup,
        metadata={},
    )


def _with_interpreter(script: bytes) -> bytes:
    """Return a setup script with the line `#!/usr/bin/env bash`, unless it has such a line."""
    if script.lstrip().startswith(b"#!"):
        return script
    return b"#!/usr/bin/env bash\n\n" + script


class _ExistingSandboxes:
    """What Inspect takes for a class that creates sandboxes. It returns those that exist.

    It has only the parts of such a class that `init_sandbox_environments_sample` uses.
    """

    __name__ = "docker"

    def __init__(self, own: dict[str, SandboxEnvironment]) -> None:
        self._own = own

    async def sample_init(
        self, task_name: str, config: Any, metadata: dict[str, str]
    ) -> dict[str, SandboxEnvironment]:
        return dict(self._own)

    async def sample_cleanup(
        self, task_name: str, config: Any, environments: Any, interrupted: bool
    ) -> None:
        """Do nothing: `SampleContainers` removes the container."""
