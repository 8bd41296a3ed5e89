"""The calls of one step in order, built from their events, which may come in another order.

A call that only reads has one event, with its outcome. A call that may change something is first
announced, and its outcome follows. The initial prompt sends all its calls at once, and waits for
outcomes afterwards. If its call 2 changes something, the calls are put in order like this:

    event            calls in order     waiting
    announced 2                         2
    outcome of 0     0                  2
    outcome of 1     0, 1, 2
    outcome of 2     0, 1, 2            (call 2 has its outcome now)
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from controlplane.agent.events import CallEvent, CallRecord


@dataclass(slots=True)
class StepCalls:
    """The calls of one step by their numbers, which count from 0.

    A trial that was cut off in the step goes on in a second attempt, which makes the calls
    again from some number on. So a call with the number of an earlier one replaces that call
    and all calls after it.
    """

    in_order: list[CallRecord] = field(default_factory=list)
    """The calls from 0 on, without a gap. A call under way has no outcome yet."""
    _waiting: dict[int, CallRecord] = field(default_factory=dict)
    """The calls after a gap, by number: call 2 waits for 0 and 1."""

    def add(self, event: CallEvent) -> None:
        """Add a call, or the outcome of an announced one.

        Raises `ValueError` if the outcome is that of another call.
        """
        if event.was_announced:
            self._add_outcome(event)
        else:
            self._add_call(event.number, event.call)

    def drop_from(self, number: int) -> None:
        """Drop the calls from a number on. A new attempt makes them again."""
        del self.in_order[number:]

    def drop_waiting(self) -> None:
        """Drop the calls after a gap. A new attempt makes them again, from the gap on."""
        self._waiting.clear()

    def _add_call(self, number: int, call: CallRecord) -> None:
        """Put a call at its number, or let it wait for the calls before it."""
        # If there are calls from this number on, they are from an earlier attempt.
        self.drop_from(number)
        self._waiting[number] = call
        # If the call is the next one, add it, and then the calls that have waited for it.
        while len(self.in_order) in self._waiting:
            next_call = self._waiting.pop(len(self.in_order))
            self.in_order.append(next_call)

    def _add_outcome(self, event: CallEvent) -> None:
        """Replace an announced call by the same call with its outcome."""
        if event.number >= len(self.in_order):
            return  # The call was not announced, or was dropped.
        announced_call = self.in_order[event.number]
        if announced_call.request != event.request:
            msg = "it has the outcome of another call than the announced one"
            raise ValueError(msg)
        self.in_order[event.number] = event.call


def calls_by_function(calls: Iterable[CallRecord]) -> dict[int, list[CallRecord]]:
    """Return the calls that functions made, by the number of the function's own call."""
    calls_made: dict[int, list[CallRecord]] = {}
    for call in calls:
        if call.outer is not None:
            calls_made.setdefault(call.outer, []).append(call)
    return calls_made
