"""Submits a recorded run, or asks for its scores.

Each function gets the path of the run's journal, opens the run again from it, does the work while a
screen shows it, and returns the exit code of the command. Without a screen, nothing is printed.
"""

from __future__ import annotations

from pathlib import Path

from controlplane.configuration.continuation import resume_text
from controlplane.errors import UsageError
from controlplane.journal.journal_files import journal_id
from controlplane.journal.journal_reader import glance_at
from controlplane.lifecycle.conducting import RunScreen, work_to_the_end
from controlplane.lifecycle.reopened_run import reopen_run
from controlplane.lifecycle.run_refusals import (
    refuse_if_running,
)
from controlplane.lifecycle.run_submission import submit_run
from controlplane.lifecycle.score_polling import poll_scores
from controlplane.quantity_texts import count_text


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


def _resume_text(path: Path) -> str:
    """Return the command, or the call of a program, that continues the run of a journal."""
    opened = glance_at(path).opened
    return resume_text(path, opened.benchmark if opened is not None else "")
