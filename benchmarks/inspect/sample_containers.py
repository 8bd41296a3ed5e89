"""Starts a container for each trial of a sample, and removes it at the trial's end.

Containers have names such as `controlplane-inspect-812-1f05`, with the process that
started them. So the containers of a killed process are found and removed later.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from controlplane import BenchmarkContext
from controlplane.benchmark import MachineFinding
from controlplane.benchmarks.containers.compose_file import ComposeProject
from controlplane.benchmarks.containers.container_runtime import (
    OWNER_LABEL,
    SAMPLE_PREFIX,
    ContainerRuntime,
    container_finding,
    find_runtime,
    owner,
    remove_leftovers,
)
from controlplane.benchmarks.containers.container_settings import ContainerSettings
from controlplane.benchmarks.containers.runtime_program import (
    CommandInterrupted,
    ContainerError,
)
from controlplane.benchmarks.containers.services import TrialServices
from controlplane.benchmarks.containers.set_files import SetFiles
from controlplane.benchmarks.inspect.sample_files import SampleFiles

if TYPE_CHECKING:
    from inspect_ai import Task
    from inspect_ai.dataset import Sample

_BUILD_TIMEOUT_S: Final = 1_800.0
"""Inspect has no limit for builds. Half an hour is enough for the known tasks."""


class SampleContainers:
    """The containers of a run's samples. Created once for each run; called from many threads.

    Many tasks have no sample with a container, and are played on a machine without podman and docker:
    these are looked for by `require`, which is called for each sample that needs containers. Each
    thread adds and removes only names of its own containers, which is safe in a dict.
    """

    def __init__(self, settings: ContainerSettings, context: BenchmarkContext) -> None:
        self.settings = settings
        self._context = context
        self._runtime: ContainerRuntime | None = None
        """None until `require` has found a program."""
        self._started: dict[str, TrialServices] = {}
        """What was started and not removed, by the names of the containers."""

    def require(self, project: ComposeProject, files: SampleFiles) -> None:
        """Find podman or docker, unless an earlier call has found it.

        Raises `ContainerError` if this machine has neither, or if the build of an
        image would reach more than the user allows.
        """
        if self._runtime is None:
            context = self._context
            self._runtime = find_runtime(
                self.settings, os.environ, context.stop, context.notify
            )
        for service in project.in_order():
            if service.build is not None:
                own_files = files.set_of(service.build.folder)
                self._runtime.images.needed_by(service, own_files)

    @property
    def machine_check(self) -> Callable[[], MachineFinding] | None:
        """What finds out for `doctor` whether containers start; None if no sample needs one."""
        if self._runtime is None:
            return None
        return partial(container_finding, self._runtime, images=())

    def remove_abandoned(self) -> None:
        """Remove what killed processes left. If that fails, the user is told."""
        if self._runtime is None:
            return
        try:
            remove_leftovers(self._runtime)
        except ContainerError as error:
            self._context.notify(f"containers of killed processes may be left: {error}")
        except CommandInterrupted:
            # No trial begins any more. The next run removes them.
            return

    def start(self, project: ComposeProject, files: SetFiles) -> TrialServices:
        """Start the containers that a project describes, after their images were built or pulled.

        Raises `ContainerError`, and `CommandInterrupted` if the run is being stopped.
        """
        assert self._runtime is not None, "found when the samples were loaded"
        started = TrialServices(
            self._runtime,
            project.with_network(is_allowed=self.settings.agent_network),
            files,
            f"{SAMPLE_PREFIX}{os.getpid()}-{secrets.token_hex(6)}",
            _BUILD_TIMEOUT_S,
        )
        started.start({OWNER_LABEL: owner()})
        self._started[started.name] = started
        return started

    def remove(self, started: TrialServices) -> None:
        """Remove the containers of a trial that has ended."""
        started.remove()
        self._started.pop(started.name, None)

    def close(self) -> None:
        """Remove all containers that are left."""
        for started in list(self._started.values()):
            self.remove(started)


@dataclass(frozen=True, slots=True)
class PlayableSample:
    """A sample that can be played, and its task."""

    task_id: str
    """`TASK.SAMPLE`, such as `words.heron`."""
    task: Task
    sample: Sample
    project: ComposeProject | None
    """The containers that it needs; None if it needs none."""
    files: SampleFiles
    """Where the files that are copied into the container may be."""
