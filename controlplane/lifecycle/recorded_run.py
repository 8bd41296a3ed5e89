"""Resumes or submits a recorded run, asks for its scores, or plays its trials again."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from controlplane.benchmark import RunState
from controlplane.configuration.continuation import resume_text
from controlplane.configuration.runs_folder import run_argument
from controlplane.errors import UsageError, invocation
from controlplane.journal.journal_files import is_being_written, journal_id
from controlplane.journal.journal_reader import glance_at
from controlplane.lifecycle.conducting import RunScreen, conduct, work_to_the_end
from controlplane.lifecycle.playing_again import Consent
from controlplane.lifecycle.reopened_run import reopen_run
from controlplane.lifecycle.run_submission import submit_run
from controlplane.lifecycle.score_polling import poll_scores
from controlplane.quantity_texts import count_text


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


def _resume_text(path: Path) -> str:
    """Return the command, or the call of a program, that continues the run of a journal."""
    opened = glance_at(path).opened
    return resume_text(path, opened.benchmark if opened is not None else "")


def submit(
    path: Path, screen: RunScreen | None, *, force: bool, is_trusted: bool
) -> int:
    """Submit a run and return the exit code. With `force`, open trials score 0.

    `is_trusted`: True if the user accepts a journal that somebody else may have written.
    Raises `UsageError` if another process conducts the run, or trials are open without `force`.
    """
    refuse_if_running(path)
    open_trials = glance_at(path).trials.left
    if open_trials and not force:
        resume = _resume_text(path)
        msg = (
            f"{journal_id(path)} has {count_text(open_trials, 'open trial')}, which would score 0; "
            f"continue with: {resume} (or submit anyway with --force)"
        )
        raise UsageError(msg)
    # Trials that did not end are no failure of this command.
    with reopen_run(path, plays_trials=False, is_trusted=is_trusted) as run:
        return work_to_the_end(
            run, screen, lambda: submit_run(run, force=force), counts_trials=False
        )


def reason_not_to_poll(path: Path) -> str:
    """Return why asking for a run's scores is of no use: all are known. Empty if some are not."""
    summary = glance_at(path)
    has_all_scores = all(trial.score is not None for trial in summary.trials.values())
    if summary.state != RunState.EVALUATED or not has_all_scores:
        return ""
    show = invocation("show", run_argument(path))
    return f"the scores of {journal_id(path)} are out; see: {show}"


def poll(path: Path, screen: RunScreen | None, *, is_trusted: bool) -> int:
    """Ask for the scores of a submitted run, add them to its journal, and return the exit code.

    Raises `UsageError` if another process conducts the run, or it was not submitted.
    """
    refuse_if_running(path)
    if not glance_at(path).submitted:
        resume = _resume_text(path)
        msg = f"the run {journal_id(path)} was not submitted; continue with: {resume}"
        raise UsageError(msg)
    with reopen_run(path, plays_trials=False, is_trusted=is_trusted) as run:
        return work_to_the_end(
            run, screen, lambda: poll_scores(run), counts_trials=False
        )


def refuse_if_running(path: Path) -> None:
    """Raise `UsageError` if another process conducts the run of the journal at `path`."""
    if is_being_written(path):
        follow = invocation("show", run_argument(path), "--follow")
        msg = (
            f"another process is conducting the run {journal_id(path)}; wait for it, "
            f"or follow it with: {follow}"
        )
        raise UsageError(msg)


def resume(
    path: Path,
    screen: RunScreen | None,
    changes: Mapping[str, object],
    consent: Consent,
) -> int:
    """Continue a run to its end, and return the exit code.

    `changes` replace recorded settings. Raises as `reopen_run` does.
    """
    check_model_may_change(path, changes)
    reopened = reopen_run(
        path,
        plays_trials=True,
        changes=changes,
        is_trusted=consent.is_trusted,
        tools=consent.tools,
    )
    with reopened as run:
        return conduct(run, screen)
