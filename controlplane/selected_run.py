"""Starts a run of a benchmark with the trials of the tasks that the user selected."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from controlplane.benchmark import (
    Benchmark,
    BenchmarkError,
    Description,
    PlannedTrial,
    RunRequest,
    StartedRun,
    TaskTry,
)
from controlplane.sandbox.interface import error_codes
from controlplane.task_selection import TaskSelection


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
    return replace(started, trials=_with_tries(description.name, tries, started.trials))


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


def _with_tries(
    benchmark_name: str,
    tries: Sequence[TaskTry],
    trials: Sequence[PlannedTrial],
) -> tuple[PlannedTrial, ...]:
    """Return each trial of a run with its try. Trials and tries are in the same order.

    Raises `BenchmarkError` if they do not match one to one.
    """
    if not _match_one_to_one(tries, trials):
        msg = f"{benchmark_name} was asked for {len(tries)} trials and made {len(trials)} that do not match them one to one"
        raise BenchmarkError(error_codes.INTERNAL, msg)
    numbered_trials = []
    for task_try, trial in zip(tries, trials, strict=True):
        numbered_trials.append(
            PlannedTrial(
                trial.trial_id, task_try.task_id, task_try.number, task_try.copy
            )
        )
    return tuple(numbered_trials)


def _match_one_to_one(tries: Sequence[TaskTry], trials: Sequence[PlannedTrial]) -> bool:
    """Return True if there is one trial for each try, with an id of its own and the same task."""
    trial_ids = {trial.trial_id for trial in trials}
    if not len(tries) == len(trials) == len(trial_ids):
        return False
    for task_try, trial in zip(tries, trials, strict=True):
        if trial.task_id not in ("", task_try.task_id):
            return False
    return True
