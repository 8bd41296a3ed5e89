"""Adds the events of a journal to the step in which they happened.

A step is one reply of the model, with what it led to. If the process of a trial is killed within a
step, the next one does the step again, and may record a reply, call, citation or submission of it
again. So an entry replaces the entries from its number on:

    the step has calls 0, 1, 2; the next process records call 1   -> calls 0, 1

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
        case CallEvent():  # `step_calls` replaces calls by their number, too.
            step.step_calls.add(event)
        case CallStopped():
            step.stopped.append(event)
        case CallApproval():
            step.approvals.append(event)
        # In a side role, a model only grades the trial, for example: its reply is no part of a step.
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
    """Put an entry at its number. The entries from there on, of a killed process, are removed."""
    del entries[number:]
    entries.append(entry)
