"""The containers of a run's trials.

A container exists as long as its trial is open, so a resumed run can use it again. When
a trial ends, its container is first renamed and then removed. If this process is killed
in between, the next start recognizes the name and removes the container.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from controlplane.benchmarks.containers.container_images import ContainerImages
from controlplane.benchmarks.containers.container_runtime import (
    ENDED_SUFFIX,
    OWNER_LABEL,
    RUN_LABEL,
    TRIAL_LABEL,
    Container,
    ContainerError,
    ContainerLimits,
    ContainerRuntime,
    ContainerSpec,
    owner,
)
from controlplane.benchmarks.containers.container_settings import ContainerSettings
from controlplane.benchmarks.harbor.health_check import wait_until_healthy
from controlplane.benchmarks.harbor.task_file import HarborTask


@dataclass(frozen=True, slots=True)
class TrialContainer:
    """The container of one trial."""

    container: Container
    is_fresh: bool
    """False if an earlier start of the trial has used it."""
    user: str
    """The image's user; empty for root."""
    workdir: str


@dataclass(frozen=True, slots=True)
class TaskNetwork:
    """In which phases of a trial its container has a network."""

    while_agent_works: bool
    while_graded: bool

    @property
    def is_needed(self) -> bool:
        """True if the container must start with a network: otherwise it can never get one."""
        return self.while_agent_works or self.while_graded


class TrialContainers:
    """Starts, finds and removes the containers of trials.

    Created for each run; called from many threads at once.
    """

    def __init__(self, runtime: ContainerRuntime, settings: ContainerSettings) -> None:
        self._runtime = runtime
        self._settings = settings
        self._images = ContainerImages(runtime, settings)
        self._names: set[str] = set()
        """The names of the containers that exist: found by `find_earlier`, or started since."""

    def find_earlier(self) -> None:
        """Find containers left by an earlier process, and remove those whose trials have ended.

        Raises `ContainerError`.
        """
        for name in self._runtime.names({OWNER_LABEL: owner()}):
            if name.endswith(ENDED_SUFFIX):
                self._runtime.remove(name)
            else:
                self._names.add(name)

    def open(self, task: HarborTask, trial_id: str, run_token: str) -> TrialContainer:
        """Find or start a trial's container.

        Raises `ContainerError`, and `CommandInterrupted` if the run is stopped while
        the image is pulled or built.
        """
        image = self._image(task)
        defaults = self._images.defaults(image)
        workdir = task.workdir or defaults.workdir
        name = container_name(trial_id)
        container = self._runtime.find(name) if name in self._names else None
        if container is not None:
            return TrialContainer(
                container, is_fresh=False, user=defaults.user, workdir=workdir
            )

        labels = {OWNER_LABEL: owner(), RUN_LABEL: run_token, TRIAL_LABEL: trial_id}
        spec = ContainerSpec(
            image=image,
            name=name,
            labels=labels,
            variables=self._settings.filled_in(task.variables),
            limits=self._limits(task),
            has_network=self._network(task).is_needed,
        )
        container = self._start(spec)
        self._prepare(container, task, workdir)
        self._names.add(name)
        return TrialContainer(
            container, is_fresh=True, user=defaults.user, workdir=workdir
        )

    def begin_verifier(self, container: Container, task: HarborTask) -> None:
        """Connect or disconnect the network if the verifier, which grades, needs a change.

        Raises `ContainerError`.
        """
        network = self._network(task)
        if network.while_graded != network.while_agent_works:
            container.connect_network(is_on=network.while_graded)

    def end(self, container: Container) -> None:
        """Remove the container of a trial that has ended."""
        # `mark_ended` renames it: if this process is killed before the removal, the next
        # one knows by the name that the trial has ended, and removes the container.
        self._runtime.mark_ended(container.name)
        self._runtime.remove(container.name + ENDED_SUFFIX)
        self._names.discard(container.name)

    def stop(self, trial_id: str) -> None:
        """Stop the container of an open trial. A resumed run starts it again."""
        self._runtime.stop(container_name(trial_id))

    def remove_all(self, run_token: str) -> None:
        """Remove the containers of a run that are left. Raises `ContainerError`."""
        for name in self._runtime.names({OWNER_LABEL: owner(), RUN_LABEL: run_token}):
            self._runtime.remove(name)

    def _image(self, task: HarborTask) -> str:
        """Return a task's image: pulled or built."""
        timeout_s = task.file.environment.build_timeout_sec
        if task.docker_image:
            return self._images.pulled(task.docker_image, timeout_s)
        return self._images.built(task.build_folder, timeout_s)

    def _network(self, task: HarborTask) -> TaskNetwork:
        """Return when a task has a network: the task asks for it and the user allows it."""
        settings = self._settings
        return TaskNetwork(
            while_agent_works=settings.agent_network and task.wants_network("agent"),
            while_graded=settings.verifier_network and task.wants_network("verifier"),
        )

    def _limits(self, task: HarborTask) -> ContainerLimits:
        """Return the memory and CPUs that a task's container may use."""
        memory = ""
        if task.memory_mb:
            memory = f"{task.memory_mb:.0f}m"
        elif task.service is not None:
            memory = task.service.memory
        return self._settings.limits(memory, task.cpus)

    def _start(self, spec: ContainerSpec) -> Container:
        """Start a new container."""
        try:
            return self._runtime.start(spec)
        except ContainerError:
            # A killed process may have started a container with this name. Remove it
            # and try again.
            self._runtime.remove(spec.name)
            return self._runtime.start(spec)

    def _prepare(self, container: Container, task: HarborTask, workdir: str) -> None:
        """Make a new container ready for the agent, or remove it if that fails."""
        try:
            container.script('mkdir -p "$1" /tmp /logs/verifier /logs/agent', workdir)
            network = self._network(task)
            if network.is_needed and not network.while_agent_works:
                container.connect_network(is_on=False)
            health_check = task.file.environment.healthcheck
            if health_check is not None:
                wait_until_healthy(container, health_check)
        except BaseException:
            self._runtime.remove(container.name)
            raise


def container_name(trial_id: str) -> str:
    """Return the name of a trial's container."""
    digest = hashlib.sha256(trial_id.encode()).hexdigest()
    return f"controlplane-{digest[:20]}"
