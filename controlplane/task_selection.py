"""The tasks that a user chose to play, how often to play each, and the start of a run with them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from controlplane.benchmark import (
    Benchmark,
    BenchmarkError,
    Description,
    PlannedTrial,
    RunRequest,
    StartedRun,
    TaskTry,
)
from controlplane.errors import did_you_mean
from controlplane.sandbox.interface import error_codes

_LONGEST_ID_CHARS: Final = 4_000
"""Ids stand whole in each line of a trial."""
_SHOWN_ID_CHARS: Final = 60

# The families of a benchmark's tasks. The family of `orders.3` is `orders`.


def family_of(task_id: str) -> str:
    """Return the family of a task: its id up to the last dot; empty if the id has no dot."""
    return task_id.rpartition(".")[0]


def _listed_and_named_tasks(
    description: Description, names: Sequence[str]
) -> list[str]:
    """Return the listed tasks, and after them those of numbered families that `names` add.

    A numbered family has a task `FAMILY.N` for every N, of which the benchmark lists
    only some, or none. For example, if `orders` is a numbered family:

    - The name `orders.7` adds this task, unless it is listed.
    - The name `orders` means the listed tasks of the family. If there are none, it adds
      `orders.1`.
    """
    task_ids = list(dict.fromkeys(task.task_id for task in description.tasks))
    listed_families = {family_of(task_id) for task_id in task_ids}
    for name in names:
        task_id = name
        if name in description.numbered_families and name not in listed_families:
            task_id = f"{name}.1"
        if _is_of_numbered_family(task_id, description) and task_id not in task_ids:
            task_ids.append(task_id)
    return task_ids


def _is_of_numbered_family(task_id: str, description: Description) -> bool:
    family, _, number = task_id.rpartition(".")
    return family in description.numbered_families and (
        number.isascii() and number.isdigit() and number[0] != "0" and len(number) < 5
    )


@dataclass(frozen=True, slots=True)
class TaskSelection:
    """The tasks that a user chose to play, and how often to play each."""

    names: tuple[str, ...] = ()
    """Task ids, or family names (a task's id up to its last dot). Empty for all tasks."""
    limit: int | None = None
    """The largest number of tasks in a run, at least 1; None for no limit."""
    repeats: int = 1
    """The number of tries of each task in the same world, at least 1."""
    worlds: int = 1
    """The number of worlds for each task, at least 1."""
    only: tuple[TaskTry, ...] = ()
    """The exact tries to play, whatever the other fields say. Empty: the other fields decide."""

    def task_ids(self, description: Description) -> list[str]:
        """Return the listed tasks, and after them any unlisted tasks that the user names.

        Raises `BenchmarkError` for a name that is neither a task nor a family, and for one that is
        too long.
        """
        task_ids = _listed_and_named_tasks(description, self.names)
        for task_id in task_ids:
            if len(task_id) > _LONGEST_ID_CHARS:
                msg = (
                    f"the id of the task {task_id[:_SHOWN_ID_CHARS]}… has {len(task_id):,} "
                    f"characters: at most {_LONGEST_ID_CHARS:,} are allowed"
                )
                raise BenchmarkError(error_codes.INVALID_ARGUMENT, msg)
        families = [family_of(task.task_id) for task in description.tasks]
        families += description.numbered_families
        known_names = [
            *[family for family in dict.fromkeys(families) if family],
            *task_ids,
        ]
        for name in self.names:
            if name not in known_names:
                msg = f"no task {name!r}{did_you_mean(name, known_names, most=10)}"
                raise BenchmarkError(error_codes.INVALID_ARGUMENT, msg)
        return task_ids

    def tries(self, task_ids: Sequence[str]) -> tuple[TaskTry, ...]:
        """Return the tries of the selected tasks: each task once before any task is repeated."""
        if self.only:
            return self.only
        selected_ids = self._selected(task_ids)
        tries = []
        for copy in range(self.repeats):
            for world in range(self.worlds):
                for task_id in selected_ids:
                    tries.append(TaskTry(task_id, world, copy))
        return tuple(tries)

    def allotted_trials(
        self, trials: Sequence[PlannedTrial]
    ) -> tuple[PlannedTrial, ...]:
        """Return the trials of selected tasks, among those that a benchmark has allotted.

        If a trial does not name its task, its id stands for the task.
        """
        task_ids = [trial.task_id or trial.trial_id for trial in trials]
        selected_ids = self._selected(dict.fromkeys(task_ids))
        selected_trials = []
        for trial, task_id in zip(trials, task_ids, strict=True):
            if task_id in selected_ids:
                selected_trials.append(trial)
        return tuple(selected_trials)

    def _selected(self, task_ids: Iterable[str]) -> list[str]:
        """Return the tasks that the user named, directly or by family, up to the limit."""
        selected = list(task_ids)
        if self.names:
            selected = [
                task_id
                for task_id in selected
                if (task_id in self.names or family_of(task_id) in self.names)
            ]
        return selected[: self.limit]


# Starts a run of a benchmark with the trials of the selected tasks.


def start_selected_run(
    benchmark: Benchmark, selection: TaskSelection, *, name: str, seed: int
) -> StartedRun:
    """Start a run, and return it with the trials of the selected tasks.

    Raises `BenchmarkError`. An unknown name raises it before anything starts.
    """
    description = benchmark.describe()
    task_ids = selection.task_ids(description)
    # Some benchmarks choose the trials of a run themselves. The others are told the tries.
    if description.allots_trials:
        return _start_allotted_run(
            benchmark, description, selection, task_ids, name, seed
        )
    tries = selection.tries(task_ids)
    started = benchmark.start_run(RunRequest(name, tries, seed))
    if not _match_one_to_one(tries, started.trials):
        msg = f"{description.name} was asked for {len(tries)} trials and made {len(started.trials)} that do not match them one to one"
        raise BenchmarkError(error_codes.INTERNAL, msg)
    numbered_trials = []
    for task_try, trial in zip(tries, started.trials, strict=True):
        numbered_trials.append(
            PlannedTrial(
                trial.trial_id, task_try.task_id, task_try.number, task_try.copy
            )
        )
    return replace(started, trials=tuple(numbered_trials))


def _start_allotted_run(
    benchmark: Benchmark,
    description: Description,
    selection: TaskSelection,
    task_ids: Sequence[str],
    name: str,
    seed: int,
) -> StartedRun:
    """Start a run whose trials the benchmark chooses itself, and keep the selected ones.

    Raises `BenchmarkError` if the benchmark does not give the selected trials.
    """
    if selection.repeats > 1 or selection.worlds > 1:
        refused_option = f"worlds={selection.worlds}"
        if selection.repeats > 1:
            refused_option = f"repeats={selection.repeats}"
        msg = f"{refused_option}: {description.name} gives one trial per task; start several runs instead"
        raise BenchmarkError(error_codes.INVALID_ARGUMENT, msg)

    # If the user names no tasks, the benchmark may allot any trials.
    wanted_tries: tuple[TaskTry, ...] = ()
    if selection.names:
        wanted_tries = selection.tries(task_ids)
    started = benchmark.start_run(RunRequest(name, wanted_tries, seed))

    # Only the started run shows whether its trials name their tasks.
    if selection.names and not all(trial.task_id for trial in started.trials):
        msg = f"run {started.run_id} does not say which trial has which task; run all of them"
        raise BenchmarkError(error_codes.FAILED_PRECONDITION, msg)
    return replace(started, trials=selection.allotted_trials(started.trials))


def _match_one_to_one(tries: Sequence[TaskTry], trials: Sequence[PlannedTrial]) -> bool:
    """Return True if there is one trial for each try, with an id of its own and the same task."""
    trial_ids = {trial.trial_id for trial in trials}
    if not len(tries) == len(trials) == len(trial_ids):
        return False
    for task_try, trial in zip(tries, trials, strict=True):
        if trial.task_id not in ("", task_try.task_id):
            return False
    return True
