"""The event that a call was stopped before it was sent, and what became of it.

A check of the environment, for example, may object to a call that changes something. The solver
reads why, and may make the call once more. Here the third call of a step is stopped:

    call_stopped  number 2  delete(path="/a.md")  objection: is of last year
    call_stopped  number 2  delete(path="/a.md")  then: repeated and sent
    call          number 2  delete(path="/a.md")  state: made
"""

from __future__ import annotations

from typing import Final, Literal

from controlplane.agent.events.event import NumberedEvent
from controlplane.agent.events.record import Data, Text
from controlplane.agent.events.step_entry import StepEntry
from controlplane.agent.model import Count

# What became of a stopped call: values of `CallStopped.then`.
NOT_DONE: Final = "not done"
"""No later call did it."""
DONE_ALL_THE_SAME: Final = "repeated and sent"
"""The solver made the same call again, and it was sent."""
DONE_OTHERWISE: Final = "done otherwise"
"""A later call with the same operation and path, but other arguments, was sent."""


class CallStopped(StepEntry, NumberedEvent):
    """A call was stopped before it was sent; or, in a second event, its *outcome*.

    The solver is told why. If it makes the same call again, the call is sent, except if
    `--provenance` is `block`, `strict` or `approve`. If the same call or a similar one is sent
    later, the second event is written.
    """

    # How a message names the event, if a repeated step does not stop the call that was recorded.
    name_in_differences = "stopped"
    in_step_record = True  # A resumed trial reads it.
    in_totals = True  # The summary of a run counts it.
    # A replay computes these fields again, and compares them with the recorded ones.
    compared_by_replay = ("operation", "arguments", "objection", "by", "then")

    type: Literal["call_stopped"] = "call_stopped"
    number: Count
    """The number that the stopped call would have had in its step; in an outcome, the number of
    the later call, which was sent."""
    operation: str
    """The name of the operation that was not called."""
    arguments: Data
    """Its arguments by name."""
    objection: Text = ""
    """What speaks against the call, as the solver was told; empty in an outcome."""
    by: Literal["check", "provenance"] = "check"
    """What stopped it: the environment's check, or the rule on where arguments come from."""
    then: str = NOT_DONE
    """Only an outcome has another value than `not done`: `repeated and sent`, or `done otherwise`,
    by another call with the same operation and path."""

    @property
    def is_outcome(self) -> bool:
        """True if it says what became of a call that an earlier event says was stopped."""
        return self.then != NOT_DONE

    @property
    def action(self) -> tuple[int, str, str, Data, str]:
        """Which call was stopped by which check, or what became of it."""
        return self.number, self.by, self.operation, self.arguments, self.then

    @property
    def compared(self) -> str | None:
        """The objection; None if there is none. Of an outcome, what became of the call."""
        if self.is_outcome:
            return self.then
        return self.objection or None
