"""A trial, or one of its steps, as plain JSON types for `replay --json`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from dataclasses import asdict
from typing import Any, Final

from controlplane.agent.events import (
    CallEvent,
    CitationAnswered,
    ConversationOpened,
    StepDone,
    StepEvent,
    SubmissionJudged,
    TrialStarted,
)
from controlplane.errors import UsageError
from controlplane.journal.journal_reader import Journal
from controlplane.journal.trial_reader import RecordedTrial
from controlplane.view.results.trial_result import trial_result
from controlplane.view.trial_pages.shown_steps import Page, steps_of
from controlplane.view.trial_pages.trial_pages import pages_of

_HELD_IN_OBJECTS: Final = (
    StepDone,
    ConversationOpened,
    CallEvent,
    CitationAnswered,
    SubmissionJudged,
)
"""The events that a step's object holds itself, or in its calls, citations and submissions."""


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
    events = _other_events(journal.trials[trial_id], {number})
    return recorded.model_dump(mode="python") | {"events": events[number]}


def trial_object(journal: Journal, trial_id: str) -> object:
    """Return a trial with its instruction and steps, as plain JSON types."""
    trial = journal.trials[trial_id]
    record = trial.record
    result: dict[str, object] = asdict(trial_result(trial.summary))
    result["instruction"] = record.started.instruction if record.started else ""
    steps = steps_of(record, trial.summary)
    events = _other_events(trial, {step.number for step in steps})
    result["steps"] = [
        step.summary.model_dump(mode="python") | {"events": events[step.number]}
        for step in steps
    ]
    return result


def _other_events(
    trial: RecordedTrial, steps: Collection[int]
) -> defaultdict[int, list[dict[str, Any]]]:
    """Return the events of steps that their objects do not hold: requests, approvals, answers ...

    A step's object has its calls, citations and submissions already, in fields of its own. If an
    attempt was cut off in the step, the events of both attempts are there.
    """
    events: defaultdict[int, list[dict[str, Any]]] = defaultdict(list)
    for event in trial.events():
        if isinstance(event, TrialStarted) and event.begins_anew:
            events.clear()
        if not isinstance(event, StepEvent) or event.step not in steps:
            continue
        is_held = isinstance(event, _HELD_IN_OBJECTS)
        if not is_held:
            events[event.step].append(event.model_dump(mode="python"))
    return events
