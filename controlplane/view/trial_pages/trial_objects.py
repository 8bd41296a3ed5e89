"""A trial, or one of its steps, as plain JSON types for `replay --json`."""

from __future__ import annotations

from dataclasses import asdict

from controlplane.errors import UsageError
from controlplane.journal.journal_reader import Journal
from controlplane.view.results.trial_result import trial_result
from controlplane.view.trial_pages.shown_steps import Page, steps_of
from controlplane.view.trial_pages.trial_pages import pages_of


def find_step(journal: Journal, trial_id: str, number: int) -> Page:
    """Return the page of one step. Step 0 is the initial prompt.

    Raises `UsageError` if the trial has no such step.
    """
    pages = list(pages_of(journal.trials[trial_id]))
    for page in pages:
        if page.step == number:
            return page
    steps = [page.step for page in pages if page.step]
    known_steps = f"steps 1 to {steps[-1]}" if steps else "no steps"
    msg = f"the trial {trial_id} has no step {number}; it has {known_steps}"
    raise UsageError(msg)


def step_object(journal: Journal, trial_id: str, number: int) -> object:
    """Return one step as plain JSON types. Raises `UsageError` if the trial has no such step."""
    recorded = find_step(journal, trial_id, number).recorded
    if recorded is None:
        return None
    return recorded.model_dump(mode="python")


def trial_object(journal: Journal, trial_id: str) -> object:
    """Return a trial with its instruction and steps, as plain JSON types."""
    trial = journal.trials[trial_id]
    record = trial.record
    result: dict[str, object] = asdict(trial_result(trial.summary))
    result["instruction"] = record.started.instruction if record.started else ""
    steps = steps_of(record, trial.summary)
    result["steps"] = [step.summary.model_dump(mode="python") for step in steps]
    return result
