"""Records how a run ended, and gives it its exit code."""

from __future__ import annotations

from controlplane.errors import (
    BudgetExhausted,
    ControlPlaneError,
    Interrupted,
    JournalUnwritable,
)
from controlplane.journal.run_events import RunClosed
from controlplane.journal.totals.run_summary import RunSummary
from controlplane.lifecycle.run_lifecycle import Run


def close_run(
    run: Run, error: BaseException | None = None, *, counts_trials: bool = True
) -> int:
    """Record how the run ended, and return its exit code.

    Without an error the code is 0 if every trial ended with an answer (or the fallback
    answer), none broke, and their graders gave a score at all. If `counts_trials` is False, the outcome of the trials does
    not matter.
    """
    code = 0
    if error is not None:
        code = _exit_code_of(error)
    elif counts_trials:
        has_spent_all = bool(run.resources.budget.spending.end.reason)
        code = _exit_code_of_trials(run.summary, has_spent_all=has_spent_all)

    is_unwritable = isinstance(error, JournalUnwritable)
    if run.journal.failure is None and not is_unwritable:
        run.emit(_closing_event(code, error))
        run.journal.sync()
    return code


def _exit_code_of(error: BaseException) -> int:
    if isinstance(error, ControlPlaneError):
        return error.exit_code
    if isinstance(error, KeyboardInterrupt):
        return Interrupted.exit_code
    return 1


def _exit_code_of_trials(summary: RunSummary, *, has_spent_all: bool) -> int:
    """Return the exit code of a run by its trials.

    `has_spent_all` is True if the run has reached one of its limits of spending.
    """
    trials = summary.trials
    ended = trials.count("answered", "fallback")
    is_complete = summary.submitted and ended == len(trials)

    if has_spent_all and not is_complete:
        return BudgetExhausted.exit_code
    if any(trial.out_of_budget for trial in trials.values()):
        return BudgetExhausted.exit_code
    if not is_complete or any(trial.is_broken for trial in trials.values()):
        return 1
    if trials.unscored and not trials.scores:
        return 1  # Nothing of the run was graded.
    return 0


def _closing_event(code: int, error: BaseException | None) -> RunClosed:
    text = str(error or "")
    if code == Interrupted.exit_code:
        return RunClosed(how="interrupted", exit_code=code, error=text)
    if error is None:
        return RunClosed(how="finished", exit_code=code, error=text)
    return RunClosed(how="failed", exit_code=code, error=text)
