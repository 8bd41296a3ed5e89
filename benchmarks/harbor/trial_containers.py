"""The containers of a run's trials.

A container exists as long as its trial is open, so a resumed run can use it again. When
a trial ends, its container is first renamed and then removed. If this process is killed
in between, the next start recognizes the name and removes the container.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from controlplane.benchmarks.containers.container import ROOT, CommandPlace, Container
from controlplane.benchmarks.containers.container_images import ContainerImages
from controlplane.benchmarks.containers.container_runtime import (
    ENDED_SUFFIX,
    OWNER_LABEL,
    RUN_LABEL,
    TRIAL_LABEL,
    ContainerRuntime,
    ContainerSettings,
    ContainerSpec,
    owner,
)
from controlplane.benchmarks.containers.container_variables import (
    remove_abandoned_files,
)
from controlplane.benchmarks.containers.runtime_program import (
    ContainerError,
    last_lines,
)
from controlplane.benchmarks.harbor.tasks import HarborTask, Healthcheck, PhaseTable

# Waits until a new container is ready for the agent.
#
# A task may start a server in its container. Its health check is a command, such as `curl
# localhost:8000`, which succeeds as soon as the server answers.

LONGEST_START_S: Final = 3_600.0
"""Seconds until a container must be ready, whatever its task says. No known task needs more."""
_CHECK_OUTPUT_BYTES: Final = 20_000
"""The most bytes of a check's output that are kept. Its last lines tell why it failed."""


def wait_until_healthy(container: Container, check: Healthcheck) -> None:
    """Wait until a container's health check, a shell command, succeeds.

    Raises `ContainerError` after `retries` failures, or after `LONGEST_START_S`. Failures
    during the start period do not count, because services may still be starting. Raises
    `CommandInterrupted` if the run is being stopped.
    """
    began = time.monotonic()
    failures = 0
    while True:
        remaining_s = began + LONGEST_START_S - time.monotonic()
        result = container.run(
            ["/bin/sh", "-c", check.command],
            ROOT,
            timeout_s=min(check.timeout_sec, max(remaining_s, 1.0)),
            output_bytes=_CHECK_OUTPUT_BYTES,
        )
        if result.exit_code == 0:
            return
        elapsed_s = time.monotonic() - began
        is_starting = elapsed_s < check.start_period_sec
        if not is_starting:
            failures += 1
        if failures >= check.retries or elapsed_s >= LONGEST_START_S:
            output = last_lines(result.stdout + result.stderr)
            raise ContainerError("\n".join(["the container is not healthy", *output]))
        pause_s = check.start_interval_sec if is_starting else check.interval_sec
        container.program.pause(min(pause_s, LONGEST_START_S - elapsed_s))


# When the container of a task has a network.
#
# A task may want one while the agent works, while it is graded, or both. It gets one only if
# the user allows it, too. A container that starts without a network can never get one.


@dataclass(frozen=True, slots=True)
class _TaskNetwork:
    """In which phases of a trial its container has a network.

    The agent works first. Then the verifier grades what it has done.
    """

    while_agent_works: bool
    while_graded: bool

    @property
    def is_needed(self) -> bool:
        """True if the container must start with a network: otherwise it can never get one."""
        return self.while_agent_works or self.while_graded

    def switch_for_agent(self, container: Container) -> None:
        """Disconnect a new container if only the verifier has a network.

        Raises `ContainerError`.
        """
        if self.while_graded and not self.while_agent_works:
            container.connect_network(is_on=False)

    def switch_for_verifier(self, container: Container) -> None:
        """Connect or disconnect the container if the verifier differs from the agent.

        Raises `ContainerError`.
        """
        if self.while_graded != self.while_agent_works:
            container.connect_network(is_on=self.while_graded)


def network_of(task: HarborTask, settings: ContainerSettings) -> _TaskNetwork:
    """Return when a task has a network: the task asks for it and the user allows it."""
    return _TaskNetwork(
        while_agent_works=settings.agent_network and task.wants_network("agent"),
        while_graded=settings.verifier_network and task.wants_network("verifier"),
    )


# Starts the container of a task, and makes it ready for the agent.
#
# The container gets the folders that Harbor's tasks expect, and the network that the task may
# have. It is ready when the task's own health check succeeds, if the task has one.

_MAKE_FOLDERS: Final = 'mkdir -p "$1" /tmp /logs/verifier /logs/agent'
"""Makes the working directory, which is the argument, and those of Harbor's logs."""


@dataclass(frozen=True, slots=True)
class _TaskImage:
    """The image of a task."""

    name: str
    user: str
    """The image's user; empty for root."""
    workdir: str
    """The task's working directory, or else the image's."""


class _ContainerStarter:
    """Gets images and starts containers. Many threads share it."""

    def __init__(self, runtime: ContainerRuntime, settings: ContainerSettings) -> None:
        self._runtime = runtime
        self._settings = settings
        self._images = ContainerImages(runtime.images, settings)

    def image_of(self, task: HarborTask) -> _TaskImage:
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
        return _TaskImage(name, defaults.user, task.workdir or defaults.workdir)

    def start(
        self, task: HarborTask, image: _TaskImage, name: str, labels: Mapping[str, str]
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
            container.script(_MAKE_FOLDERS, image.workdir)
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


@dataclass(frozen=True, slots=True)
class TrialContainer:
    """The container of one trial."""

    container: Container
    is_fresh: bool
    """False if an earlier start of the trial has used it."""
    user: str
    """The image's user; empty for root."""
    workdir: str
    """The working directory of the task, or else of its image."""

    def command_place(
        self, phase: PhaseTable, settings: ContainerSettings
    ) -> CommandPlace:
        """Return the user, folder and variables of commands of the agent or the verifier.

        `phase` is the table `[agent]` or `[verifier]` of task.toml, which may name a user.
        """
        return CommandPlace(
            user=str(phase.user) or self.user,
            workdir=self.workdir,
            variables=settings.filled_in(phase.env),
        )


class TrialContainers:
    """Finds, starts and removes the containers of trials.

    Created for each run; called from many threads at once.
    """

    def __init__(self, runtime: ContainerRuntime, settings: ContainerSettings) -> None:
        self._runtime = runtime
        self._starter = _ContainerStarter(runtime, settings)
        self._names: set[str] = set()
        """The names of the containers that exist: found by `find_earlier`, or started since.
        Each thread adds and removes only its own trial's, which is safe in a set."""

    def find_earlier(self) -> None:
        """Find containers left by an earlier process, and remove those whose trials have ended.

        Files with variables that a killed process has left are removed, too. Raises
        `ContainerError`.
        """
        remove_abandoned_files()
        for name in self._runtime.names({OWNER_LABEL: owner()}):
            if name.endswith(ENDED_SUFFIX):
                self._runtime.remove(name)
            else:
                self._names.add(name)

    def open(self, task: HarborTask, trial_id: str, run_token: str) -> TrialContainer:
        """Find or start a trial's container. Call `find_earlier` before the first one.

        Raises `ContainerError`, and `CommandInterrupted` if the run is stopped while
        the image is pulled or built.
        """
        image = self._starter.image_of(task)
        name = container_name(trial_id)
        if name in self._names:
            earlier = self._runtime.find(name)  # Starts it if it was stopped.
            if earlier is not None:
                return TrialContainer(
                    earlier, is_fresh=False, user=image.user, workdir=image.workdir
                )

        labels = {OWNER_LABEL: owner(), RUN_LABEL: run_token, TRIAL_LABEL: trial_id}
        container = self._starter.start(task, image, name, labels)
        self._names.add(name)
        return TrialContainer(
            container, is_fresh=True, user=image.user, workdir=image.workdir
        )

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


def container_name(trial_id: str) -> str:
    """Return the name of a trial's container, the same in each process that opens the trial."""
    digest = hashlib.sha256(trial_id.encode()).hexdigest()
    return f"controlplane-{digest[:20]}"
