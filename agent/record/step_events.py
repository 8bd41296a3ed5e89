"""Adds the events of a journal to the step in which they happened.

A trial whose process was killed within a step repeats the step in its next *attempt*, which may
record a reply, call, citation or submission again. So an entry replaces the entries from its
number on:

    the step has calls 0, 1, 2; the next attempt records call 1   -> calls 0, 1

Other events are never recorded twice, so they are appended.
"""

from __future__ import annotations

from typing import TypeVar

from controlplane.agent.events import (
    AnswerDone,
    AnswerSent,
    CallApproval,
    CallEvent,
    CallStopped,
    CitationAnswered,
    Event,
    ModelReplied,
    ScriptMeasured,
    SubmissionJudged,
)
from controlplane.agent.model import SIDE_ROLES
from controlplane.agent.record.trial_step import TrialStep

Entry = TypeVar("Entry")


def add_event(step: TrialStep, event: Event) -> None:
    """Add an event to its step. Raises `ValueError` if the outcome of a call fits no call."""
    match event:
        case CallEvent():
            step.step_calls.add(event)
        case CallStopped():
            step.stopped.append(event)
        case CallApproval():
            step.approvals.append(event)
        case ModelReplied() if event.role not in SIDE_ROLES:
            _replace_from(step.replies, event.number, event)
        case ScriptMeasured():
            step.measured = event
        case CitationAnswered():
            _replace_from(step.citations, event.number, event.citation)
        case SubmissionJudged():
            _replace_from(step.submissions, event.number, event.judged)
        case AnswerSent() if event.is_part_of_step:
            step.sent_answers.append(event)
        case AnswerDone() if event.is_part_of_step:
            step.answer_results.append(event)
        case _:
            pass  # The event adds nothing to a step.


def _replace_from(entries: list[Entry], number: int, entry: Entry) -> None:
    """Put an entry at its number. It replaces the entries from there on, of an earlier attempt."""
    del entries[number:]
    entries.append(entry)
