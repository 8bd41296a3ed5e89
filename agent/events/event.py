"""What every event has."""

from __future__ import annotations

import time

from pydantic import Field

from agent.events.call_records import Record


def now_ms() -> int:
    """Return the wall clock in milliseconds since the epoch."""
    return time.time_ns() // 1_000_000


class Event(Record):
    """One thing that happened. `at_ms` is the wall clock in milliseconds since the epoch."""

    at_ms: int = Field(default_factory=now_ms)


class TrialEvent(Event):
    """Something that happened in one trial."""

    trial_id: str
