"""The containers of a run's trials.

A container exists as long as its trial is open, so a resumed run can use it again. When
a trial ends, its container is first renamed and then removed. If this process is killed
in between, the next start recognizes the name and removes the container.
"""

from __future__ import annotations

import hashlib
from typing import Final

from controlplane.benchmarks.containers.container import CommandPlace, Container
from controlplane.benchmarks.containers.container_runtime import (
    OWNER_LABEL,
    RUN_LABEL,
    TRIAL_LABEL,
    ContainerRuntime,
    TrialServices,
    owner,
    remove_leftovers,
    wait_until_healthy,
)
from controlplane.benchmarks.harbor.tasks import HarborTask, Phase, PhaseTable

_LOG_FOLDERS: Final = ("/logs/verifier", "/logs/agent", "/logs/artifacts")
"""The folders that Harbor's tasks expect. Every user may write there."""


class TrialContainers:
    """Finds, starts and removes the containers of trials.

    Created for each run; called from many threads at once.
    """

    def __init__(self, runtime: ContainerRuntime) -> None:
        self._runtime = runtime
        self._settings = runtime.settings
        self._names: set[str] = set()
        """The names of the containers that exist: found by `find_earlier`, or started since.
        Each thread adds and removes only its own trial's, which is safe in a set."""

    def find_earlier(self) -> None:
        """Find containers left by an earlier process, and remove those whose trials have ended.

        Raises `ContainerError`.
        """
        self._names.update(remove_leftovers(self._runtime))

    def place(self, container: Container, phase: PhaseTable) -> CommandPlace:
        """Return the user, folder and variables of commands of the agent or the verifier.

        `phase` is the table `[agent]` or `[verifier]` of task.toml, which may name a user.
        """
        user = phase.user or container.place.user
        variables = self._settings.filled_in(phase.env)
        return CommandPlace(user, container.place.workdir, variables)

    # A task may want a network while the agent works, while it is graded, or both. It gets one only
    # if the user allows it, too. A container that starts without a network can never get one.

    def _has_network(self, task: HarborTask, phase: Phase) -> bool:
        """Return True if a container has a network in a phase."""
        if phase == "agent":
            return self._settings.agent_network and task.wants_network(phase)
        return self._settings.verifier_network and task.wants_network(phase)

    def open(self, task: HarborTask, trial_id: str, run_token: str) -> TrialServices:
        """Find or start a trial's containers. Call `find_earlier` before the first one.

        Raises `ContainerError`, and `CommandInterrupted` if the run is stopped while
        an image is pulled or built.
        """
        has_agent_network = self._has_network(task, "agent")
        has_network = has_agent_network or self._has_network(task, "verifier")
        opened = self._services(task, container_name(trial_id), has_network=has_network)
        if opened.name in self._names:
            if opened.find():
                return opened
            opened.remove()
        opened.start(_labels(trial_id, run_token), _LOG_FOLDERS)
        try:
            if has_network and not has_agent_network:  # It is for the verifier alone.
                opened.main.connect_network(is_on=False)
            if _has_files_for_workdir(task):
                with task.files.copied(task.environment_folder) as files:
                    opened.main.copy_in(files, opened.main.place.workdir)
            health_check = task.file.environment.healthcheck
            if health_check is not None:
                wait_until_healthy(opened.main, health_check)
        except BaseException:
            opened.remove()
            raise
        self._names.add(opened.name)
        return opened

    def switch_network(self, task: HarborTask, opened: TrialServices) -> None:
        """Give the agent's container the network of the verifier, which runs in it.

        Raises `ContainerError`.
        """
        is_on = self._has_network(task, "verifier")
        if is_on != self._has_network(task, "agent"):
            opened.main.connect_network(is_on=is_on)

    def open_for_verifier(
        self, task: HarborTask, trial_id: str, run_token: str
    ) -> TrialServices:
        """Start the containers of a separate verifier. One that an earlier process has left is replaced.

        Raises `ContainerError` and `CommandInterrupted`.
        """
        name = ".".join((container_name(trial_id), "verifier"))
        has_network = self._has_network(task, "verifier")
        opened = self._services(task.of_verifier, name, has_network=has_network)
        opened.remove()
        opened.start(_labels(trial_id, run_token), _LOG_FOLDERS)
        return opened

    def _services(
        self, task: HarborTask, name: str, *, has_network: bool
    ) -> TrialServices:
        project = task.project.with_network(is_allowed=has_network)
        timeout_s = task.file.environment.build_timeout_sec
        return TrialServices(self._runtime, project, task.files, name, timeout_s)

    def end(self, opened: TrialServices) -> None:
        """Remove the containers of a trial that has ended."""
        opened.remove(self._runtime.mark_ended(opened.name))
        self._names.discard(opened.name)

    def stop(self, task: HarborTask, trial_id: str) -> None:
        """Stop the containers of an open trial. A resumed run starts them again."""
        name = container_name(trial_id)
        self._services(task, name, has_network=False).stop()

    def remove_all(self, run_token: str) -> int:
        """Remove the containers of a run, and return how many those of other runs are.

        Raises `ContainerError`.
        """
        self._runtime.remove_labelled({OWNER_LABEL: owner(), RUN_LABEL: run_token})
        return len(self._runtime.names({OWNER_LABEL: owner()}))


def _labels(trial_id: str, run_token: str) -> dict[str, str]:
    return {OWNER_LABEL: owner(), RUN_LABEL: run_token, TRIAL_LABEL: trial_id}


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
