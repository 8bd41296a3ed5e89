"""A call between the moment it is sent and the moment its outcome is recorded.

Several calls that only read may be under way at the same time. Each has a place in its step,
so that the order of the calls does not depend on which of them returns first:

    call_to_send("read", {"path": "/a.md"})    what is to be sent: a record without an outcome
    PlacedCall(2, call)                        the same as the third call of its step
    CallUnderWay(placed, run).outcome()        it was sent: wait for its outcome
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

from controlplane.agent.events import CallRecord
from controlplane.agent.evidence.calls.call_runs import CallRun, RunBesideOthers
from controlplane.sandbox.interface import Plain


def call_to_send(
    operation: str,
    arguments: Mapping[str, Plain],
    *,
    in_verify: bool = False,
    outer: int | None = None,
    origins: Mapping[str, str] | None = None,
) -> CallRecord:
    """Return the record of a call that is about to be sent.

    - `in_verify` is true if a script's `verify` makes the call, its own check of its answer.
    - `outer` is 3 if a function of the benchmark makes the call, and the call of this function
      is number 3 of the step.
    - `origins` says where each argument of a changing call comes from: `{"amount": "asked"}`
      if the amount is in the user's request.
    """
    return CallRecord(
        operation=operation,
        arguments=dict(arguments),
        in_verify=in_verify,
        outer=outer,
        origins=dict(origins or {}),
        state="under_way",
    )


@dataclass(slots=True)
class PlacedCall:
    """A call with its place in the step. It is not made yet."""

    number: int
    """The position of the call in its step, from 0."""
    call: CallRecord
    """The call without its outcome."""
    is_announced: bool = False
    """True if the journal has a line that the call is about to be made."""
    known_outcome: CallRecord | None = None
    """The call with its recorded outcome, if the trial repeats a recorded step."""


class CallUnderWay:
    """A call that was sent. `outcome` waits for it, and returns it with its outcome.

    | `outcome` was | `_run` | `_outcome` |
    |---|---|---|
    | not called yet | makes the call | None |
    | called | None | the call with its outcome |
    | interrupted, for example by the user | None: a call must not be made twice | None |

    A recorded call is as if `outcome` was called.
    """

    __slots__ = ("_outcome", "_run", "placed")

    def __init__(self, placed: PlacedCall, run: CallRun | None) -> None:
        """`run` makes the call. It is None if the outcome is known already."""
        self.placed = placed
        """The call, and its place in the step."""
        self._run = run
        self._outcome = placed.known_outcome

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
            run = self._run
            assert run is not None, "waiting for this call was interrupted before"
            self._run = None
            self._outcome = run.wait()
        return self._outcome

    def await_end(self) -> None:
        """Wait until the call no longer runs, because the trial ends. Its outcome is dropped.

        A call that was not started beside others does not run, and is not made any more.
        """
        if isinstance(self._run, RunBesideOthers):
            with suppress(Exception):
                self.outcome()
