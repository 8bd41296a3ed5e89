"""Submits a run to its benchmark, and asks for its scores."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from controlplane.benchmark import RunResult, RunState
from controlplane.configuration.config_file import run_argument
from controlplane.errors import Interrupted, Unreachable, invocation
from controlplane.journal.run_events import RunNotice, RunPolled, RunSubmitted, Scored
from controlplane.journal.totals.trial_summary import TrialSummary
from controlplane.lifecycle.benchmark_health import call_or_failure
from controlplane.sandbox.interface import CallError, error_codes

if TYPE_CHECKING:
    from pathlib import Path

    from controlplane.lifecycle.run_lifecycle import Run

MAX_SUBMIT_S: Final = 24 * 3600.0
"""Seconds for which a failed submission of the run is retried. They are many
because a run that is never submitted is lost. The user can stop earlier."""
FIRST_POLL_PAUSE_S: Final = 0.5
"""Seconds between the first two polls. Each later pause is `POLL_PAUSE_GROWTH` times as long."""
POLL_PAUSE_GROWTH: Final = 1.6
MAX_POLL_PAUSE_S: Final = 30.0
MIN_POLL_S: Final = 5.0
"""Seconds that the benchmark gets to answer a poll, even if the poll time is nearly over."""


def submit_run(run: Run, *, force: bool = False) -> None:
    """Submit a run to its benchmark, and ask for its scores.

    With `force`, trials that are still open score 0. Raises `Unreachable`, or
    `Interrupted` if the run was stopped in the meantime.
    """
    run.journal.sync()
    result = _submitted(run, force=force)
    _record_scores(run, result)
    run.emit(RunSubmitted(forced=force, state=result.state, score=result.score))
    try:
        _poll_until_evaluated(run, result.state, _poll_deadline(run))
    except Unreachable as error:  # The run is submitted; the scores can come later.
        run.emit(RunNotice(text=str(error)))


def _submitted(run: Run, *, force: bool) -> RunResult:
    """Return the benchmark's reply to the submission. Raises as `submit_run` does."""

    def note_retry(text: str) -> None:
        run.emit(RunNotice(text=f"the run is not submitted yet: {text}"))

    benchmark = run.resources.benchmark
    result = call_or_failure(
        lambda: benchmark.submit_run(run.summary.run_id, force=force),
        limit_s=MAX_SUBMIT_S,
        stop=run.controls.stop,
        on_retry=note_retry,
    )
    if not isinstance(result, CallError):
        return result
    remedy = _submit_remedy(result, run.journal.path)
    msg = f"the run could not be submitted ({result}); {remedy}"
    if run.controls.stop.is_set():
        raise Interrupted(msg)
    raise Unreachable(msg)


def _submit_remedy(failure: CallError, path: Path) -> str:
    """Return what the user can do about a submission that failed."""
    if failure.code == error_codes.NOT_FOUND:
        return (
            "its benchmark no longer knows it, so its results are only in the journal"
        )
    words = ["submit", run_argument(path)]
    # With this code a benchmark refuses a run that has open trials.
    if failure.code == error_codes.FAILED_PRECONDITION:
        words.append("--force")
    return f"submit it with: {invocation(*words)}"


def poll_scores(run: Run) -> None:
    """Ask for the scores of a run until they are known or the poll time is over.

    Raises `Unreachable` if the benchmark does not answer.
    """
    deadline = _poll_deadline(run)
    state = _poll_once(run, deadline)
    _poll_until_evaluated(run, state, deadline)


def _poll_deadline(run: Run) -> float:
    return time.monotonic() + run.settings.poll_time


def _poll_until_evaluated(run: Run, state: RunState, deadline: float) -> None:
    """Ask for the scores, with growing pauses, until all are known or the deadline is near.

    Raises `Unreachable`.
    """
    pause_s = FIRST_POLL_PAUSE_S
    while state is not RunState.EVALUATED:
        if time.monotonic() + pause_s > deadline:
            return
        is_stopped = run.controls.stop.wait(pause_s)
        if is_stopped:
            return
        pause_s = min(pause_s * POLL_PAUSE_GROWTH, MAX_POLL_PAUSE_S)
        state = _poll_once(run, deadline)


def _poll_once(run: Run, deadline: float) -> RunState:
    """Ask for the scores, record them, and return the run's state. Raises `Unreachable`."""
    benchmark = run.resources.benchmark
    result = call_or_failure(
        lambda: benchmark.get_run(run.summary.run_id),
        limit_s=max(deadline - time.monotonic(), MIN_POLL_S),
        stop=run.controls.stop,
    )
    if isinstance(result, CallError):
        msg = f"the scores could not be asked for: {result}"
        raise Unreachable(msg)
    _record_scores(run, result)
    run.emit(RunPolled(state=result.state, score=result.score))
    return result.state


def _record_scores(run: Run, result: RunResult) -> None:
    """Write those scores of trials to the journal that are new or have changed."""
    for trial in result.trials:
        event = Scored(
            trial_id=trial.trial_id,
            score=trial.score,
            details=trial.details,
            metrics=dict(trial.metrics),
        )
        known = run.summary.trials.get(trial.trial_id)
        if known is None or _has_news(event, known):
            run.emit(event)


def _has_news(scored: Scored, known: TrialSummary) -> bool:
    """Return True if a score, its details or its metrics differ from what the journal has.

    A missing score does not replace a known one, so it is not news.
    """
    if scored.score is None and known.score is not None:
        return False
    return (
        scored.score != known.score
        or scored.details != known.details
        or scored.metrics != known.metrics
    )
