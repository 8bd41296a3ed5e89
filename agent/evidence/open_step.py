"""What a journal holds of a step that is not done: replies, calls, citations and submissions, by number."""

from __future__ import annotations

from dataclasses import dataclass, field

from agent.events.call_records import CallRecord, Citation, Judged
from agent.events.trial_events import (
    CallDone,
    CallSent,
    CitationAnswered,
    ModelReplied,
    SubmissionJudged,
    Told,
    told_by,
)
from agent.evidence.step_trace import StepRecord


@dataclass(slots=True)
class OpenStep:
    """One step, gathered event by event. What is done again takes the place of what was cut off."""

    step: int = 0
    """0 while there is nothing of it but opening calls."""
    replies: list[ModelReplied] = field(default_factory=list)
    calls: list[CallRecord] = field(default_factory=list)
    """A call that was cut off has neither result nor error."""
    citations: list[Citation] = field(default_factory=list)
    submissions: list[Judged] = field(default_factory=list)

    def take(self, event: object) -> None:
        """Take an event into account if it is of a step."""
        match event:
            case CallSent():
                self._begin(event.step)
                del self.calls[event.number :]
                self.calls.append(
                    CallRecord(operation=event.operation, arguments=event.arguments, in_verify=event.in_verify)
                )
            case CallDone() if event.number < len(self.calls):
                names = ("result", "error", "shown_chars", "elapsed_ms")
                told = {name: getattr(event, name) for name in names}
                self.calls[event.number] = self.calls[event.number].model_copy(update=told)
            case ModelReplied():
                self._begin(event.step)
                self.replies[event.number :] = [event]
            case CitationAnswered():
                self._begin(event.step)
                self.citations[event.number :] = [event.citation]
            case SubmissionJudged():
                self._begin(event.step)
                at = len(self.submissions) if event.number is None else event.number
                self.submissions[at:] = [event.judged]
            case _:
                pass

    def _begin(self, step: int) -> None:
        if step != self.step:
            self.step = step
            self.replies, self.calls, self.citations, self.submissions = [], [], [], []

    @property
    def told(self) -> Told:
        """What its replies tell of the step."""
        return told_by(self.replies)

    @property
    def record(self) -> StepRecord:
        """What is known of the step."""
        return StepRecord(tuple(self.replies), tuple(self.calls), tuple(self.citations), tuple(self.submissions))
