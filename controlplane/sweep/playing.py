"""Plays the runs of a sweep side by side."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Final

from controlplane.errors import UsageError, as_usage_error
from controlplane.lifecycle.conducting import conduct
from controlplane.lifecycle.new_run import continued_run
from controlplane.lifecycle.resources.opening_resources import open_resources
from controlplane.lifecycle.run_lifecycle import Run
from controlplane.lifecycle.run_plan import RunPlan
from controlplane.lifecycle.run_signals import stop_on_signals
from controlplane.lifecycle.run_start import begin_run
from controlplane.sweep.recorded_part import recorded_part
from controlplane.view.progress.run_display import SILENT

BETWEEN_REPORTS_S: Final = 1.0
"""The seconds between two reports of how many trials are over."""


def play_sweep(
    plan: Mapping[str, RunPlan], file: Path, tell: Callable[[int, int], None]
) -> int:
    """Play every unfinished run of a plan, and return the worst exit code.

    `tell` is called with the number of trials that are over and the number of all
    trials. Raises `UsageError` for the first run that cannot begin or continue, before
    any run costs anything.
    """
    unfinished = {}
    for label, run in plan.items():
        recorded = recorded_part(run)  # What its journal holds so far.
        if recorded is None or not recorded.submitted:
            unfinished[label] = run
    if not unfinished:
        return 0

    runs = []
    for label, run in unfinished.items():
        # Opening the resources finds faults such as an unknown model, before any run has begun.
        with as_usage_error(f"{file}, {label}", UsageError):
            open_resources(run.spec).close()
        runs.append(_with_share_of_concurrency(run, len(unfinished)))
    return _play_side_by_side(runs, tell)


def _with_share_of_concurrency(run: RunPlan, runs: int) -> RunPlan:
    """Return a run that plays fewer trials at once, because `runs` runs are played together."""
    settings = run.spec.settings
    concurrency = max(settings.concurrency // runs, 1)
    shared = settings.model_copy(update={"concurrency": concurrency})
    return replace(run, spec=replace(run.spec, settings=shared))


def _play_side_by_side(
    new_runs: Sequence[RunPlan], tell: Callable[[int, int], None]
) -> int:
    """Begin or continue all runs, and play the same trial of each at about the same time."""
    with ExitStack() as stack:
        runs: list[Run] = []
        for new_run in new_runs:
            runs.append(stack.enter_context(continued_run(new_run)))
        for run in runs:
            run.work.open_workers()
            if not run.summary.run_id:
                begin_run(run)

        def interrupt_all() -> None:
            for run in runs:
                run.interrupt()

        with stop_on_signals(interrupt_all), ThreadPoolExecutor(len(runs)) as pool:
            exit_codes = [pool.submit(conduct, run, SILENT) for run in runs]
            while wait(exit_codes, timeout=BETWEEN_REPORTS_S).not_done:
                over = sum(run.summary.trials.over for run in runs)
                total = sum(len(run.summary.trials) for run in runs)
                tell(over, total)
        return max(exit_code.result() for exit_code in exit_codes)
