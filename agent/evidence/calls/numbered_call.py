"""A planned call with its number in the step.

Several calls may run at the same time. Each gets its number before it is made, so that the order
of the calls in the journal does not depend on which of them returns first:

    NumberedCall(0, read_a)    is made
    NumberedCall(1, read_b)    runs beside it, and returns first: its outcome is still number 1
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.events import CallRecord


@dataclass(frozen=True, slots=True)
class NumberedCall:
    """A call that was added to a step, and has no outcome there yet."""

    number: int
    """The position of the call in its step, from 0."""
    call: CallRecord
    """The call without its outcome."""
    was_announced: bool
    """True if the journal has a line that the call begins. Its outcome will be a second line."""
    recorded_outcome: CallRecord | None
    """The call with its outcome, if an earlier attempt at the trial has recorded it. Then it is not made."""
