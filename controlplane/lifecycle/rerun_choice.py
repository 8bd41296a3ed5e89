"""The trials of a recorded run that a rerun plays again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from controlplane.benchmark import TaskTry
from controlplane.configuration.continuation import run_argument
from controlplane.errors import UsageError
from controlplane.lifecycle.playing_again import Consent, RunPlan, plan_to_play_again
from controlplane.program_invocation import invocation
from controlplane.quantity_texts import count_text

if TYPE_CHECKING:
    from controlplane.journal.journal_reader import Journal
    from controlplane.journal.totals.trial_summary import TrialSummary


@dataclass(frozen=True, slots=True)
class TrialChoice:
    """The trials of a run that the user chooses: without any condition, all of them."""

    names: tuple[str, ...] = ()
    """Trials by their id or their task."""
    failed: bool = False
    """All trials to which the solver has given no answer (`--failed`)."""
    below: float | None = None
    """All trials with a lower score than this; one that is over without a score counts as 0."""

    @property
    def is_empty(self) -> bool:
        return not self.names and not self.failed and self.below is None


def _chosen_trials(journal: Journal, choice: TrialChoice) -> list[TrialSummary]:
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
    score = trial.counted_score
    if choice.below is None or score is None:
        return False
    return score < choice.below


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
) -> RunPlan:
    """Return the plan of a run that plays the chosen trials again, in the same worlds."""
    tries = []
    for trial in _chosen_trials(journal, choice):
        task_id, number = trial.world
        tries.append(TaskTry(task_id, number, trial.repeat))
    return plan_to_play_again(journal, tuple(tries), changes, consent)
