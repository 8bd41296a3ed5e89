"""The tasks of a benchmark, as far as an improvement loop knows them before its runs.

A world is the environment of a task under one seed. Worlds are numbered.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from controlplane.benchmark import Description
from controlplane.configuration.run_settings import RunSettings
from controlplane.lifecycle.resources.named_operations import check_named_operations
from controlplane.lifecycle.resources.opening_resources import open_resources
from controlplane.lifecycle.resources.run_resources import RunResources
from controlplane.lifecycle.resources.run_spec import RunSpec
from controlplane.task_selection import TaskSelection


@dataclass(frozen=True, slots=True)
class KnownTasks:
    """The tasks of a benchmark, with what their instructions tell before a run."""

    description: Description
    selected: list[str]
    """The tasks that the user selected."""
    instructions: dict[str, str]
    """The instruction of each task under the run's seed; an empty text if it is not known."""
    constant: frozenset[str]
    """The tasks whose instruction does not depend on the number of the world."""

    @property
    def ignores_numbers(self) -> bool:
        """True if a selected task is the same in every world, whatever the world's number."""
        return any(task in self.constant for task in self.selected)

    def key_of(self, task: str) -> str:
        """Return a key that tasks with the same instruction share: the instruction, or the id."""
        return self.instructions.get(task) or task


def known_tasks(settings: RunSettings, tasks: Sequence[str]) -> KnownTasks:
    """Return the tasks of the benchmark. `tasks` are those that the user selected."""
    # `plays_trials=False`: the benchmark only describes its tasks, and no trial is played.
    with open_resources(RunSpec(settings), plays_trials=False) as resources:
        # Wrong names are found first: a benchmark may need seconds to generate instructions.
        description = resources.describe()
        selected = selected_tasks(description, tasks)
        check_named_operations(resources, selected)
        instructions = _instructions_of(resources, settings.seed)
        other_instructions = _instructions_of(resources, settings.seed + 1)

    # Two seeds give two worlds. If a task has the same instruction in both, we assume
    # that it is the same in every world.
    constant = {
        task
        for task, instruction in instructions.items()
        if instruction and instruction == other_instructions[task]
    }
    return KnownTasks(description, selected, instructions, frozenset(constant))


def _instructions_of(resources: RunResources, seed: int) -> dict[str, str]:
    """Return the instruction of each task under a seed, by the task's name."""
    tasks = resources.benchmark.describe(preview_seed=seed).tasks
    return {task.task_id: task.preview for task in tasks}


def selected_tasks(description: Description, names: Sequence[str]) -> list[str]:
    """Return the tasks with these names or families, or all tasks if `names` is empty.

    Raises `BenchmarkError`.
    """
    selection = TaskSelection(tuple(name.strip() for name in names))
    # The selection plays each task once, so each try is one task.
    task_ids = selection.task_ids(description)
    return [task_try.task_id for task_try in selection.tries(task_ids)]
