"""Resumes or submits a recorded run, asks for its scores, or plays its trials again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from controlplane.benchmark import RunState, TaskTry
from controlplane.configuration.config_file import run_argument
from controlplane.configuration.continuation import resume_text
from controlplane.errors import UsageError, invocation
from controlplane.journal.journal_files import is_being_written, journal_id
from controlplane.journal.journal_reader import glance_at
from controlplane.lifecycle.conducting import RunScreen, conduct, work_to_the_end
from controlplane.lifecycle.new_run import Consent, NewRun, plan_to_play_again
from controlplane.lifecycle.reopened_run import reopen_run
from controlplane.lifecycle.run_submission import poll_scores, submit_run
from controlplane.terminal_text import count_text

if TYPE_CHECKING:
    from controlplane.journal.journal_reader import Journal
    from controlplane.journal.totals.trial_summary import TrialSummary


# Resume, submit, poll


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
    with reopen_run(path, works=False, is_trusted=is_trusted) as run:
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
    with reopen_run(path, works=False, is_trusted=is_trusted) as run:
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
        works=True,
        changes=changes,
        is_trusted=consent.is_trusted,
        tools=consent.tools,
    )
    with reopened as run:
        return conduct(run, screen)


# Trials again


@dataclass(frozen=True, slots=True)
class TrialChoice:
    """The trials of a run that the user chooses: without any condition, all of them."""

    names: tuple[str, ...] = ()
    """Trials by their id or their task."""
    failed: bool = False
    """All trials to which the solver has given no answer (`--failed`)."""
    below: float | None = None
    """All trials with a lower score than this."""

    @property
    def is_empty(self) -> bool:
        return not self.names and not self.failed and self.below is None


def chosen_trials(journal: Journal, choice: TrialChoice) -> list[TrialSummary]:
    """Return the trials that any condition of `choice` chooses.

    Raises `UsageError` if there are none, or if the task of one is not known.
    """
    from controlplane.compared_run import numbered

    named_ids = _ids_of_names(journal, choice.names)
    chosen = []
    for trial in numbered(journal.summary):
        is_named = choice.is_empty or trial.trial_id in named_ids
        if is_named or _has_chosen_result(trial, choice):
            chosen.append(trial)

    if not chosen:
        show = invocation("show", run_argument(journal.path), "--all")
        trials = count_text(len(journal.trials), "trial")
        msg = f"the options choose none of the {trials} of {journal.run}; list them with: {show}"
        raise UsageError(msg)
    for trial in chosen:
        if not trial.task_id:
            msg = f"the journal of {journal.run} does not name the task of {trial.trial_id}"
            raise UsageError(msg)
    return chosen


def _has_chosen_result(trial: TrialSummary, choice: TrialChoice) -> bool:
    """Return True if `choice` includes trials with this one's result.

    It may include trials without an answer, and trials with a low score.
    """
    if choice.failed and trial.state != "answered":
        return True
    if choice.below is None or trial.own_score is None:
        return False
    return trial.own_score < choice.below


def _ids_of_names(journal: Journal, names: Sequence[str]) -> set[str]:
    """Return the ids of the trials that are named by their task or their own id."""
    ids: set[str] = set()
    for name in names:
        of_task = [
            trial.trial_id for trial in journal.trials.values() if trial.task_id == name
        ]
        if of_task:  # A task may have several trials.
            ids.update(of_task)
        else:
            ids.add(journal.find_trial(name))
    return ids


def rerun_plan(
    journal: Journal,
    choice: TrialChoice,
    changes: Mapping[str, object],
    consent: Consent,
) -> NewRun:
    """Return the plan of a run that plays the chosen trials again, in the same worlds."""
    tries = []
    for trial in chosen_trials(journal, choice):
        task_id, number = trial.world
        tries.append(TaskTry(task_id, number, trial.repeat))
    return plan_to_play_again(journal, tuple(tries), changes, consent)
