"""Runs, trials and steps as JSON. docs/reference.md describes the forms."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import asdict
from pathlib import Path
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
from controlplane.facts.run_facts import RunDetails, RunRow, run_details
from controlplane.facts.step_facts import no_such_step, step_facts, steps_of
from controlplane.facts.trial_facts import TrialRow, row_of, trial_facts
from controlplane.journal.journal_reader import glance_at
from controlplane.journal.trial_reader import RecordedTrial
from controlplane.terminal_text import say


def say_nothing_to_do(journal: Path, reason: str, *, as_json: bool) -> None:
    """Say why there is nothing to do for a run. With `as_json`, print its result, too."""
    say(reason, err=as_json)
    if as_json:
        print_result(run_details(glance_at(journal), journal))


def print_result(run: RunDetails, **further: object) -> None:
    """Print the run and its trials as one JSON object, in the order of the journal.

    The trials are printed one by one, because a journal may have thousands.
    """
    head = row_of(run.facts, RunRow) | further
    head["pass_rates"] = [asdict(rate) for rate in run.pass_rates]
    head["without_score"] = run.without_score
    head["notices"] = run.notices

    # {"run": …, "without_score": […], "trials": [{…}, {…}]}
    head_without_brace = json.dumps(head).removesuffix("}")
    print(f'{head_without_brace}, "trials": [', end="")
    separator = ""
    for trial in run.trials:
        print(separator + json.dumps(row_of(trial, TrialRow)), end="")
        separator = ", "
    print("]}")


# A trial, or one of its steps, for `replay --json`.

_HELD_IN_OBJECTS: Final = (
    StepDone,
    ConversationOpened,
    CallEvent,
    CitationAnswered,
    SubmissionJudged,
)
"""The events that a step's object holds itself, or in its calls, citations and submissions."""


def step_object(trial: RecordedTrial, number: int) -> object:
    """Return one step as plain JSON types; step 0 is the initial prompt.

    Raises `UsageError` if the trial has no such step.
    """
    record = trial.record
    if number == 0 and record.started is not None:
        prompt = record.initial_prompt
        if prompt is None:
            return None
        return prompt.model_dump(mode="python") | {"events": _other_events(trial)[0]}
    steps = _step_objects(trial)
    if number not in steps:
        raise no_such_step(trial.trial_id, number, list(steps))
    return steps[number]


def trial_object(trial: RecordedTrial) -> object:
    """Return a trial with its instruction and steps, as plain JSON types."""
    started = trial.record.started
    result = row_of(trial_facts(trial.summary), TrialRow)
    result["instruction"] = started.instruction if started else ""
    result["steps"] = list(_step_objects(trial).values())
    return result


def _step_objects(trial: RecordedTrial) -> dict[int, dict[str, object]]:
    """Return the recorded fields of each step, its figures, and its other events, by its number."""
    events = _other_events(trial)
    return {
        step.number: step.summary.model_dump(mode="python")
        | {"figures": step_facts(step).figures, "events": events[step.number]}
        for step in steps_of(trial.record, trial.summary)
    }


def _other_events(trial: RecordedTrial) -> defaultdict[int, list[dict[str, Any]]]:
    """Return the events of steps that their objects do not hold: requests, approvals, answers ...

    A step's object has its calls, citations and submissions already, in fields of its own. If an
    attempt was interrupted in the step, the events of both attempts are there.
    """
    events: defaultdict[int, list[dict[str, Any]]] = defaultdict(list)
    for event in trial.events():
        if isinstance(event, TrialStarted) and event.begins_anew:
            events.clear()
        is_held = isinstance(event, _HELD_IN_OBJECTS)
        if isinstance(event, StepEvent) and not is_held:
            events[event.step].append(event.model_dump(mode="python"))
    return events
