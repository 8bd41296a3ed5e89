"""The containers of a run's trials.

A container exists as long as its trial is open, so a resumed run can use it again. When
a trial ends, its container is first renamed and then removed. If this process is killed
in between, the next start recognizes the name and removes the container.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from controlplane.benchmarks.containers.container import CommandPlace, Container
from controlplane.benchmarks.containers.container_runtime import (
    ENDED_SUFFIX,
    OWNER_LABEL,
    RUN_LABEL,
    TRIAL_LABEL,
    ContainerRuntime,
    owner,
)
from controlplane.benchmarks.containers.container_settings import ContainerSettings
from controlplane.benchmarks.containers.container_variables import (
    remove_abandoned_files,
)
from controlplane.benchmarks.harbor.container_start import ContainerStarter
from controlplane.benchmarks.harbor.tasks.harbor_task import HarborTask
from controlplane.benchmarks.harbor.tasks.task_tables import PhaseTable


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
        self._starter = ContainerStarter(runtime, settings)
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
