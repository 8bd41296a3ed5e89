"""A call that was sent, and has its outcome when somebody waits for it.

A call that changes something must not be made twice. So its outcome is kept once it is there:

    write = CallUnderWay(NumberedCall(0, ...), run)
    write.outcome()     waits -> the write with its result
    write.outcome()     -> the same, at once

If a trial ends early, nobody needs the outcomes of the calls that were sent. Some may still run, and
have to end before the environment is closed:

    read = CallUnderWay(NumberedCall(1, ...), run)
    read.await_end()    waits, and drops the outcome
"""

from __future__ import annotations

from collections.abc import Mapping

from controlplane.agent.events import CallRecord
from controlplane.agent.evidence.calls.call_runs import CallRun
from controlplane.agent.evidence.calls.numbered_call import NumberedCall
from controlplane.sandbox.interface import Plain


class CallUnderWay:
    """A call that was sent, and is waited for at most once."""

    __slots__ = ("_is_waited_for", "_outcome", "_run", "numbered")

    def __init__(self, numbered: NumberedCall, run: CallRun) -> None:
        """`run` makes the call, or has begun to make it (see `call_runs.py`)."""
        self.numbered = numbered
        """The call with its number in the step."""
        self._run = run
        self._outcome: CallRecord | None = None
        """The call with its outcome, once somebody has waited for it."""
        self._is_waited_for = False
        """True once somebody has begun to wait, even if the user has interrupted the wait."""

    @property
    def number(self) -> int:
        """The position of the call in its step, from 0."""
        return self.numbered.number

    @property
    def call(self) -> CallRecord:
        """The call without its outcome."""
        return self.numbered.call

    def outcome(self) -> CallRecord:
        """Wait for the call if nobody has yet, and return it with its outcome.

        Must not be called again after an exception, such as an interrupt by the user.
        """
        if self._outcome is None:
            assert not self._is_waited_for, "the wait for this call was interrupted"
            self._is_waited_for = True
            self._outcome = self._run.wait()
        return self._outcome

    def result(self) -> Mapping[str, Plain]:
        """Wait for the call like `outcome`, and return its result; empty if it failed."""
        return self.outcome().result or {}

    def await_end(self) -> None:
        """End a call whose outcome nobody needs: `outcome` must not be called any more.

        A call that has not begun is not made.
        """
        if not self._is_waited_for:
            self._is_waited_for = True
            self._run.await_end()
