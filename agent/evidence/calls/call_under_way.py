"""A call between the moment it is sent and the moment its outcome is recorded.

Several calls that only read may be under way at the same time. Each has a place in its step,
so that the order of the calls does not depend on which of them returns first:

    call_to_send("read", {"path": "/a.md"})     what is to be sent
    PlacedCall(number=2, call)                  it is the third call of its step
    CallUnderWay(placed, run)                   it was sent, and its `outcome` can be waited for
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


@dataclass(slots=True)
class PlacedCall:
    """A call with its place in the step. It is not made yet."""

    number: int
    """The position of the call in its step, from 0."""
    call: CallRecord
    """The call without its outcome."""
    is_announced: bool = False
    """True if the journal has a line that announces the call."""
    known_outcome: CallRecord | None = None
    """The call with its outcome, if the trial repeats a recorded step. It is not made again."""


class CallUnderWay:
    """A call that was sent. `outcome` waits for it, and returns it with its outcome."""

    __slots__ = ("_finished", "_run", "placed")

    def __init__(self, placed: PlacedCall, run: CallRun | None) -> None:
        """`run` makes the call. It is None if the outcome is known already."""
        self.placed = placed
        """The call, and its place in the step."""
        self._run = run
        """Makes the call. None once it was waited for."""
        self._finished = placed.known_outcome
        """The call with its outcome; None until it is known."""

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

        A call must not be made twice. So if waiting fails with an exception, such as an
        interrupt by the user, the outcome cannot be asked for again.
        """
        if self._finished is None:
            run = self._run
            assert run is not None
            self._run = None
            self._finished = run.wait()
        return self._finished

    def await_end(self) -> None:
        """Wait until the call no longer runs, because the trial ends. Its outcome is dropped.

        A call that was not started beside others does not run, and is not made any more.
        """
        if isinstance(self._run, RunBesideOthers):
            with suppress(Exception):
                self.outcome()
