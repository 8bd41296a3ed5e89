"""Decides how a new attempt continues a recorded trial.

An *attempt* is the work of one process on a trial. If the process is killed, `resume` starts
the next attempt. It repeats the recorded steps, and then goes on. Its environment
is that of the last attempt, or a new one in which the recorded changes are made again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from controlplane.agent.record.recorded_answer import is_solved
from controlplane.agent.record.recorded_start import (
    has_other_instruction,
    instruction_of,
    origin_of,
)
from controlplane.agent.record.trial_record import TrialRecord

MAX_QUOTED_CHARS: Final = 120
"""How many characters of an instruction a message quotes."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """The starting point of a new attempt."""

    record: TrialRecord
    """The steps that the attempt repeats before it goes on. Empty if it repeats none."""
    drops_record: bool = False
    """True if earlier attempts are recorded, but the trial starts over without them."""


def next_attempt(record: TrialRecord, *, starts_over: bool) -> Attempt:
    """Return the starting point of the next attempt: the record of those before, or nothing.

    `starts_over` is the benchmark's wish that a trial whose environment was lost begins again
    without its record. There are two exceptions:
    - A fork repeats steps of the trial that it was forked from, so it keeps them.
    - A trial that has sent its answer keeps it.
    """
    is_fork = bool(origin_of(record))
    must_keep_record = is_fork or is_solved(record)
    if starts_over and record.has_begun and not must_keep_record:
        return Attempt(TrialRecord(), drops_record=True)
    return Attempt(record)


def task_fault(record: TrialRecord, task_id: str, instruction: str) -> str:
    """Return why a trial cannot continue with an instruction; empty if it can.

    If the instruction has changed, the recorded steps belong to a different task.
    """
    if not has_other_instruction(record, instruction):
        return ""
    return (
        f"the task {task_id} has another instruction than when its trial began, which was "
        f"{instruction_of(record)[:MAX_QUOTED_CHARS]!r}: "
        "give the task as it was, or start a new run"
    )
