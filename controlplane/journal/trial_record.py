"""What a journal holds of each trial: enough to replay it, or to resume one that is open."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from agent.events import (
    AnswerDone,
    AnswerSent,
    CallFailure,
    ConversationOpened,
    ModelReplied,
    StepDone,
)
from agent.evidence import StepRecord
from agent.loop import ResumeState
from agent.retry import may_yet_succeed
from controlplane.journal.run_events import JournalEvent, TrialStarted
from sandbox.interface import error_codes


@dataclass(slots=True)
class TrialRecord:
    """One trial's events, in order of what they are."""

    started: TrialStarted | None = None
    opening: ConversationOpened | None = None
    steps: list[StepDone] = field(default_factory=list)
    open_step: StepRecord = field(default_factory=StepRecord)
    """What is known of the step that is not done."""
    replies: dict[int, tuple[ModelReplied, ...]] = field(default_factory=dict)
    """By step, what the model replied in it."""
    answer: AnswerSent | None = None
    answers: dict[int, list[CallFailure | None]] = field(default_factory=dict)
    """By step, why the environment did not take each answer that was sent in it; null if it did."""

    def take(self, event: JournalEvent) -> None:
        """Take one more of the trial's events into account."""
        match event:
            case TrialStarted():
                # A later start goes on with the clock of the first.
                self.started = self.started or event
            case ConversationOpened():
                self.opening, self.open_step = event, StepRecord()
            case StepDone():
                self.steps.append(event)
                self.replies[event.step] = tuple(self.open_step.replies)
                self.open_step = StepRecord()
            case AnswerSent():
                self.answer = event
            case AnswerDone():
                if not event.late:
                    self.answers.setdefault(event.step, []).append(event.error)
                code = event.error.code if event.error is not None else error_codes.ALREADY_EXISTS
                if code != error_codes.ALREADY_EXISTS and not may_yet_succeed(code):
                    self.answer = None
            case _:
                self.open_step.take(event)

    @property
    def pending(self) -> StepRecord | None:
        """The step that was cut off; None for one of which nothing is recorded."""
        return self.open_step if self.open_step.number else None

    def resume_state(self) -> ResumeState:
        """Return what the next attempt needs."""
        return ResumeState(
            opening=self.opening,
            steps=tuple(self.steps),
            pending=self.pending,
            replies=self.replies,
            answers={step: tuple(each) for step, each in self.answers.items()},
            now=datetime.fromisoformat(self.started.now) if self.started else None,
            origin=self.started.origin if self.started else "",
            answer=self.answer,
        )


def records_of(events: Iterable[JournalEvent]) -> dict[str, TrialRecord]:
    """Return each trial's record, by trial id."""
    records: dict[str, TrialRecord] = {}
    for event in events:
        trial_id = getattr(event, "trial_id", None)
        if trial_id is not None:
            records.setdefault(trial_id, TrialRecord()).take(event)
    return records
