"""Selects the trials of a run: applies task names, `--limit` and `--repeats` alike for every benchmark."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from controlplane.benchmark import Benchmark, BenchmarkError, Description, RunRequest, StartedRun, TaskTry, TrialHead
from controlplane.errors import did_you_mean
from sandbox.interface import error_codes

NUMBER: Final = re.compile(r"[1-9]\d{0,3}")
SHOWN_TASKS: Final = 10
"""Task names listed if none is near an unknown name."""


@dataclass(frozen=True, slots=True)
class TaskSelection:
    """The tasks that a user chose."""

    names: tuple[str, ...] = ()
    """Task ids, or family names (a task's id up to its last dot). Empty for all tasks."""
    limit: int | None = None
    """Most tasks of a run."""
    repeats: int = 1
    """Tries of each task."""
    only: tuple[TaskTry, ...] = ()
    """The exact tries to play instead of names, limit and repeats; empty if names, limit and repeats choose."""

    def __post_init__(self) -> None:
        """Raise `ValueError` for a count below 1."""
        for what, count in (("limit", self.limit), ("repeats", self.repeats)):
            if count is not None and count < 1:
                msg = f"{what} must be at least 1, got {count}"
                raise ValueError(msg)

    def task_ids(self, description: Description) -> list[str]:
        """Return the ids to choose from: the tasks that the benchmark lists, then unlisted tasks that the user names.

        A family without a listed task means its first task. Raises `BenchmarkError` for a name that is neither a
        task nor a family.
        """
        listed = [task.task_id for task in description.tasks]
        families = dict.fromkeys(filter(None, map(_family, listed)))
        unlisted = [family for family in description.numbered_families if family not in families]
        named = [f"{name}.1" if name in unlisted else name for name in self.names]
        numbered = [
            name
            for name in named
            if _family(name) in description.numbered_families and NUMBER.fullmatch(name.rpartition(".")[2])
        ]
        task_ids = list(dict.fromkeys([*listed, *numbered]))
        names = [*families, *unlisted, *task_ids]
        for name in self.names:
            if name not in names:
                msg = f"no task {name!r}{did_you_mean(name, names, most=SHOWN_TASKS)}"
                raise BenchmarkError(error_codes.INVALID_ARGUMENT, msg)
        return task_ids

    def tries(self, task_ids: Sequence[str]) -> tuple[TaskTry, ...]:
        """Return the tries of the selected tasks in rounds: each task once before any is repeated."""
        if self.only:
            return self.only
        tasks = self._tasks(task_ids)
        return tuple(TaskTry(task_id, number) for number in range(self.repeats) for task_id in tasks)

    def among(self, heads: Sequence[TrialHead]) -> tuple[TrialHead, ...]:
        """Return the allotted trials of selected tasks; a trial that does not name its task is a task of its own."""
        chosen = set(self._tasks(list(dict.fromkeys(head.task_id or head.trial_id for head in heads))))
        return tuple(head for head in heads if (head.task_id or head.trial_id) in chosen)

    def _tasks(self, task_ids: Iterable[str]) -> list[str]:
        names = set(self.names)
        return [task_id for task_id in task_ids if not names or {task_id, _family(task_id)} & names][: self.limit]


def _family(task_id: str) -> str:
    return task_id.rpartition(".")[0]


def start_selected_run(benchmark: Benchmark, selection: TaskSelection, *, name: str, seed: int) -> StartedRun:
    """Start a run and return it with the selected trials.

    Raises `BenchmarkError`, for an unknown name before anything starts.
    """
    description = benchmark.describe()
    task_ids = selection.task_ids(description)
    if not description.allots_trials:
        tries = selection.tries(task_ids)
        started = benchmark.start_run(RunRequest(name, tries, seed))
        return replace(started, trials=_matched(description.name, tries, started.trials))
    if selection.repeats != 1:
        msg = f"repeats={selection.repeats}: {description.name} gives one trial per task; start several runs instead"
        raise BenchmarkError(error_codes.INVALID_ARGUMENT, msg)
    started = benchmark.start_run(RunRequest(name, selection.tries(task_ids) if selection.names else (), seed))
    if selection.names and not all(trial.task_id for trial in started.trials):
        msg = f"run {started.run_id} does not say which trial has which task; run all of them"
        raise BenchmarkError(error_codes.FAILED_PRECONDITION, msg)
    return replace(started, trials=selection.among(started.trials))


def _matched(name: str, tries: Sequence[TaskTry], heads: Sequence[TrialHead]) -> tuple[TrialHead, ...]:
    matched = tuple(
        TrialHead(head.trial_id, try_.task_id, try_.number + try_.copy)
        for try_, head in zip(tries, heads, strict=False)
    )
    is_right = len(tries) == len(heads) == len({head.trial_id for head in heads})
    if not is_right or any(head.task_id not in ("", try_.task_id) for try_, head in zip(tries, heads, strict=True)):
        msg = f"{name} was asked for {len(tries)} trials and made {len(heads)} that do not match them one to one"
        raise BenchmarkError(error_codes.INTERNAL, msg)
    return matched
