"""Starts the sandbox of one trial: a container with the files of the trial's sample.

A sample of Inspect may have files and a setup script. We start the container; Inspect's own
code copies the files into it and runs the script.
This module imports Inspect, so import it only if a sample needs a container.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

from inspect_ai._eval.task.sandbox import read_sandboxenv_file, resolve_sample_files
from inspect_ai._util.path import chdir
from inspect_ai.util import SandboxEnvironment
from inspect_ai.util._sandbox.context import (
    init_sandbox_environments_sample,
    sandbox_default_context_var,
    sandbox_environments_context_var,
    sandbox_with_environments_context_var,
)

from controlplane import BenchmarkError
from controlplane.benchmarks.containers.compose_service import ComposeService
from controlplane.benchmarks.containers.container import (
    Container,
)
from controlplane.benchmarks.containers.runtime_program import (
    CommandInterrupted,
    ContainerError,
)
from controlplane.benchmarks.inspect.container_sandbox import ContainerSandbox
from controlplane.benchmarks.inspect.inspect_tasks import folder_of
from controlplane.benchmarks.inspect.playable_samples import PlayableSample
from controlplane.benchmarks.inspect.sample_containers import SampleContainers
from controlplane.sandbox.interface import error_codes


@dataclass(frozen=True, slots=True)
class TrialSandbox:
    """The container of one trial, after the sample's files were copied into it."""

    container: Container
    sandboxes: dict[str, SandboxEnvironment]
    """The container, by the name that Inspect's code uses for it."""

    def use(self) -> None:
        """Make it the sandbox that Inspect's code uses in the current context.

        `inspect_ai.util.sandbox()` then returns it: it reads these context variables.
        """
        sandbox_environments_context_var.set(self.sandboxes)
        sandbox_default_context_var.set("default")  # Its name, if code gives none.
        # What `sandbox_with` has found so far in this context: nothing.
        sandbox_with_environments_context_var.set({})


def start_sandbox(
    containers: SampleContainers, service: ComposeService, playable: PlayableSample
) -> TrialSandbox:
    """Start a container with the files of a sample. `service` describes the container.

    Raises `BenchmarkError`.
    """
    try:
        return _start(containers, service, playable)
    except (ContainerError, OSError, RuntimeError) as error:
        msg = f"{playable.task_id}: {error}"
        raise BenchmarkError(error_codes.FAILED_PRECONDITION, msg) from error
    except CommandInterrupted as error:
        # The run is about to end, and then removes all of its containers.
        msg = f"{playable.task_id}: the run is being stopped"
        raise BenchmarkError(error_codes.UNAVAILABLE, msg) from error


def _start(
    containers: SampleContainers, service: ComposeService, playable: PlayableSample
) -> TrialSandbox:
    """Start a container with the files of a sample.

    Raises `ContainerError` and `CommandInterrupted`; `OSError` and `RuntimeError` if a file
    cannot be copied or the setup fails.
    """
    started = containers.start(service)
    sandbox = ContainerSandbox(started.container, started.place)
    try:
        sandboxes = asyncio.run(_prepared(sandbox, playable))
    except (ContainerError, OSError, RuntimeError):
        containers.remove(started.container)
        raise
    return TrialSandbox(started.container, sandboxes)


async def _prepared(
    sandbox: ContainerSandbox, playable: PlayableSample
) -> dict[str, SandboxEnvironment]:
    """Copy a sample's files into its container and run its setup. Return its sandboxes by name."""
    sample = playable.sample
    files: dict[str, bytes] = {}
    setup: bytes | None = None
    # The sample names its files relative to the folder of its task.
    with chdir(str(folder_of(playable.task))):
        for path, contents in resolve_sample_files(sample.files or {}).items():
            files[path] = await read_sandboxenv_file(contents)
        if sample.setup:
            setup = _with_interpreter(await read_sandboxenv_file(sample.setup))

    # Inspect passes these to the class that creates sandboxes. Ours has no use for them.
    task_name = "sample"
    config = None
    metadata: dict[str, str] = {}
    sandbox_class: Any = _ExistingSandbox(sandbox)
    return await init_sandbox_environments_sample(
        sandbox_class, task_name, config, files, setup, metadata
    )


def _with_interpreter(script: bytes) -> bytes:
    """Return a setup script that names its interpreter: bash if it named none."""
    if script.lstrip().startswith(b"#!"):
        return script
    return b"#!/usr/bin/env bash\n\n" + script


class _ExistingSandbox:
    """Takes the place of a class that creates sandboxes, and returns the one that exists.

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
