"""The calls of one step in order, built from their events, which may come in another order.

A call that may change something has two events: an announcement before it is made, and its
outcome. A call that only reads has one event, its outcome. The initial prompt sends all its
calls, and records the outcomes only then. If call 2 changes something, the events are:

    2 announced, 0 read, 1 read, 2 outcome
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from controlplane.agent.events import CallEvent, CallRecord


@dataclass(slots=True)
class StepCalls:
    """The calls of one step by their numbers, which count from 0.

    A trial that was cut off has a second attempt, which makes the calls of the step again
    from some number on. So an event with the number of an earlier call replaces that call,
    and all that follow it.
    """

    in_order: list[CallRecord] = field(default_factory=list)
    """The calls from 0 on, without a gap. A call under way has no outcome yet."""
    _waiting: dict[int, CallRecord] = field(default_factory=dict)
    """By number, the calls whose event came before that of an earlier call."""

    def add(self, event: CallEvent) -> None:
        """Add a call, or the outcome of an announced one.

        Raises `ValueError` if the outcome is that of another call.
        """
        if event.was_announced:
            self._add_outcome(event)
        else:
            self._add_call(event.number, event.call)

    def drop_from(self, number: int) -> None:
        """Drop the calls from a number on, because they are made again."""
        del self.in_order[number:]

    def drop_waiting(self) -> None:
        """Drop the calls that wait for an earlier one, because a new attempt makes all again."""
        self._waiting.clear()

    def _add_call(self, number: int, call: CallRecord) -> None:
        """Put a call at its number. After the calls 0 and 1, call 3 waits for call 2."""
        # The calls from there on, if there are any, are of an earlier attempt.
        self.drop_from(number)
        self._waiting[number] = call
        while len(self.in_order) in self._waiting:
            next_call = self._waiting.pop(len(self.in_order))
            self.in_order.append(next_call)

    def _add_outcome(self, event: CallEvent) -> None:
        """Add the outcome of a call that is announced."""
        if event.number >= len(self.in_order):
            return  # The journal has no announcement that the outcome could complete.
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
