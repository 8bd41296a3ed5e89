"""The record of a trial and of each step, gathered call by call or event by event, and the differences of a rerun."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from agent.events import (
    AnswerSent,
    CallDone,
    CallFailure,
    CallOutcome,
    CallRecord,
    CallRequest,
    CallSent,
    CallStopped,
    Citation,
    CitationAnswered,
    ConversationOpened,
    Judged,
    ModelReplied,
    StepDone,
    SubmissionJudged,
)
from agent.model.model_protocol import ASIDE_ROLES, Usage


@dataclass(slots=True)
class StepRecord:
    """One step. Calls and requests in a journal's record of it are answered from the record, in order."""

    number: int = 0
    """Counts the steps of the trial, from 1; 0 while the initial prompt is prepared."""
    replies: list[ModelReplied] = field(default_factory=list)
    calls: list[CallRecord] = field(default_factory=list)
    """A call with neither result nor error was cut off."""
    citations: list[Citation] = field(default_factory=list)
    submissions: list[Judged] = field(default_factory=list)
    stopped: list[CallStopped] = field(default_factory=list)
    """The calls that were stopped, in order."""
    answers: Sequence[CallFailure | None] = ()
    """For each accepted submission, why the environment did not take it; null if it did."""
    done: StepDone | None = None
    """The whole step; null if it was cut off."""
    _early: dict[int, CallRecord] = field(default_factory=dict)
    """By number, calls of which an earlier one is still to return."""

    def add_event(self, event: object) -> None:
        """Take an event of a step into account. A repeated call replaces the one that was cut off."""
        match event:
            case CallSent():
                self._begin(event.step)
                self.calls[event.number :] = [
                    CallRecord(**{name: getattr(event, name) for name in CallRequest.model_fields})
                ]
            case CallDone(arguments=arguments) if arguments is not None:
                self._begin(event.step)
                whole = {name: getattr(event, name) for name in CallRecord.model_fields}
                self._early[event.number] = CallRecord.model_construct(**whole)
                if event.number <= len(self.calls):  # else it returned before an earlier one that was made beside it
                    del self.calls[event.number :]
                while len(self.calls) in self._early:
                    self.calls.append(self._early.pop(len(self.calls)))
            case CallDone() if event.number < len(self.calls):
                outcome = {name: getattr(event, name) for name in CallOutcome.model_fields}
                self.calls[event.number] = self.calls[event.number].model_copy(update=outcome)
            case ModelReplied() if event.role not in ASIDE_ROLES:
                self._begin(event.step)
                self.replies[event.number :] = [event]
            case CitationAnswered():
                self._begin(event.step)
                self.citations[event.number :] = [event.citation]
            case SubmissionJudged():
                self._begin(event.step)
                self.submissions[event.number :] = [event.judged]
            case _:
                pass

    def begin_attempt(self) -> None:
        """Drop the calls whose earlier ones an attempt that was cut off lacks: they are made again."""
        self._early.clear()

    def _begin(self, step: int) -> None:
        if step != self.number:
            self.number = step
            self.replies, self.calls, self.citations, self.submissions = [], [], [], []
            self._early.clear()

    @property
    def reply_fields(self) -> dict[str, Any]:
        """The last text of its replies, in the role `solve` if there is one, and the usage and cost of all."""
        replies = self.replies
        usage = {name: sum(getattr(reply.usage, name) for reply in replies) for name in Usage.model_fields}
        costs = [reply.cost_usd for reply in replies if reply.cost_usd is not None]
        texts = [reply.reply for reply in replies if reply.role == "solve"] or [reply.reply for reply in replies]
        return {
            "reply": texts[-1] if texts else "",
            "usage": Usage(**usage | {"estimated": bool(usage["estimated"])}),
            "cost_usd": sum(costs) if costs else None,
        }


@dataclass(slots=True)
class ResumeState:
    """A journal's record of a trial."""

    initial_prompt: ConversationOpened | None = None
    steps: list[StepDone] = field(default_factory=list)
    open_step: StepRecord = field(default_factory=StepRecord)
    """The unfinished step, as far as it is recorded."""
    replies: dict[int, tuple[ModelReplied, ...]] = field(default_factory=dict)
    """The model's replies, by step."""
    asides: dict[str, list[ModelReplied]] = field(default_factory=dict)
    """Replies that the benchmark asked for, in order, by the key of their request."""
    stopped: dict[int, list[CallStopped]] = field(default_factory=dict)
    """The calls that were stopped, by step."""
    answers: dict[int, list[CallFailure | None]] = field(default_factory=dict)
    """By step, for each answer sent: why the environment refused it, or None if it was taken."""
    has_begun: bool = False
    """An earlier attempt has started the trial."""
    now: datetime | None = None
    """The clock that its scripts saw at the start; None if they had none."""
    origin: str = ""
    """The trial from which it was forked; empty if it was not forked."""
    answer: AnswerSent | None = None
    """An answer that was sent; whether it arrived may be unknown."""

    @property
    def pending(self) -> StepRecord | None:
        """The step that was cut off; None if nothing of it is recorded."""
        return self.open_step if self.open_step.number else None

    def record_of(self, step: int) -> StepRecord | None:
        """Return the record of a step; None if the journal holds nothing of it."""
        answers, stopped = self.answers.get(step, ()), [*self.stopped.get(step, ())]
        done = next((record for record in self.steps if record.step == step), None)
        if done is not None:
            parts = list(done.calls), list(done.citations), list(done.verdicts)
            return StepRecord(step, list(self.replies.get(step, ())), *parts, stopped, answers, done)
        is_next = step == (self.steps[-1].step if self.steps else 0) + 1
        return replace(self.pending, stopped=stopped, answers=answers) if self.pending is not None and is_next else None


@dataclass(frozen=True, slots=True)
class Difference:
    """Something in a step that is not as recorded."""

    step: int
    field: str
    recorded: object
    now: object


@dataclass(slots=True)
class StepTrace(StepRecord):
    """The current step so far, beside the record that answers it."""

    record: StepRecord = field(default_factory=StepRecord)
    notes: list[str] = field(default_factory=list)
    """Notes for the script about its calls."""
    differences: list[Difference] = field(default_factory=list)
    """Differences between the step and its record."""
    room: int = 1_000_000
    """Characters of arguments that it may still hold; those of later calls are only in their events."""

    def has_room_for(self, arguments: Mapping[str, object]) -> bool:
        """Say whether the step may hold a call's arguments, and count them."""
        for argument in arguments.values():
            words = argument if isinstance(argument, list) else [argument]
            self.room -= sum(len(word) if isinstance(word, str) else 0 for word in words) + 60 * len(words)
        return self.room >= 0

    def differs(self, name: str, recorded: object, now: object) -> None:
        """Note that something is not as recorded."""
        self.differences.append(Difference(self.number, name, recorded, now))
