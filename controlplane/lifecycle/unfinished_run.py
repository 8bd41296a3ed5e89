"""Tells why a run is unfinished, and how to continue it."""

from __future__ import annotations

from typing import NoReturn

from controlplane.agent.model import ModelError, RetriesExhausted
from controlplane.configuration.continuation import (
    belongs_to_a_program,
    is_played_here,
    resume_text,
    run_argument,
)
from controlplane.configuration.run_settings import RunSettings
from controlplane.errors import BudgetExhausted, Interrupted, Unreachable
from controlplane.journal.totals.trial_summary import FAILED, OPEN, RUNNING, WAITING
from controlplane.lifecycle.run_lifecycle import Run
from controlplane.program_invocation import invocation
from controlplane.quantity_texts import count_text


def raise_if_unfinished(run: Run) -> None:
    """Raise an error if trials are unfinished. It names the command that continues the run.

    If there are several reasons, the error has the first of these:

    1. A limit of the run is used up, and nothing else has stopped the run.
    2. An error has paused the run.
    3. The benchmark could not end some trials.
    4. No trial could be started.
    5. The user has interrupted the run.
    """
    _raise_if_out_of_budget(run)
    if run.paused is not None:
        _raise_pause(run, run.paused)
    _raise_if_not_ended(run)
    _raise_if_not_started(run)
    if run.summary.trials.count(WAITING, RUNNING, OPEN):
        msg = f"interrupted and not submitted; nothing that was recorded is lost; {_resume(run)}"
        raise Interrupted(msg)


def _raise_if_out_of_budget(run: Run) -> None:
    """Raise `BudgetExhausted` if a used-up limit, and nothing else, has stopped the run."""
    used_up = run.resources.budget.spending.end.reason
    stopped_otherwise = run.paused is not None or run.controls.interrupted.is_set()
    if used_up and run.summary.trials.left and not stopped_otherwise:
        raise BudgetExhausted(_used_up_text(run, used_up))


def _raise_pause(run: Run, error: Exception) -> NoReturn:
    """Raise an error with the remedy for the error that has paused the run."""
    # If the benchmark has failed, the user may also submit what there is.
    remedy = _resume(run) if isinstance(error, ModelError) else _resume_or_submit(run)
    msg = f"the run is paused: {error}; {remedy}"
    if isinstance(error, RetriesExhausted):
        raise BudgetExhausted(msg)
    raise Unreachable(msg)


def _raise_if_not_ended(run: Run) -> None:
    """Raise `Unreachable` if the benchmark could not end some trials."""
    open_trials = run.summary.trials.count(OPEN)
    if open_trials and not run.controls.stop.is_set():
        msg = (
            f"{count_text(open_trials, 'trial')} could not be ended, so the run is not submitted; "
            f"{_resume_or_submit(run)}"
        )
        raise Unreachable(msg)


def _raise_if_not_started(run: Run) -> None:
    """Raise `Unreachable` if no trial could be started."""
    trials = run.summary.trials.values()
    failed = [trial for trial in trials if trial.state == FAILED]
    if failed and len(failed) == len(trials):
        reason = failed[0].reason
        msg = f"no trial could be started ({reason}), so the run is not submitted; {_resume(run)}"
        raise Unreachable(msg)


def _resume(run: Run) -> str:
    """Return the end of a message: `continue with: controlplane resume RUN`."""
    return f"continue with: {resume_command(run)}"


def _used_up_text(run: Run, used_up: str) -> str:
    """Return a message about a limit that is used up, with the command that raises it.

    `used_up` is "the run has spent $2 (--run-cost)" -> "the run has spent $2 (--run-cost); 3 trials
    left; with a higher limit, continue with: controlplane resume RUN --run-cost 4".
    """
    option = _doubled_limit(used_up, run.resources.spec.settings)
    trials = count_text(run.summary.trials.left, "trial")
    return f"{used_up}; {trials} left; with a higher limit, continue with: {resume_command(run, option)}"


def resume_command(run: Run, options: tuple[str, ...] = ()) -> str:
    """Return the command that continues a run or, for tasks of a program, the function call."""
    return resume_text(run.journal.path, run.resources.spec.settings.benchmark, options)


def _doubled_limit(used_up: str, settings: RunSettings) -> tuple[str, ...]:
    """Return the option that doubles the limit that is used up, such as `("--run-cost", "4")`.

    `used_up` names the limit's option: `"the run has spent $2 (--run-cost)"`. Returns
    an empty tuple if it names none.
    """
    limits = {
        "--run-cost": settings.run_cost,
        "--run-tokens": settings.run_tokens,
        "--run-time": settings.run_time,
    }
    for option, limit in limits.items():
        if f"({option})" in used_up and limit is not None:
            return option, f"{2 * limit:.15g}"
    return ()


def _resume_or_submit(run: Run) -> str:
    """Return how to continue a run and, if possible, how to submit it without its open trials.

    It can be submitted if some trials are open, none waits to begin, and a platform waits for the
    run. A list of tasks that a program has passed can only be opened again by that program.
    """
    resume = _resume(run)
    open_trials = run.summary.trials.count(OPEN)
    if not open_trials or run.summary.trials.count(WAITING):
        return resume
    benchmark = run.resources.spec.settings.benchmark
    if belongs_to_a_program(benchmark) or is_played_here(benchmark):
        return resume
    submit = invocation("submit", run_argument(run.journal.path), "--force")
    open_ones = "it" if open_trials == 1 else "them"
    return f"{resume} or, to submit it without {open_ones}: {submit}"
