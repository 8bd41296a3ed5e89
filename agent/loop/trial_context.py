"""One trial as a solver gets it: what is asked, where, and what is known of an earlier, interrupted attempt."""

from __future__ import annotations

import hashlib
import threading
from dataclasses import dataclass, field
from datetime import datetime

from agent.events.call_records import CallRecord
from agent.events.trial_events import AnswerSent, ConversationOpened, ModelReplied, StepDone
from agent.evidence.recorder import Recorder


class LeftOpen(Exception):
    """A solver stopped because it was told to; the trial can be taken up again."""


@dataclass(frozen=True, slots=True)
class ResumeState:
    """What a journal holds of a trial that was left open."""

    opening: ConversationOpened | None = None
    steps: tuple[StepDone, ...] = ()
    pending: ModelReplied | None = None
    """The reply whose script had not finished."""
    pending_calls: tuple[CallRecord, ...] = ()
    """The calls of that script; the last one may have neither result nor error."""
    now: datetime | None = None
    """The clock that its scripts saw at the start."""
    answer: AnswerSent | None = None
    """An answer that was sent; whether it arrived may be unknown."""


@dataclass(frozen=True, slots=True)
class TrialContext:
    """One trial, ready to be solved."""

    trial_id: str
    task_id: str
    instruction: str
    environment: Recorder
    now: datetime
    """The clock that scripts see at the start."""
    resume_state: ResumeState = field(default_factory=ResumeState)
    stop: threading.Event = field(default_factory=threading.Event)
    """Set where running trials are to be left open after their step."""


def seed_of(trial_id: str) -> int:
    """Return the seed of the randomness that a trial's scripts see."""
    return int.from_bytes(hashlib.sha256(trial_id.encode()).digest()[:6], "big")
