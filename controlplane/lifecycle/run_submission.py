"""Submits a run to its benchmark, and asks for its scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from controlplane.benchmark import RunResult
from controlplane.configuration.runs_folder import run_argument
from controlplane.errors import Interrupted, Unreachable
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
    from pathlib import Path

    from controlplane.lifecycle.run_lifecycle import Run

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
