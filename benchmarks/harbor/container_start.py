"""Starts the container of a task, and makes it ready for the agent.

The container gets the folders that Harbor's tasks expect, and the network that the task may
have. It is ready when the task's own health check succeeds, if the task has one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from controlplane.benchmarks.containers.container import Container
from controlplane.benchmarks.containers.container_images import ContainerImages
from controlplane.benchmarks.containers.container_runtime import ContainerRuntime
from controlplane.benchmarks.containers.container_settings import ContainerSettings
from controlplane.benchmarks.containers.container_spec import ContainerSpec
from controlplane.benchmarks.containers.runtime_program import ContainerError
from controlplane.benchmarks.harbor.health_check import wait_until_healthy
from controlplane.benchmarks.harbor.task_network import network_of
from controlplane.benchmarks.harbor.tasks.harbor_task import HarborTask

MAKE_FOLDERS: Final = 'mkdir -p "$1" /tmp /logs/verifier /logs/agent'
"""Makes the working directory, which is the argument, and those of Harbor's logs."""


@dataclass(frozen=True, slots=True)
class TaskImage:
    """The image of a task."""

    name: str
    user: str
    """The image's user; empty for root."""
    workdir: str
    """The task's working directory, or else the image's."""


class ContainerStarter:
    """Gets images and starts containers. Many threads share it."""

    def __init__(self, runtime: ContainerRuntime, settings: ContainerSettings) -> None:
        self._runtime = runtime
        self._settings = settings
        self._images = ContainerImages(runtime.images, settings)

    def image_of(self, task: HarborTask) -> TaskImage:
        """Pull or build a task's image, if it is not on this machine.

        Raises `ContainerError`, and `CommandInterrupted` if the run is being stopped.
        """
        timeout_s = task.file.environment.build_timeout_sec
        if task.docker_image:
            name = task.docker_image
            self._images.ensure_pulled(name, timeout_s)
        else:
            name = self._images.ensure_built(task.build_folder, task.files, timeout_s)
        defaults = self._images.defaults(name)
        return TaskImage(name, defaults.user, task.workdir or defaults.workdir)

    def start(
        self, task: HarborTask, image: TaskImage, name: str, labels: Mapping[str, str]
    ) -> Container:
        """Start a container with this name and these labels, and wait until it is ready.

        Raises `ContainerError`, after the container was removed.
        """
        network = network_of(task, self._settings)
        spec = ContainerSpec(
            image=image.name,
            name=name,
            labels=labels,
            variables=self._settings.container_variables(
                task.variables, has_network=network.is_needed
            ),
            limits=self._settings.limits(task.memory, task.cpus),
            has_network=network.is_needed,
        )
        container = self._start_anew(spec)
        try:
            container.script(MAKE_FOLDERS, image.workdir)
            # A network for the verifier alone is disconnected here. A container that starts
            # without a network could never get one.
            network.switch_for_agent(container)
            health_check = task.file.environment.healthcheck
            if health_check is not None:
                wait_until_healthy(container, health_check)
        except BaseException:
            self._runtime.remove(container.name)
            raise
        return container

    def _start_anew(self, spec: ContainerSpec) -> Container:
        """Start a new container. Raises `ContainerError` if that fails twice."""
        try:
            return self._runtime.start(spec)
        except ContainerError:
            # A process that was killed may have started one with this name.
            self._runtime.remove(spec.name)
            return self._runtime.start(spec)
