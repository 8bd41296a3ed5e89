"""The record of a step, gathered call by call or event by event, and where a rerun differs from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from agent.events.call_records import CallFailure, CallRecord, Citation, ExitCall, Judged
from agent.events.trial_events import (
    CallDone,
    CallSent,
    CitationAnswered,
    ExitCallDone,
    ExitCallSent,
    ModelReplied,
    StepDone,
    SubmissionJudged,
    Told,
    told_by,
)

ASKED_FIELDS = ("operation", "arguments", "in_verify", "outer")
"""The fields of a call that are known before it is made."""
OUTCOME_FIELDS = ("result", "error", "shown_chars", "elapsed_ms")
"""The fields of a call that are known once it came back."""

MAX_ARGUMENT_CHARS: Final = 1_000_000
"""Characters of the arguments that a step holds; those of later calls are only in their events."""
_WORD_CHARS: Final = 60
"""Bytes that an argument costs beyond its characters."""


@dataclass(slots=True)
class StepRecord:
    """One step. What a journal holds of it is answered from it, in order."""

    number: int = 0
    """Counts the steps of the trial, from 1; 0 while turn one is prepared."""
    replies: list[ModelReplied] = field(default_factory=list)
    calls: list[CallRecord] = field(default_factory=list)
    """A call with neither result nor error was cut off."""
    citations: list[Citation] = field(default_factory=list)
    submissions: list[Judged] = field(default_factory=list)
    exit_calls: list[ExitCall] = field(default_factory=list)
    """Calls that the exit made to judge the submissions. A call with neither result nor error was cut off."""
    answers: Sequence[CallFailure | None] = ()
    """For each accepted submission why the environment did not take it; null if it did."""
    done: StepDone | None = None
    """The whole step; null if it was cut off."""

    @classmethod
    def of(
        cls, done: StepDone, replies: Sequence[ModelReplied] = (), answers: Sequence[CallFailure | None] = ()
    ) -> StepRecord:
        """Return the record of a whole step."""
        parts = list(done.calls), list(done.citations), list(done.verdicts)
        return cls(done.step, list(replies), *parts, list(done.exit_calls), answers, done)

    def take(self, event: object) -> None:
        """Take an event of a step into account. A repeated call replaces the one that was cut off."""
        match event:
            case CallSent():
                self._begin(event.step)
                told = {name: getattr(event, name) for name in ASKED_FIELDS}
                call = CallRecord(**told)
                self.calls[event.number :] = [call]
            case CallDone() if event.number < len(self.calls):
                outcome = {name: getattr(event, name) for name in OUTCOME_FIELDS}
                self.calls[event.number] = self.calls[event.number].model_copy(update=outcome)
            case ExitCallSent():
                self._begin(event.step)
                exit_call = ExitCall(operation=event.operation, arguments=event.arguments, submission=event.submission)
                self.exit_calls[event.number :] = [exit_call]
            case ExitCallDone() if event.number < len(self.exit_calls):
                outcome = {"result": event.result, "error": event.error, "elapsed_ms": event.elapsed_ms}
                self.exit_calls[event.number] = self.exit_calls[event.number].model_copy(update=outcome)
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
        if step != self.number:
            self.number = step
            self.replies, self.calls, self.citations, self.submissions, self.exit_calls = [], [], [], [], []

    @property
    def told(self) -> Told:
        """Fields of the step that its replies give."""
        return told_by(self.replies)


@dataclass(frozen=True, slots=True)
class Difference:
    """Something in a step that is not as recorded."""

    step: int
    field: str
    recorded: object
    now: object


@dataclass(slots=True)
class StepTrace(StepRecord):
    """The current step: what it did so far, beside the record that answers it."""

    record: StepRecord = field(default_factory=StepRecord)
    notes: list[str] = field(default_factory=list)
    """Notes for the script about its calls."""
    differences: list[Difference] = field(default_factory=list)
    """Differences between the step and its record."""
    room: int = MAX_ARGUMENT_CHARS
    """Characters of arguments that it may still hold."""

    def has_room_for(self, arguments: Mapping[str, object]) -> bool:
        """Say whether the step may hold a call's arguments, and count them."""
        for argument in arguments.values():
            words = argument if isinstance(argument, list) else [argument]
            self.room -= sum(len(word) if isinstance(word, str) else 0 for word in words) + _WORD_CHARS * len(words)
        return self.room >= 0

    def differs(self, name: str, recorded: object, now: object) -> None:
        """Note that something is not as recorded."""
        self.differences.append(Difference(self.number, name, recorded, now))
