"""Builds the record of a trial from the events of a journal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from controlplane.agent.events import (
    AnswerDone,
    AnswerSent,
    ConversationOpened,
    ModelAsked,
    ModelReplied,
    Noticed,
    StepDone,
    StepEvent,
    TrialStarted,
)
from controlplane.agent.failure_codes import may_yet_succeed
from controlplane.agent.model import SIDE_ROLES
from controlplane.agent.record.trial_record import SideReply, TrialRecord
from controlplane.agent.record.trial_step import TrialStep
from controlplane.journal.run_events import JournalEvent, TrialFailed
from controlplane.journal.totals.trial_summary import TrialSummary
from controlplane.sandbox.interface import error_codes

if TYPE_CHECKING:
    from controlplane.journal.journal_reader import Journal


class TrialReader:
    """Builds the record of a trial, with its steps, replies and answer, from its events.

    Call `add` with each event in order; `record` is then up to date.
    """

    def __init__(self) -> None:
        self.record = TrialRecord()
        self._side_request: ModelAsked | None = None
        """The latest request to a model that is not the solver's: of the grader,
        the simulated user or the second reader of answers. The next reply
        in such a role answers it."""

    def add(self, event: JournalEvent) -> None:
        """Add an event to the record."""
        record = self.record
        # Every reply costs money, whatever its role. The cases below add the same reply
        # to a side request or to a step.
        if isinstance(event, ModelReplied):
            record.paid_replies.append(event)

        match event:
            # The trial
            case TrialStarted():
                # Continue the record with an attempt at the trial, or start a new record.
                if event.begins_anew:
                    self.record = TrialRecord()
                if self.record.started is None:
                    # A resumed trial keeps the clock of its first start.
                    self.record.started = event
                self.record.open_step.begin_attempt(event)
            case ConversationOpened():
                record.initial_prompt = event
                record.open_step = TrialStep()
            case TrialFailed():
                # Remove the replies to the grader, which asks its model again after a failure.
                replies = self.record.side_replies
                self.record.side_replies = [
                    side for side in replies if side.replied.role != "grade"
                ]
            case Noticed() if not event.retry:  # A retry concerns only its own moment.
                record.notices.append(event.text)
            case AnswerSent() | AnswerDone():
                # A late answer is sent after the solver's work, so it belongs to no step.
                if not event.late:
                    self._open_step(event.step).add(event)
                if isinstance(event, AnswerSent):
                    self.record.answer = event
                elif event.error is not None and _is_refused(event.error.code):
                    self.record.answer = None

            # Side requests: those outside of the solver's conversation, such as the grader's
            case ModelAsked() if event.role in SIDE_ROLES:
                self._side_request = event
            case ModelReplied() if event.role in SIDE_ROLES:
                if self._side_request is not None:
                    reply = SideReply(self._side_request.texts, event)
                    self.record.side_replies.append(reply)

            # The steps of the solver
            case StepDone():
                step = self._open_step(event.step)
                step.complete(event)
                record.whole_steps.append(step)
                record.open_step = TrialStep()
            case StepEvent() if event.entry is not None:
                # A part of a step, such as a call or the solver's reply.
                self._open_step(event.step).add(event)
            case _:
                pass  # The record does not use this event.

    def _open_step(self, number: int) -> TrialStep:
        """Return the step of this number: the open one, or a new one that replaces it."""
        if self.record.open_step.number != number:
            self.record.open_step = TrialStep(number)
        return self.record.open_step


def _is_refused(code: str) -> bool:
    """Return True if the error of a sent answer means that it will never be accepted."""
    was_accepted_before = code == error_codes.ALREADY_EXISTS
    return not was_accepted_before and not may_yet_succeed(code)


def record_of(events: Iterable[JournalEvent]) -> TrialRecord:
    """Return the record that a trial's events add up to."""
    reader = TrialReader()
    for event in events:
        reader.add(event)
    return reader.record


# One trial of a journal: its totals, its events and its record.


@dataclass(frozen=True, slots=True)
class RecordedTrial:
    """One trial of a journal. Each access to its events reads them from the file again."""

    journal: Journal
    trial_id: str

    @property
    def summary(self) -> TrialSummary:
        """Its totals, such as state, score, answer, citations, tokens, cost and rejections."""
        return self.journal.summary.trials[self.trial_id]

    @property
    def task_id(self) -> str:
        """The id of its task; empty before the start if the benchmark names the task only then."""
        return self.summary.task_id

    @property
    def score(self) -> float | None:
        """The grader's score, 0 to 1; None if there is none, or it is sealed (not told yet)."""
        return self.summary.score

    @property
    def has_begun(self) -> bool:
        return len(self.journal.places_of(self.trial_id)) > 0

    def events(self) -> Iterator[JournalEvent]:
        """Yield its events in order, complete with stored texts and the parts of steps.

        Raises `JournalDamaged`.
        """
        return self.journal.events_of_trial(self.trial_id)

    @property
    def record(self) -> TrialRecord:
        """All that is needed to replay or resume the trial. Reads the whole trial."""
        return record_of(self.events())

    @property
    def steps(self) -> tuple[StepDone, ...]:
        """Its complete steps, each with reply, code, output, calls, citations and verdicts."""
        return tuple(self.record.step_summaries)

    @property
    def initial_prompt(self) -> ConversationOpened | None:
        """Its initial prompt; None if the trial stopped before it."""
        return self.record.initial_prompt
