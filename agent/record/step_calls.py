"""The calls of one step in order, built from their events, which may come in another order.

A call that only reads has one event, with its outcome. A call that may change something has two:
it is *announced*, before it is sent, and its outcome follows. Calls may run side by side, so that
call 1, which changes something, is announced before call 0 has its outcome:

    event            calls in order   waiting
    announced 1      none             1, as call 0 is missing
    outcome of 0     0, 1             none
    outcome of 1     0, 1             none (call 1 has its outcome now)

A trial whose process was killed goes on in a second *attempt*, which makes the last calls again.
So a call with the number of an earlier one replaces it, and drops all calls after it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from controlplane.agent.events import CallEvent, CallRecord

# Tells the calls of a solver from *inner* calls: those that functions of a benchmark make.
#
# A script calls the function `total_fee()`, and the function reads two files. A step has all calls
# in one list, in which an inner call has the number of its function's call in `outer`:
#
#     0  total_fee()                    a call of the solver
#     1  read("/a.md")    outer 0       an inner call
#     2  read("/b.md")    outer 0       an inner call
#     3  read("/c.md")                  a call of the solver


def calls_by_function(calls: Iterable[CallRecord]) -> dict[int, list[CallRecord]]:
    """Return the inner calls of a step, by the number of their function's call.

    For the calls above: {0: [read("/a.md"), read("/b.md")]}
    """
    inner_calls: dict[int, list[CallRecord]] = {}
    for call in calls:
        if call.outer is not None:
            inner_calls.setdefault(call.outer, []).append(call)
    return inner_calls


def solver_call_count(calls: Iterable[CallRecord]) -> int:
    """Return how many of a step's calls the solver has sent to the environment.

    Inner calls do not count, because the solver cannot know how many there are.
    """
    count = 0
    for call in calls:
        is_of_solver = call.outer is None
        if is_of_solver and call.was_sent:
            count += 1
    return count


@dataclass(slots=True)
class StepCalls:
    """The calls of one step by their numbers, which count from 0."""

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

    def _add_call(self, number: int, call: CallRecord) -> None:
        """Put a call at its number, or let it wait for the calls before it."""
        self.drop_from(number)  # These calls are of an earlier attempt.
        self._waiting[number] = call  # The others that wait are of this attempt.
        # If the call is the next one, add it, and then the calls that have waited for it.
        while len(self.in_order) in self._waiting:
            next_call = self._waiting.pop(len(self.in_order))
            self.in_order.append(next_call)

    def _add_outcome(self, event: CallEvent) -> None:
        """Replace an announced call by the same call with its outcome."""
        if event.number >= len(self.in_order):
            return  # The journal lacks the announcement, or a new attempt has dropped it.
        announced_call = self.in_order[event.number]
        if announced_call.action != event.action:
            msg = "it has the outcome of another call than the announced one"
            raise ValueError(msg)
        self.in_order[event.number] = event.call

    def drop_from(self, number: int) -> None:
        """Drop the calls in order from a number on. A new attempt makes them again."""
        del self.in_order[number:]

    def drop_waiting(self) -> None:
        """Drop the calls that wait, since a new attempt begins, which makes them again."""
        self._waiting.clear()
