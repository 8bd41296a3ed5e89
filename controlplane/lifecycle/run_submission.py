"""Submits a run to its benchmark, and asks for its scores."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from controlplane.benchmark import RunResult, RunState
from controlplane.configuration.continuation import run_argument
from controlplane.errors import Interrupted, Unreachable, UsageError
from controlplane.journal.journal_files import is_being_written, journal_id
from controlplane.journal.journal_reader import glance_at
from controlplane.journal.run_events import RunNotice, RunSubmitted
from controlplane.lifecycle.benchmark_calls import call_or_failure
from controlplane.lifecycle.score_polling import (
    poll_deadline,
    poll_until_evaluated,
    record_scores,
)
from controlplane.program_invocation import invocation
from controlplane.sandbox.interface import CallError, error_codes

if TYPE_CHECKING:
    from controlplane.lifecycle.run_lifecycle import Run

# Why a recorded run cannot be resumed, submitted or polled, as a message with the next command.
#
# The `reason_not_to_…` functions return a message if there is nothing left to do, which is not an
# error. The others raise `UsageError`. All of them only read the run's journal, whose path they get.


def reason_not_to_resume(path: Path) -> str:
    """Return why a run cannot be resumed: it is finished. Empty if it can be."""
    summary = glance_at(path)
    if not summary.submitted:
        return ""
    text = f"the run {journal_id(path)} is finished and submitted; there is nothing to resume"
    if any(trial.score is None for trial in summary.trials.values()):
        text += f"; ask for its scores with: {invocation('poll', run_argument(path))}"
    return text


def check_model_may_change(path: Path, changes: Mapping[str, object]) -> None:
    """Raise `UsageError` if `changes` name a model, and a model has replied in the run."""
    if changes.get("model") and glance_at(path).spent.replies:
        msg = (
            f"a model has already replied in {journal_id(path)}, so --model cannot change it; "
            "start a new run"
        )
        raise UsageError(msg)


def reason_not_to_submit(path: Path) -> str:
    """Return why a run cannot be submitted: it already is. Empty if it can be."""
    if not glance_at(path).submitted:
        return ""
    show = invocation("show", run_argument(path))
    return f"the run {journal_id(path)} is already submitted; see: {show}"


def reason_not_to_poll(path: Path) -> str:
    """Return why asking for a run's scores is of no use: all are known. Empty if some are not."""
    summary = glance_at(path)
    has_all_scores = all(trial.score is not None for trial in summary.trials.values())
    if summary.state != RunState.EVALUATED or not has_all_scores:
        return ""
    show = invocation("show", run_argument(path))
    return f"the scores of {journal_id(path)} are out; see: {show}"


def refuse_if_running(path: Path) -> None:
    """Raise `UsageError` if another process conducts the run of the journal at `path`."""
    if is_being_written(path):
        follow = invocation("show", run_argument(path), "--follow")
        msg = (
            f"another process is conducting the run {journal_id(path)}; wait for it, "
            f"or follow it with: {follow}"
        )
        raise UsageError(msg)


MAX_SUBMIT_S: Final = 24 * 3600.0
"""Seconds for which a failed submission of the run is retried. They are many
because a run that is never submitted is lost. The user can stop earlier."""


def submit_run(run: Run, *, force: bool = False) -> None:
    """Submit a run to its benchmark, and ask for its scores.

    With `force`, trials that are still open score 0. Raises `Unreachable`, or
    `Interrupted` if the run was stopped in the meantime.
    """
    run.journal.sync()
    result = record_scores(run, _submitted(run, force=force))
    run.emit(RunSubmitted(forced=force, state=result.state, score=result.score))
    try:
        poll_until_evaluated(run, result.state, poll_deadline(run))
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
