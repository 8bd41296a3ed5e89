"""A call that was sent, and has its outcome when somebody waits for it.

A call that changes something must not be made twice. So its outcome is kept once it is there:

    sent = CallUnderWay(NumberedCall(0, write, ...), run)
    sent.outcome()     waits -> the write with its result
    sent.outcome()     -> the same, at once

If a trial ends early, calls that run beside others have to end first, although nobody needs them:

    sent.await_end()
"""

from __future__ import annotations

from contextlib import suppress

from controlplane.agent.events import CallRecord
from controlplane.agent.evidence.calls.call_runs import CallRun
from controlplane.agent.evidence.calls.numbered_call import NumberedCall


class CallUnderWay:
    """A call that was sent, and is waited for at most once."""

    __slots__ = ("_is_waited_for", "_outcome", "_run", "numbered")

    def __init__(self, numbered: NumberedCall, run: CallRun) -> None:
        """`run` is what gets the outcome of the call."""
        self.numbered = numbered
        """The call with its number in the step."""
        self._run = run
        self._outcome: CallRecord | None = None
        """The call with its outcome, once somebody has waited for it."""
        self._is_waited_for = False
        """True once somebody has begun to wait. The user may have interrupted this wait."""

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

    def await_end(self) -> None:
        """Wait until the call no longer runs, whatever its outcome is.

        A call that would only begin when somebody waits for it is not made any more.
        """
        may_still_run = self._run.runs_before_wait and not self._is_waited_for
        if may_still_run:
            with suppress(Exception):
                self.outcome()
