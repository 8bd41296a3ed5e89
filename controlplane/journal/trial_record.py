"""What a journal holds of each trial, gathered so that an open one can be taken up where it was left."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from agent.events import (
    AnswerDone,
    AnswerSent,
    CallDone,
    CallFailure,
    CallRecord,
    CallSent,
    ConversationOpened,
    ModelReplied,
    StepDone,
)
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
    replied: ModelReplied | None = None
    calls: list[CallRecord] = field(default_factory=list)
    """Calls of the step that is not done; one that was cut off has neither result nor error."""
    answer: AnswerSent | None = None
    answers: dict[int, list[CallFailure | None]] = field(default_factory=dict)
    """By step, what came of each answer that its script handed in."""

    def take(self, event: JournalEvent) -> None:
        """Take one more of the trial's events into account."""
        match event:
            case TrialStarted():
                # A later start goes on with the clock of the first.
                self.started = self.started or event
            case ConversationOpened():
                self.opening, self.calls = event, []
            case ModelReplied():
                self.replied, self.calls = event, []
            case CallSent():
                # A call that is made again takes the place of the one that was cut off.
                del self.calls[event.number :]
                self.calls.append(
                    CallRecord(operation=event.operation, arguments=event.arguments, in_verify=event.in_verify)
                )
            case CallDone() if event.number < len(self.calls):
                self.calls[event.number] = self.calls[event.number].model_copy(
                    update={"result": event.result, "error": event.error, "elapsed_ms": event.elapsed_ms}
                )
            case StepDone():
                self.steps.append(event)
                self.replied, self.calls = None, []
            case AnswerSent():
                self.answer = event
            case AnswerDone():
                if not event.late:
                    self.answers.setdefault(event.step, []).append(event.error)
                code = event.error.code if event.error is not None else error_codes.ALREADY_EXISTS
                if code != error_codes.ALREADY_EXISTS and not may_yet_succeed(code):
                    self.answer = None
            case _:
                pass

    def resume_state(self) -> ResumeState:
        """Return what the next attempt needs."""
        return ResumeState(
            opening=self.opening,
            steps=tuple(self.steps),
            pending=self.replied if self.opening else None,
            pending_calls=tuple(self.calls) if self.opening and self.replied else (),
            now=datetime.fromisoformat(self.started.now) if self.started else None,
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
