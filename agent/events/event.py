"""Something that happened in a trial, such as a call. Each event is a line of the journal.

Each kind of event is a class with its fields. It derives from one of the bases below, which say
where it happened. Its class attributes tell others how to treat it: `in_totals = True`, for
example, that a run's summary counts it. A line of the class `CallEvent`, a `NumberedEvent`:

    {"at_ms": 1900000000000, "type": "call", "trial_id": "t-3", "step": 2, "number": 0, ...}
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Annotated, ClassVar, TypeAlias

from pydantic import Field

from controlplane.agent.events.record import VARIES_BY_RUN, Record
from controlplane.agent.model import Count


def now_ms() -> int:
    """Return the wall clock in milliseconds since the epoch."""
    return time.time_ns() // 1_000_000


class Event(Record):
    """One thing that happened. `at_ms` is the wall clock in milliseconds since the epoch."""

    in_step_record: ClassVar[bool] = False
    """True if the record of a step, `TrialStep`, keeps the event. A resumed trial reads this
    record, and so do the pages that show a trial."""
    in_totals: ClassVar[bool] = False
    """True if the summary of a run counts the event, such as a reply and its cost."""
    compared_by_replay: ClassVar[tuple[str, ...]] = ()
    """The fields that a replay computes again, and compares with the journal. If somebody changes
    another field of a journal, it shows only if the journal is signed."""

    at_ms: Annotated[Count, VARIES_BY_RUN] = Field(default_factory=now_ms)
    type: str


class TrialEvent(Event):
    """Something that happened in one trial."""

    trial_id: str


class StepEvent(TrialEvent):
    """Something that happened in one step of a trial."""

    step: Count
    """Counts the steps of the trial, from 1; 0 while the initial prompt is prepared."""

    @property
    def is_part_of_step(self) -> bool:
        """True unless it happened after the step had ended, as an answer that is sent late."""
        return True


class NumberedEvent(StepEvent):
    """Something that happens several times in a step."""

    number: Count
    """Counts the events of its kind in the step, from 0."""


Emit: TypeAlias = Callable[[TrialEvent], None]
"""Takes each event as it happens, for example to write it to the journal."""
