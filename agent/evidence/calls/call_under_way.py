"""A call between the moment it is sent and the moment its outcome is recorded.

Several calls that only read may be under way at the same time. Each has a place in its step,
so that the order of the calls does not depend on which of them returns first.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

from controlplane.agent.events import CallEvent, CallRecord
from controlplane.agent.evidence.calls.call_outcome import WaitForCall
from controlplane.agent.evidence.calls.live_calls import LiveCalls
from controlplane.sandbox.interface import Plain


@dataclass(slots=True)
class CallUnderWay:
    """A call between the moment it is sent and the moment its outcome is recorded.

    First call `begin`, then `outcome`, which waits. Several reads may be under way at a time:
    all are begun, then each is waited for. The outcome of a recorded call is known before:
    `finished` has it from the start, and `begin` is not called.

    | after | `wait` | `finished` |
    |---|---|---|
    | creation | None | None, or the recorded call |
    | `begin` | a function | None |
    | `outcome` | None | the call with its outcome |
    """

    number: int
    """The position of the call in its step, from 0."""
    call: CallRecord
    """The call without its outcome."""
    is_announced: bool = False
    """True if the journal has a line that announces the call."""
    wait: WaitForCall | None = None
    """Waits for the outcome, and returns the call with it."""
    is_running: bool = False
    """True if `begin` has started the call, beside others. Otherwise `wait` first makes it."""
    finished: CallRecord | None = None
    """The call with its outcome."""

    def begin(self, live: LiveCalls, *, runs_beside_others: bool) -> None:
        """Begin the call in the environment.

        With `runs_beside_others` it starts now, if the environment allows several reads at
        a time. Otherwise `outcome` makes it.
        """
        self.wait = live.begin(self.call, runs_beside_others=runs_beside_others)
        self.is_running = runs_beside_others and live.allows_several_reads

    def outcome(self) -> CallRecord:
        """Wait for the call if nobody has yet, and return it with its outcome.

        A call must not be made twice. So if waiting fails with an exception, such as an
        interrupt by the user, the outcome cannot be asked for again.
        """
        if self.finished is None:
            assert self.wait is not None
            wait = self.wait
            self.wait = None
            self.finished = wait()
        return self.finished

    def event(self, call: CallRecord, trial_id: str, step: int) -> CallEvent:
        """Return an event about the call: that it is sent, or what its outcome is.

        `call` is the call as it is now, without or with its outcome.
        """
        return CallEvent.of(
            call,
            trial_id=trial_id,
            step=step,
            number=self.number,
            was_announced=self.is_announced,
        )

    def await_end(self) -> None:
        """Wait until the call no longer runs, because the trial ends. Its outcome is dropped.

        A call that was not started beside others does not run, and is not made any more.
        """
        if self.is_running and self.wait is not None:
            with suppress(Exception):
                self.outcome()


def call_to_send(
    operation: str,
    arguments: Mapping[str, Plain],
    *,
    in_verify: bool = False,
    outer: int | None = None,
    origins: Mapping[str, str] | None = None,
) -> CallRecord:
    """Return the record of a call that is about to be sent.

    `in_verify`: a script's `verify`, its own check of its answer, makes the call. `outer`:
    the number of the function's call, if a function makes this call. `origins` says where
    each argument of a changing call comes from: `{"amount": "asked"}` if the amount is in
    the user's request.
    """
    return CallRecord(
        operation=operation,
        arguments=dict(arguments),
        in_verify=in_verify,
        outer=outer,
        origins=dict(origins or {}),
        state="under_way",
    )
