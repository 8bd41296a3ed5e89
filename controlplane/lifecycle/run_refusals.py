"""Why a recorded run cannot be resumed, submitted or polled, as a message with the next command.

The `reason_not_to_…` functions return a message if there is nothing left to do, which is not an
error. The others raise `UsageError`. All of them only read the run's journal, whose path they get.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from controlplane.benchmark import RunState
from controlplane.configuration.runs_folder import run_argument
from controlplane.errors import UsageError
from controlplane.journal.journal_files import is_being_written, journal_id
from controlplane.journal.journal_reader import glance_at
from controlplane.program_invocation import invocation


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
