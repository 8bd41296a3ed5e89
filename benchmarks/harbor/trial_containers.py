"""The containers of a run's trials.

A container exists as long as its trial is open, so a resumed run can use it again. When
a trial ends, its container is first renamed and then removed. If this process is killed
in between, the next start recognizes the name and removes the container.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Final

from controlplane.benchmarks.containers.container import CommandPlace, Container
from controlplane.benchmarks.containers.container_runtime import (
    ENDED_SUFFIX,
    OWNER_LABEL,
    RUN_LABEL,
    TRIAL_LABEL,
    ContainerRuntime,
    owner,
    remove_leftovers,
)
from controlplane.benchmarks.containers.container_settings import ContainerSettings
from controlplane.benchmarks.containers.services import (
    StartedProject,
    StartedService,
    TrialServices,
    wait_until_healthy,
)
from controlplane.benchmarks.harbor.tasks import HarborTask, PhaseTable

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


# The containers of one trial.

_LOG_FOLDERS: Final = ("/logs/verifier", "/logs/agent", "/logs/artifacts")
"""The folders that Harbor's tasks expect. Every user may write there."""


def command_place(
    started: StartedService, phase: PhaseTable, settings: ContainerSettings
) -> CommandPlace:
    """Return the user, folder and variables of commands of the agent or the verifier.

    `phase` is the table `[agent]` or `[verifier]` of task.toml, which may name a user.
    """
    return CommandPlace(
        user=phase.user or started.user,
        workdir=started.workdir,
        variables=settings.filled_in(phase.env),
    )


class TrialContainers:
    """Finds, starts and removes the containers of trials.

    Created for each run; called from many threads at once.
    """

    def __init__(self, runtime: ContainerRuntime) -> None:
        self._runtime = runtime
        self.settings = runtime.settings
        self._services = TrialServices(runtime)
        self._names: set[str] = set()
        """The names of the containers that exist: found by `find_earlier`, or started since.
        Each thread adds and removes only its own trial's, which is safe in a set."""

    def find_earlier(self) -> None:
        """Find containers left by an earlier process, and remove those whose trials have ended.

        Raises `ContainerError`.
        """
        self._names.update(remove_leftovers(self._runtime))

    def open(self, task: HarborTask, trial_id: str, run_token: str) -> StartedProject:
        """Find or start a trial's containers. Call `find_earlier` before the first one.

        Raises `ContainerError`, and `CommandInterrupted` if the run is stopped while
        an image is pulled or built.
        """
        name = container_name(trial_id)
        network = network_of(task, self.settings)
        project = task.project.with_network(is_allowed=network.is_needed)
        timeout_s = task.file.environment.build_timeout_sec
        if name in self._names:
            # Those that were stopped start again.
            found = self._services.found(project, task.files, name, timeout_s)
            if found is not None:
                return found
            self._services.remove(project, name)

        labels = {OWNER_LABEL: owner(), RUN_LABEL: run_token, TRIAL_LABEL: trial_id}
        opened = self._services.start(
            project,
            task.files,
            name,
            labels,
            build_timeout_s=timeout_s,
            folders=_LOG_FOLDERS,
        )
        try:
            self._make_ready(task, opened)
        except BaseException:
            self._services.remove(project, name)
            raise
        self._names.add(name)
        return opened

    def _make_ready(self, task: HarborTask, opened: StartedProject) -> None:
        """Make a new container ready for the agent."""
        # A network for the verifier alone is disconnected here. A container that starts
        # without a network could never get one.
        network_of(task, self.settings).switch_for_agent(opened.container)
        if _has_files_for_workdir(task):
            with task.files.copied(task.environment_folder) as files:
                opened.container.copy_in(files, opened.main.workdir)
        health_check = task.file.environment.healthcheck
        if health_check is not None:
            wait_until_healthy(opened.container, health_check)

    def open_for_verifier(
        self, task: HarborTask, trial_id: str, run_token: str
    ) -> StartedProject:
        """Start the containers of a separate verifier. One that an earlier process has left is replaced.

        Raises `ContainerError` and `CommandInterrupted`.
        """
        name = ".".join((container_name(trial_id), "verifier"))
        has_network = self.settings.verifier_network and task.wants_network("verifier")
        project = task.of_verifier.project.with_network(is_allowed=has_network)
        self._services.remove(project, name)
        labels = {OWNER_LABEL: owner(), RUN_LABEL: run_token, TRIAL_LABEL: trial_id}
        return self._services.start(
            project,
            task.files,
            name,
            labels,
            build_timeout_s=task.of_verifier.file.environment.build_timeout_sec,
            folders=_LOG_FOLDERS,
        )

    def close_verifier(self, opened: StartedProject) -> None:
        """Remove the containers of a separate verifier."""
        self._services.remove(opened.project, opened.container.name)

    def end(self, opened: StartedProject) -> None:
        """Remove the containers of a trial that has ended."""
        name = opened.container.name
        # `mark_ended` renames it: if this process is killed before the removal, the next
        # one knows by the name that the trial has ended, and removes the containers.
        self._runtime.mark_ended(name)
        if opened.project.sidecars:
            self._services.remove(opened.project, name)
        self._runtime.remove(name + ENDED_SUFFIX)
        self._names.discard(name)

    def stop(self, task: HarborTask, trial_id: str) -> None:
        """Stop the containers of an open trial. A resumed run starts them again."""
        self._services.stop(task.project, container_name(trial_id))

    def remove_all(self, run_token: str) -> int:
        """Remove the containers of a run, and return how many those of other runs are.

        Raises `ContainerError`.
        """
        self._runtime.remove_labelled({OWNER_LABEL: owner(), RUN_LABEL: run_token})
        return len(self._runtime.names({OWNER_LABEL: owner()}))


def _has_files_for_workdir(task: HarborTask) -> bool:
    """Return True if the files of `environment/` belong into the container: nothing is built of them."""
    return (
        bool(task.file.environment.docker_image)
        and not task.compose.services
        and not task.files.is_file(task.environment_folder / "Dockerfile")
        and task.environment_folder.is_dir()
    )


def container_name(trial_id: str) -> str:
    """Return the name of a trial's container, the same in each process that opens the trial."""
    digest = hashlib.sha256(trial_id.encode()).hexdigest()
    return f"controlplane-{digest[:20]}"
