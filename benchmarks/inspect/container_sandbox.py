"""A container as a sandbox of Inspect.

The tools and scorers of an Inspect task get it by `inspect_ai.util.sandbox()`, and run
commands and use files in it.
This module imports Inspect, so import it only if a sample needs a container.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import anyio.to_thread
from inspect_ai.util import ExecResult, OutputLimitExceededError, SandboxEnvironment

from controlplane.agent.loop import LeftOpen
from controlplane.benchmarks.containers.container import (
    CommandPlace,
    Container,
    own_program,
)
from controlplane.benchmarks.containers.container_command import (
    TaskCommand,
    run_command,
)
from controlplane.benchmarks.containers.program_run import (
    KEPT_OUTPUT_BYTES,
    CommandResult,
)
from controlplane.benchmarks.containers.runtime_program import CommandInterrupted
from controlplane.benchmarks.inspect.file_programs import (
    READ_FILE,
    WRITE_FILE,
    raise_for_file,
)

COMMAND_TIMEOUT_S: Final = 86_400
"""A day, for commands without a time limit. In practice the trial's limit ends them."""
OUTPUT_BYTES: Final = 10 * 1024 * 1024
"""Inspect's limit for each output of a command."""
FILE_BYTES: Final = 100 * 1024 * 1024
"""Inspect's limit for reading a file."""


class ContainerSandbox(SandboxEnvironment):
    """One container, for Inspect's tools and scorers."""

    def __init__(self, container: Container, place: CommandPlace) -> None:
        """Create it. `place` is the default user and folder of commands."""
        super().__init__()
        self._container = container
        self._place = place

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
        time_limit_s = timeout or COMMAND_TIMEOUT_S
        command = TaskCommand(cmd, place, time_limit_s, OUTPUT_BYTES, _bytes(input))
        try:
            result = await anyio.to_thread.run_sync(
                run_command, self._container, command
            )
        except CommandInterrupted as interruption:
            # The run's journal keeps the call without a result: its effect is unknown.
            raise LeftOpen from interruption
        if result.timed_out:
            msg = f"{cmd[0]} took longer than {time_limit_s} s"
            raise TimeoutError(msg)
        return _exec_result(result)

    async def write_file(self, file: str, contents: str | bytes) -> None:
        """Write a file. Create its folder if necessary."""
        path = _absolute(file, self._place.workdir)
        script = own_program(WRITE_FILE, path)
        result = await self._run_as_user(script, stdin=_bytes(contents))
        raise_for_file(result.exit_code, file)

    async def read_file(self, file: str, text: bool = True) -> Any:
        """Return the text or the bytes of a file."""
        path = _absolute(file, self._place.workdir)
        script = own_program(READ_FILE, path, str(FILE_BYTES + 1))
        result = await self._run_as_user(script, output_bytes=FILE_BYTES + 1)
        raise_for_file(result.exit_code, file)
        if len(result.stdout) > FILE_BYTES:
            limit = "100 MiB"
            raise OutputLimitExceededError(limit, None)
        return result.stdout.decode("utf-8") if text else result.stdout

    async def _run_as_user(
        self,
        words: list[str],
        stdin: bytes = b"",
        output_bytes: int = KEPT_OUTPUT_BYTES,
    ) -> CommandResult:
        """Run a program as the container's default user, and wait for it in a thread.

        Raises `LeftOpen` if the run is being stopped.
        """

        place = CommandPlace(self._place.user)

        def run() -> CommandResult:
            return self._container.run(
                words, place, stdin=stdin, output_bytes=output_bytes
            )

        try:
            return await anyio.to_thread.run_sync(run)
        except CommandInterrupted as interruption:
            raise LeftOpen from interruption

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


def _exec_result(result: CommandResult) -> ExecResult[str]:
    """Return a command's result in the form of Inspect."""
    return ExecResult(
        success=result.exit_code == 0,
        returncode=result.exit_code,
        stdout=result.stdout.decode("utf-8", "replace"),
        stderr=result.stderr.decode("utf-8", "replace"),
    )
