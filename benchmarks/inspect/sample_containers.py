"""Starts a container for each trial of a sample, and removes it at the trial's end.

Containers have names such as `controlplane-inspect-812-1f05`, with the process that
started them. So the containers of a killed process are found and removed later.
"""

from __future__ import annotations

import os
import secrets
from dataclasses import dataclass
from typing import Final

from controlplane.benchmark import MachineFinding
from controlplane.benchmarks.containers.compose_service import ComposeService
from controlplane.benchmarks.containers.container import CommandPlace, Container
from controlplane.benchmarks.containers.container_images import ContainerImages
from controlplane.benchmarks.containers.container_probe import container_finding
from controlplane.benchmarks.containers.container_runtime import (
    OWNER_LABEL,
    ContainerRuntime,
    owner,
)
from controlplane.benchmarks.containers.container_settings import ContainerSettings
from controlplane.benchmarks.containers.container_spec import (
    ContainerSpec,
)
from controlplane.benchmarks.containers.container_variables import (
    remove_abandoned_files,
)
from controlplane.benchmarks.containers.set_files import SetFiles

BUILD_TIMEOUT_S: Final = 1_800.0
"""Inspect has no limit for builds. Half an hour is enough for the known tasks."""
NAME_PREFIX: Final = "controlplane-inspect-"


@dataclass(frozen=True, slots=True)
class SampleContainer:
    """The running container of one trial."""

    container: Container
    place: CommandPlace
    """The default user and folder of its commands."""


class SampleContainers:
    """The containers of a run's samples. Created once for each run; called from many threads.

    Each thread adds and removes only names of its own containers, which is safe in a set.
    """

    def __init__(self, runtime: ContainerRuntime, settings: ContainerSettings) -> None:
        self._runtime = runtime
        self._settings = settings
        self._images = ContainerImages(runtime.images, settings)
        self._names: set[str] = set()
        """The names of containers that were started and not removed."""

    def finding(self) -> MachineFinding:
        """Return whether a container starts on this machine, for `doctor`."""
        return container_finding(self._runtime, self._settings, ())

    @property
    def runtime_name(self) -> str:
        """`podman` or `docker`."""
        return self._runtime.name

    def remove_abandoned(self) -> None:
        """Remove what killed processes left: containers, and files with their variables.

        Raises `ContainerError`.
        """
        remove_abandoned_files()
        for name in self._runtime.names({OWNER_LABEL: owner()}):
            if name.startswith(NAME_PREFIX) and not _is_running(_process_of(name)):
                self._runtime.remove(name)

    def start(self, service: ComposeService) -> SampleContainer:
        """Start the container that a service describes, after its image was built or pulled.

        Raises `ContainerError`, and `CommandInterrupted` if the run is being stopped.
        """
        image = self._image_of(service)
        defaults = self._images.defaults(image)
        workdir = service.workdir or defaults.workdir
        name = f"{NAME_PREFIX}{os.getpid()}-{secrets.token_hex(6)}"
        has_network = service.has_network and self._settings.agent_network
        spec = ContainerSpec(
            image=image,
            name=name,
            labels={OWNER_LABEL: owner()},
            variables=self._settings.container_variables(
                dict(service.variables), has_network=has_network
            ),
            limits=self._settings.limits(service.memory, service.cpus),
            has_network=has_network,
        )
        container = self._runtime.start(spec)
        self._names.add(name)
        container.script('mkdir -p "$1" /tmp', workdir)
        return SampleContainer(container, CommandPlace(defaults.user, workdir))

    def _image_of(self, service: ComposeService) -> str:
        """Build or pull a service's image, if it is not on this machine, and return its name."""
        if service.build_folder is not None:
            files = SetFiles.of(service.build_folder)
            return self._images.ensure_built(
                service.build_folder, files, BUILD_TIMEOUT_S
            )
        self._images.ensure_pulled(service.image, BUILD_TIMEOUT_S)
        return service.image

    def remove(self, container: Container) -> None:
        """Remove the container of a trial that has ended."""
        self._runtime.remove(container.name)
        self._names.discard(container.name)

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
    """Return True if there is a process with this id, whoever its user is."""
    try:
        os.kill(process_id, 0)  # The signal 0 only checks if the process exists.
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
