"""Asks the benchmark for the scores of a submitted run."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from controlplane.benchmark import RunResult, RunState
from controlplane.errors import Unreachable
from controlplane.journal.run_events import RunNotice, RunPolled, Scored
from controlplane.journal.totals.trial_summary import TrialSummary
from controlplane.lifecycle.benchmark_calls import call_or_failure
from controlplane.lifecycle.trials.trial_reports import scored_event
from controlplane.sandbox.interface import CallError

if TYPE_CHECKING:
    from controlplane.lifecycle.run_lifecycle import Run


_NONE_TOLD: Final = "its benchmark tells no score"
_FIRST_POLL_PAUSE_S: Final = 0.5
"""Seconds between the first two polls. Each later pause is `_POLL_PAUSE_GROWTH` times as long."""
_POLL_PAUSE_GROWTH: Final = 1.6
_MAX_POLL_PAUSE_S: Final = 30.0
_MIN_POLL_S: Final = 5.0
"""Seconds that the benchmark gets to answer a poll, even if the poll time is nearly over."""


def poll_scores(run: Run) -> None:
    """Ask for the scores of a run until they are known or the poll time is over.

    Raises `Unreachable` if the benchmark does not answer.
    """
    deadline = poll_deadline(run)
    state = _poll_once(run, deadline)
    poll_until_evaluated(run, state, deadline)


def poll_deadline(run: Run) -> float:
    return time.monotonic() + run.settings.poll_time


def poll_until_evaluated(run: Run, state: RunState, deadline: float) -> None:
    """Ask for the scores, with growing pauses, until all are known or the deadline is near.

    Raises `Unreachable`.
    """
    pause_s = _FIRST_POLL_PAUSE_S
    while state is not RunState.EVALUATED:
        if time.monotonic() + pause_s > deadline:
            return
        is_stopped = run.controls.stop.wait(pause_s)
        if is_stopped:
            return
        pause_s = min(pause_s * _POLL_PAUSE_GROWTH, _MAX_POLL_PAUSE_S)
        state = _poll_once(run, deadline)


def _poll_once(run: Run, deadline: float) -> RunState:
    """Ask for the scores, record them, and return the run's state. Raises `Unreachable`."""
    benchmark = run.resources.benchmark
    result = call_or_failure(
        lambda: benchmark.get_run(run.summary.run_id),
        limit_s=max(deadline - time.monotonic(), _MIN_POLL_S),
        stop=run.controls.stop,
    )
    if isinstance(result, CallError):
        msg = f"the scores could not be asked for: {result}"
        raise Unreachable(msg)
    result = record_scores(run, result)
    run.emit(RunPolled(state=result.state, score=result.score))
    return result.state


def record_scores(run: Run, reported: RunResult) -> RunResult:
    """Write those scores of trials to the journal that are new or have changed.

    Return the result with scores of the benchmark's scale alone, and the reasons for those left out.
    """
    result = _with_reasons(reported.within(run.resources.opened.scale))
    if reported.score is not None and result.score is None:
        text = "the benchmark's own score of the run is left out: a number in it is no score"
        if text not in run.summary.notices:
            run.emit(RunNotice(text=text))
    for trial in result.trials:
        event = scored_event(trial.trial_id, trial)
        known = run.summary.trials.get(trial.trial_id)
        if known is None or _has_news(event, known):
            run.emit(event)
    return result


def _with_reasons(result: RunResult) -> RunResult:
    """Say of each trial without a score that it will get none, if the benchmark hides none.

    That is so if the run is evaluated, and other trials have scores.
    """
    has_scores = any(trial.score is not None for trial in result.trials)
    if result.state is not RunState.EVALUATED or not has_scores:
        return result
    trials = []
    for trial in result.trials:
        if trial.score is None and not trial.unscored:
            trial = replace(trial, unscored=_NONE_TOLD)
        trials.append(trial)
    return replace(result, trials=tuple(trials))


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
        or scored.unscored != known.unscored
    )
