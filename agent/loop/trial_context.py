"""What is asked in one trial, and what is known of an earlier, interrupted attempt."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from agent.events.call_records import CallFailure
from agent.events.trial_events import AnswerSent, ConversationOpened, ModelReplied, StepDone
from agent.evidence.step_record import StepRecord


class LeftOpen(Exception):
    """A solver stopped because it was told to; the trial can be taken up again."""

    leaves_step = True


@dataclass(frozen=True, slots=True)
class TrialContext:
    """What is asked in one trial."""

    trial_id: str
    task_id: str
    instruction: str
    now: datetime
    """The clock that scripts see at the start."""
    number: int = 1
    """Which trial of its task in the run it is, counted from 1."""

    origin: str = ""
    """The trial that it was forked from; empty if it was not."""

    @property
    def seed(self) -> int:
        """The seed of the randomness that scripts see."""
        return int.from_bytes(hashlib.sha256((self.origin or self.trial_id).encode()).digest()[:6], "big")


@dataclass(frozen=True, slots=True)
class ResumeState:
    """What a journal holds of a trial."""

    opening: ConversationOpened | None = None
    steps: tuple[StepDone, ...] = ()
    pending: StepRecord | None = None
    """The step that was cut off."""
    replies: Mapping[int, tuple[ModelReplied, ...]] = field(default_factory=dict)
    """By step, what the model replied in it."""
    answers: Mapping[int, tuple[CallFailure | None, ...]] = field(default_factory=dict)
    """By step, why the environment did not take each of its accepted answers; null if it did."""
    now: datetime | None = None
    """The clock that its scripts saw at the start."""
    origin: str = ""
    """The trial that it was forked from; empty if it was not."""
    answer: AnswerSent | None = None
    """An answer that was sent; whether it arrived may be unknown."""

    def record_of(self, step: int) -> StepRecord | None:
        """Return the record of a step; None if the journal holds nothing of it."""
        answers = self.answers.get(step, ())
        done = next((each for each in self.steps if each.step == step), None)
        if done is not None:
            return StepRecord.of(done, self.replies.get(step, ()), answers)
        is_next = step == (self.steps[-1].step if self.steps else 0) + 1
        return replace(self.pending, answers=answers) if self.pending is not None and is_next else None
