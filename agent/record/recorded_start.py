"""What the record of a trial says about its start. All is empty if no attempt has started it.

A trial that is resumed keeps the clock of its first start, so that scripts see the same time. A
*fork* repeats the first steps of another trial, its origin, and keeps its random numbers.

    TrialStarted(instruction="Renew my loan", now="2031-05-02T14:30:00", origin="t-3", ...)
        -> start_time: datetime(2031, 5, 2, 14, 30), origin_of: "t-3"
"""

from __future__ import annotations

from datetime import datetime

from controlplane.agent.record.trial_record import TrialRecord


def start_time(record: TrialRecord) -> datetime | None:
    """Return the time that the trial's scripts saw at the start; None if they had no clock."""
    if record.started is None or not record.started.now:
        return None
    return datetime.fromisoformat(record.started.now)


def origin_of(record: TrialRecord) -> str:
    """Return the id of the trial from which this one was forked; empty if it was not forked."""
    return record.started.origin if record.started else ""


def instruction_of(record: TrialRecord) -> str:
    """Return the instruction with which the trial began."""
    return record.started.instruction if record.started else ""


def has_other_instruction(record: TrialRecord, instruction: str) -> bool:
    """Return True if the trial began with another instruction than this one."""
    return record.started is not None and record.started.instruction != instruction


def is_resumed(record: TrialRecord) -> bool:
    """Return True if the next attempt goes on with the recorded initial prompt."""
    return record.initial_prompt is not None
