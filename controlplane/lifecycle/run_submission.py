"""Submits a run to its benchmark, asks for its scores, and says why neither may be done."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from controlplane.benchmark import RunResult, RunState
from controlplane.configuration.run_names import is_question, run_argument
from controlplane.errors import Interrupted, Unreachable, UsageError
from controlplane.journal.journal_files import is_being_written, journal_id
from controlplane.journal.journal_reader import glance_at
from controlplane.journal.run_events import RunNotice, RunPolled, RunSubmitted, Scored
from controlplane.journal.totals.trial_summary import TrialSummary
from controlplane.lifecycle.run_controls import call_or_failure, scored_event
from controlplane.program_invocation import invocation
from controlplane.sandbox.interface import CallError, error_codes

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
    deadline = time.monotonic() + run.settings.poll_time
    state = _poll_once(run, deadline)
    _poll_until_evaluated(run, state, deadline)


def _poll_until_evaluated(run: Run, state: RunState, deadline: float) -> None:
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
    result = _record_scores(run, result)
    run.emit(RunPolled(state=result.state, score=result.score))
    return result.state


def _record_scores(run: Run, reported: RunResult) -> RunResult:
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


# Why a recorded run cannot be resumed, submitted or polled.


def nothing_left(path: Path, command: Literal["resume", "submit", "poll"]) -> str:
    """Return why a command has nothing to do for the run of a journal; empty if it has something to do.

    The message names the next command. That nothing is left is not an error.
    """
    summary = glance_at(path)
    run = journal_id(path)
    see = f"see: {invocation('show', run_argument(path))}"
    has_all_scores = all(trial.score is not None for trial in summary.trials.values())
    if command == "poll":
        if is_question(summary):
            return f"{run} is a question, which has no scores to ask for; {see}"
        is_evaluated = summary.state == RunState.EVALUATED
        are_out = is_evaluated and has_all_scores
        return f"the scores of {run} are out; {see}" if are_out else ""
    if not summary.submitted:
        return ""
    if command == "submit":
        return f"the run {run} is already submitted; {see}"
    text = f"the run {run} is finished and submitted; there is nothing to resume"
    if not has_all_scores:
        poll = invocation("poll", run_argument(path))
        text += f"; ask for its scores with: {poll}"
    return text


def refuse_if_running(path: Path) -> None:
    """Raise `UsageError` if another process conducts the run of the journal at `path`."""
    if is_being_written(path):
        follow = invocation("show", run_argument(path), "--follow")
        msg = (
            f"another process is conducting the run {journal_id(path)}; wait for it, "
            f"or follow it with: {follow}"
        )
        raise UsageError(msg)


_MAX_SUBMIT_S: Final = 24 * 3600.0
"""Seconds for which a failed submission of the run is retried. They are many
because a run that is never submitted is lost. The user can stop earlier."""


def submit_run(run: Run, *, force: bool = False) -> None:
    """Submit a run to its benchmark, and ask for its scores.

    With `force`, trials that are still open score 0. Raises `Unreachable`, or
    `Interrupted` if the run was stopped in the meantime.
    """
    run.journal.sync()

    def note_retry(text: str) -> None:
        run.emit(RunNotice(text=f"the run is not submitted yet: {text}"))

    benchmark = run.resources.benchmark
    submitted = call_or_failure(
        lambda: benchmark.submit_run(run.summary.run_id, force=force),
        limit_s=_MAX_SUBMIT_S,
        stop=run.controls.stop,
        on_retry=note_retry,
    )
    if isinstance(submitted, CallError):
        remedy = _submit_remedy(submitted, run.journal.path)
        msg = f"the run could not be submitted ({submitted}); {remedy}"
        if run.controls.stop.is_set():
            raise Interrupted(msg)
        raise Unreachable(msg)
    result = _record_scores(run, submitted)
    run.emit(RunSubmitted(forced=force, state=result.state, score=result.score))
    try:
        deadline = time.monotonic() + run.settings.poll_time
        _poll_until_evaluated(run, result.state, deadline)
    except Unreachable as error:  # The run is submitted; the scores can come later.
        run.emit(RunNotice(text=str(error)))


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
