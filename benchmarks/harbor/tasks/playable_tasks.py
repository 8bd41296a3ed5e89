"""Finds the tasks of a folder that can be played here, and why the others cannot.

A task cannot be played if it needs a feature that is not supported, or a variable of this
machine, such as a key, that the user has not allowed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from controlplane.benchmarks.containers.container_settings import ContainerSettings
from controlplane.benchmarks.containers.dockerfile import images_of_build
from controlplane.benchmarks.containers.task_values import (
    TaskValueError,
    check_variables,
)
from controlplane.benchmarks.harbor.tasks.harbor_task import HarborTask
from controlplane.benchmarks.harbor.tasks.task_folder import TaskFolder
from controlplane.benchmarks.harbor.tasks.task_notices import missing_variables


@dataclass(frozen=True, slots=True)
class PlayableTasks:
    """The tasks of a benchmark."""

    tasks: Mapping[str, HarborTask]
    """The tasks that can be played, by id."""
    refusals: Mapping[str, str]
    """Why the other tasks cannot be played, by id."""

    @property
    def refusal_lines(self) -> list[str]:
        """The reasons as `ID: REASON`."""
        return [f"{task_id}: {reason}" for task_id, reason in self.refusals.items()]

    @property
    def summary(self) -> str:
        """One line that counts the tasks, and lists those that cannot be played."""
        summary = f"{len(self.tasks)} tasks in containers"
        if self.refusals:
            summary += f"; not supported: {'; '.join(self.refusal_lines)}"
        return summary

    @property
    def images(self) -> list[str]:
        """The images that tasks name. Those that are built from Dockerfiles have no names yet."""
        return [task.docker_image for task in self.tasks.values() if task.docker_image]

    @property
    def longest_timeout_s(self) -> float:
        """The longest time limit of a build, an agent or a verifier."""
        timeouts_s = [0.0]
        for task in self.tasks.values():
            timeouts_s.append(task.file.environment.build_timeout_sec)
            timeouts_s.append(task.file.agent.timeout_sec)
            timeouts_s.append(task.file.verifier.timeout_sec)
        return max(timeouts_s)


def playable_tasks(folder: TaskFolder, settings: ContainerSettings) -> PlayableTasks:
    """Return the tasks whose variables the user allows, out of those that are supported."""
    tasks = {}
    refusals = dict(folder.refusals)
    for task_id, task in folder.tasks.items():
        missing = missing_variables(task, settings)
        refused = _refused_use(task, settings)
        if missing:
            hint = f"--set env={','.join(missing)}"
            refusals[task_id] = f"it needs variables of this machine: {hint}"
        elif refused:
            refusals[task_id] = refused
        else:
            tasks[task_id] = task
    return PlayableTasks(tasks, refusals)


def _refused_use(task: HarborTask, settings: ContainerSettings) -> str:
    """Return what a task may not have with these settings; empty if nothing.

    A variable of this machine may be one that no container can be given, and a Dockerfile may
    fetch something while builds have no network.
    """
    try:
        if not task.docker_image:
            images_of_build(
                task.build_folder,
                task.files,
                settings.runtime,
                has_network=settings.build_network,
            )
        for values in (task.variables, task.file.agent.env, task.file.verifier.env):
            check_variables(settings.filled_in(values))
    except TaskValueError as error:
        return str(error)
    return ""
