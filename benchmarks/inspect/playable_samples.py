"""Samples of Inspect that can be played, and the containers that some of them need.

Inspect is a framework for evaluations of models; each task has a dataset of samples. Many
samples need no container, so podman or docker is looked for only when the first one does.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from controlplane import BenchmarkContext
from controlplane.benchmarks.containers.compose_service import ComposeService
from controlplane.benchmarks.containers.container_runtime import find_runtime
from controlplane.benchmarks.containers.container_settings import ContainerSettings
from controlplane.benchmarks.containers.dockerfile import images_of_build
from controlplane.benchmarks.inspect.sample_containers import SampleContainers
from controlplane.benchmarks.inspect.sample_files import SampleFiles

if TYPE_CHECKING:
    from inspect_ai import Task
    from inspect_ai.dataset import Sample


@dataclass(frozen=True, slots=True)
class PlayableSample:
    """A sample that can be played, and its task."""

    task_id: str
    """`TASK.SAMPLE`, such as `words.heron`."""
    task: Task
    sample: Sample
    service: ComposeService | None
    """The container that it needs; None if it needs none."""
    files: SampleFiles
    """Where the files that are copied into the container may be."""

    @property
    def wants_network(self) -> bool:
        """True if its container should have a network."""
        return self.service is not None and self.service.has_network


class ContainersOnDemand:
    """Looks for podman or docker only when a sample needs a container.

    Many tasks have no such sample, and can be played on a machine without either program.
    Call `require` for each sample that needs a container, then read `containers`.
    """

    def __init__(
        self,
        settings: ContainerSettings,
        context: BenchmarkContext,
        further_folder: Path | None,
    ) -> None:
        self._settings = settings
        self._further_folder = further_folder
        self._context = context
        self.containers: SampleContainers | None = None
        """Starts the containers of samples. None until `require` has found a program."""

    def files_of(self, task_folder: Path) -> SampleFiles:
        """Return where the files of a task's samples may be."""
        may_download = self._settings.agent_network
        return SampleFiles(task_folder, self._further_folder, may_download)

    def require(self, service: ComposeService, files: SampleFiles) -> None:
        """Find podman or docker, unless an earlier call has found it, and set `containers`.

        Raises `ContainerError` if this machine has neither, or if the build of the service's
        image would reach more than the user allows.
        """
        if self.containers is None:
            runtime = find_runtime(
                self._settings.runtime,
                os.environ,
                self._context.stop,
                self._context.notify,
            )
            self.containers = SampleContainers(runtime, self._settings)
        if service.build_folder is not None:
            images_of_build(
                service.build_folder,
                files.set_of(service.build_folder),
                self.containers.runtime_name,
                has_network=self._settings.build_network,
            )
