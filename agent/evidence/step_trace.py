"""What happened so far in one step, and what the record of an earlier attempt still holds of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from agent.events.call_records import CallFailure, CallRecord, Citation, Judged
from agent.events.trial_events import ModelReplied, StepDone


@dataclass(frozen=True, slots=True)
class StepRecord:
    """What a journal holds of one step. Whatever it holds is answered from it, in order."""

    replies: tuple[ModelReplied, ...] = ()
    calls: tuple[CallRecord, ...] = ()
    """A call with neither result nor error was cut off."""
    citations: tuple[Citation, ...] = ()
    submissions: tuple[Judged, ...] = ()
    answers: tuple[CallFailure | None, ...] = ()
    """For each accepted submission why the environment did not take it; null if it did."""
    done: StepDone | None = None
    """The whole step; null if it was cut off."""

    @classmethod
    def of(
        cls, done: StepDone, replies: Sequence[ModelReplied] = (), answers: Sequence[CallFailure | None] = ()
    ) -> StepRecord:
        """Return the record of a whole step."""
        return cls(tuple(replies), done.calls, done.citations, done.verdicts, tuple(answers), done)


@dataclass(frozen=True, slots=True)
class Difference:
    """Something in a step that is not as recorded."""

    step: int
    field: str
    recorded: object
    now: object


@dataclass(slots=True)
class StepTrace:
    """The current step: what it did so far, beside the record that answers it."""

    number: int = 0
    """Counts the steps of the trial, from 1; 0 while turn one is prepared."""
    record: StepRecord = field(default_factory=StepRecord)
    replies: list[ModelReplied] = field(default_factory=list)
    calls: list[CallRecord] = field(default_factory=list)
    citations: list[Citation] = field(default_factory=list)
    submissions: list[Judged] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """What the script should be told about its calls."""
    differences: list[Difference] = field(default_factory=list)
    """Where the step is not as recorded."""

    def differs(self, name: str, recorded: object, now: object) -> None:
        """Note that something is not as recorded."""
        self.differences.append(Difference(self.number, name, recorded, now))
