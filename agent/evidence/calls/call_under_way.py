"""A call that was sent, and has its outcome when somebody waits for it.

Two files are read side by side:

    first = CallUnderWay(PlacedCall(0, read_a), run_a)     runs already
    second = CallUnderWay(PlacedCall(1, read_b), run_b)    runs beside it
    first.outcome()     waits -> the call with its result
    first.outcome()     -> the same, at once
    second.await_end()  the trial ends, and needs no outcome: waits until the call has ended

If the environment makes one call at a time, the call is only made when somebody waits for it.
"""

from __future__ import annotations

from contextlib import suppress

from controlplane.agent.events import CallRecord
from controlplane.agent.evidence.calls.call_runs import CallRun, RunBesideOthers
from controlplane.agent.evidence.calls.placed_call import PlacedCall


class CallUnderWay:
    """A call that was sent. It is waited for at most once, so that it is not made twice."""

    __slots__ = ("_is_waited_for", "_outcome", "_run", "placed")

    def __init__(self, placed: PlacedCall, run: CallRun | None) -> None:
        """`run` makes the call. It is None if the outcome is known from the start."""
        self.placed = placed
        """The call, and its place in the step."""
        self._run = run
        self._outcome = placed.known_outcome
        """The call with its outcome. None as long as it is not known."""
        self._is_waited_for = False
        """True once somebody has begun to wait. If the wait was interrupted, for example by the
        user, the outcome stays unknown."""

    @property
    def number(self) -> int:
        """The position of the call in its step, from 0."""
        return self.placed.number

    @property
    def call(self) -> CallRecord:
        """The call without its outcome."""
        return self.placed.call

    def outcome(self) -> CallRecord:
        """Wait for the call if nobody has yet, and return it with its outcome.

        Must not be called again after an exception, such as an interrupt by the user.
        """
        if self._outcome is None:
            assert not self._is_waited_for, "the wait for this call was interrupted"
            assert self._run is not None, "a call without a run has a known outcome"
            self._is_waited_for = True
            self._outcome = self._run.wait()
        return self._outcome

    def await_end(self) -> None:
        """Wait until the call no longer runs, because the trial ends. Its outcome is dropped.

        A call that is made when somebody waits for it does not run, and is not made any more.
        """
        if not self._is_waited_for and isinstance(self._run, RunBesideOthers):
            with suppress(Exception):
                self.outcome()
