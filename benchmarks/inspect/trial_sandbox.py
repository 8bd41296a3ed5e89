"""Starts the sandbox of one trial: a container with the files of the trial's sample.

A sample of Inspect may have files and a setup script: `Sample(input="Fix the bug.",
files={"bug.py": "print(1/0)"}, setup="chmod 600 bug.py")`. The container is started here; then
Inspect's own code copies the files into it and runs the script; where they may come from is in `sample_files`. Inspect is an optional package, so
this module, which imports it, must be imported only when a sample needs a container.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any, Final

from inspect_ai.util import SandboxEnvironment
from inspect_ai.util._sandbox.context import (
    init_sandbox_environments_sample,
    sandbox_default_context_var,
    sandbox_environments_context_var,
    sandbox_with_environments_context_var,
)

from controlplane import BenchmarkError
from controlplane.agent.loop import LeftOpen
from controlplane.benchmarks.containers.compose_service import ComposeService
from controlplane.benchmarks.containers.container import (
    Container,
)
from controlplane.benchmarks.containers.runtime_program import (
    CommandInterrupted,
    ContainerError,
)
from controlplane.benchmarks.containers.set_files import SetFileError
from controlplane.benchmarks.inspect.container_sandbox import ContainerSandbox
from controlplane.benchmarks.inspect.playable_samples import PlayableSample
from controlplane.benchmarks.inspect.sample_containers import SampleContainers
from controlplane.sandbox.interface import error_codes

SETUP: Final = "setup"
"""Names the setup script of a sample in messages."""


@dataclass(frozen=True, slots=True)
class TrialSandbox:
    """The container of one trial, after the sample's files were copied into it."""

    container: Container
    sandboxes: dict[str, SandboxEnvironment]
    """The only sandbox of the sample, under its name `default`: Inspect allows several."""

    def use(self) -> None:
        """Let `inspect_ai.util.sandbox()` return this sandbox in the current context.

        Inspect keeps its sandboxes in context variables, which `init_sandbox_environments_sample`
        sets only in the context in which it runs. They are set here for the code of a trial.
        """
        sandbox_environments_context_var.set(self.sandboxes)
        sandbox_default_context_var.set("default")
        # Inspect's `sandbox_with(file)` notes here which sandbox has a file: so far, none.
        sandbox_with_environments_context_var.set({})


def start_sandbox(
    containers: SampleContainers, service: ComposeService, playable: PlayableSample
) -> TrialSandbox:
    """Start a container with the files of a sample. `service` describes the container.

    Raises `BenchmarkError` if the container does not start, a file cannot be copied, or the
    sample's setup fails.
    """
    try:
        return _start(containers, service, playable)
    except (ContainerError, SetFileError, OSError, RuntimeError) as error:
        msg = f"{playable.task_id}: {error}"
        raise BenchmarkError(error_codes.FAILED_PRECONDITION, msg) from error
    except (CommandInterrupted, LeftOpen) as error:
        # The run is about to end, and then removes all of its containers.
        msg = f"{playable.task_id}: the run is being stopped"
        raise BenchmarkError(error_codes.UNAVAILABLE, msg) from error


def _start(
    containers: SampleContainers, service: ComposeService, playable: PlayableSample
) -> TrialSandbox:
    """Start a container with the files of a sample. Remove it if they cannot be copied.

    Raises `ContainerError`, `CommandInterrupted` and `SetFileError`; Inspect's code also raises
    `OSError` and `RuntimeError`.
    """
    started = containers.start(service)
    sandbox = ContainerSandbox(started.container, started.place)
    try:
        sandboxes = asyncio.run(_prepared(sandbox, playable))
    except (ContainerError, SetFileError, OSError, RuntimeError):
        containers.remove(started.container)
        raise
    return TrialSandbox(started.container, sandboxes)


async def _prepared(
    sandbox: ContainerSandbox, playable: PlayableSample
) -> dict[str, SandboxEnvironment]:
    """Copy a sample's files into its container, run its setup, and return its sandboxes by name."""
    sample = playable.sample
    files = await playable.files.contents(sample.files or {})
    setup: bytes | None = None
    if sample.setup:
        contents = await playable.files.contents({SETUP: sample.setup})
        setup = _with_interpreter(contents[SETUP])

    # Inspect takes a class that creates sandboxes, and arguments for it, which are not needed here.
    sandbox_class: Any = _ExistingSandbox(sandbox)
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


class _ExistingSandbox:
    """What Inspect takes for a class that creates sandboxes. It returns the one that exists.

    It has only the parts of such a class that `init_sandbox_environments_sample` uses.
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
