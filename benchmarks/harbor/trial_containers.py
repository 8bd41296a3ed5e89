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
    last_lines,
    owner,
)
from controlplane.benchmarks.containers.container_settings import ContainerSettings
from controlplane.benchmarks.harbor.task_file import HarborTask, Healthcheck, Phase


@dataclass(frozen=True, slots=True)
class TrialContainer:
    """The container of one trial."""

    container: Container
    is_fresh: bool
    """False if an earlier start of the trial has used it."""
    user: str
    """The image's user; empty for root."""
    workdir: str


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
        is_fresh = container is None
        if container is None:
            labels = {OWNER_LABEL: owner(), RUN_LABEL: run_token, TRIAL_LABEL: trial_id}
            container = self._started(self._spec(task, image, name, labels))
            self._prepare(container, task, workdir)
            self._names.add(name)
        return TrialContainer(container, is_fresh, defaults.user, workdir)

    def has_network(self, task: HarborTask, phase: Phase) -> bool:
        """Return True if a phase gets a network: the task asks for it and the user allows it."""
        settings = self._settings
        is_agent = phase == "agent"
        is_allowed = settings.agent_network if is_agent else settings.verifier_network
        return is_allowed and task.wants_network(phase)

    def begin_verifier(self, container: Container, task: HarborTask) -> None:
        """Connect or disconnect the network if the verifier, which grades, needs a change.

        Raises `ContainerError`.
        """
        has_network = self.has_network(task, "verifier")
        if has_network != self.has_network(task, "agent"):
            container.connect_network(is_on=has_network)

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

    def _spec(
        self, task: HarborTask, image: str, name: str, labels: Mapping[str, str]
    ) -> ContainerSpec:
        return ContainerSpec(
            image=image,
            name=name,
            labels=labels,
            variables=self._settings.filled_in(task.variables),
            limits=self._limits(task),
            has_network=self._needs_network(task),
        )

    def _needs_network(self, task: HarborTask) -> bool:
        """Return True if any phase gets a network.

        Only a container that starts with one can be connected later.
        """
        return self.has_network(task, "agent") or self.has_network(task, "verifier")

    def _limits(self, task: HarborTask) -> ContainerLimits:
        memory = ""
        if task.memory_mb:
            memory = f"{task.memory_mb:.0f}m"
        elif task.service is not None:
            memory = task.service.memory
        return self._settings.limits(memory, task.cpus)

    def _started(self, spec: ContainerSpec) -> Container:
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
            if self._needs_network(task) and not self.has_network(task, "agent"):
                container.connect_network(is_on=False)
            if task.file.environment.healthcheck is not None:
                _await_health(container, task.file.environment.healthcheck)
        except BaseException:
            self._runtime.remove(container.name)
            raise


def container_name(trial_id: str) -> str:
    """Return the name of a trial's container."""
    digest = hashlib.sha256(trial_id.encode()).hexdigest()
    return f"controlplane-{digest[:20]}"


def _await_health(container: Container, check: Healthcheck) -> None:
    """Wait until a container's health check succeeds.

    Raises `ContainerError` after `retries` failures. Those during the start period do not
    count, because services may still be starting.
    """
    began = time.monotonic()
    failures = 0
    while True:
        result = container.run(
            ["sh", "-c", check.command], user="0:0", timeout_s=check.timeout_sec
        )
        if result.exit_code == 0:
            return
        is_starting = time.monotonic() - began < check.start_period_sec
        if not is_starting:
            failures += 1
        if failures >= check.retries:
            output = last_lines(result.stdout + result.stderr)
            raise ContainerError("\n".join(["the container is not healthy", *output]))
        time.sleep(check.start_interval_sec if is_starting else check.interval_sec)
