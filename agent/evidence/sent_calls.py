"""Sends calls to an environment, and waits for their outcomes.

Most calls are made one after the other. If the environment allows several at a time, reads run
side by side:

    code                      one at a time            several at a time
    a = begin(read of /a.md)                           the read starts
    b = begin(read of /b.md)                           the read starts, too
    a.outcome()               the read is made         waits for the first read
    b.outcome()               the read is made         waits for the second read

Nothing is written to the journal here.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import TypeAlias

from controlplane.agent.events import CallRecord
from controlplane.agent.evidence.environment import Environment, SideBySide
from controlplane.sandbox.interface import CallError, Plain, guarded, plain_result

_Compute: TypeAlias = Callable[[], Mapping[str, Plain]]
"""Makes a call, or waits for one that runs, and returns its result. May raise anything."""


class CallUnderWay:
    """A call that was sent, and is waited for at most once.

    A call that changes something must not be made twice. So its outcome is kept once it is there.
    """

    __slots__ = ("_compute", "_is_waited_for", "_outcome", "_started_at", "call")

    def __init__(
        self,
        call: CallRecord,
        compute: _Compute | None = None,
        *,
        outcome: CallRecord | None = None,
        started_at: float | None = None,
    ) -> None:
        """`started_at`, a moment of `time.perf_counter`, is given if the call runs already.

        A call whose `outcome` is known, for example from the journal, has no `compute`.
        """
        self.call = call
        """The call with its number in the step, and without its outcome."""
        self._compute = compute
        self._started_at = started_at
        self._outcome = outcome
        self._is_waited_for = False
        """True once somebody has begun to wait, even if the user has interrupted the wait."""

    @property
    def number(self) -> int:
        """The position of the call in its step, from 0."""
        return self.call.number

    def outcome(self) -> CallRecord:
        """Make the call or wait for it, unless that was done, and return it with its outcome.

        Must not be called again after an exception, such as an interrupt by the user.
        """
        if self._outcome is None:
            assert not self._is_waited_for, "the wait for this call was interrupted"
            assert self._compute is not None, "a call without an outcome can be made"
            self._is_waited_for = True
            started_at = self._started_at or time.perf_counter()
            try:
                # Turns any exception, and a result that is not JSON, into a `CallError`.
                result = plain_result(self.call.operation, self._compute)
                outcome = self.call.made(result, _ms_since(started_at))
            except CallError as error:
                outcome = self.call.failed(error, _ms_since(started_at))
            self._outcome = outcome
        return self._outcome

    def result(self) -> Mapping[str, Plain]:
        """Wait for the call like `outcome`, and return its result; empty if it failed."""
        return self.outcome().result or {}

    def await_end(self) -> None:
        """End a call whose outcome nobody needs. One that does not run yet is not made."""
        runs = self._started_at is not None
        if runs and self._outcome is None and not self._is_waited_for:
            with suppress(Exception):
                self.outcome()
        self._is_waited_for = True


def _ms_since(started_at: float) -> float:
    """Return the milliseconds since a moment of `time.perf_counter`."""
    return round((time.perf_counter() - started_at) * 1000, 3)


class CallSender:
    """Sends the calls of one trial to its environment."""

    def __init__(self, environment: Environment) -> None:
        self.environment = environment
        self._side_by_side: SideBySide | None = None
        """The environment if it allows several reads at a time."""
        is_declared = environment.tool_schema.reads_side_by_side
        if is_declared and isinstance(environment, SideBySide):
            self._side_by_side = environment
        self._early_calls: dict[tuple[str, str], CallUnderWay] = {}
        """The calls of the initial prompt that were started before their turn."""

    def send(self, call: CallRecord, *, runs_beside_others: bool) -> CallUnderWay:
        """Send a call.

        With `runs_beside_others`, which is only for calls that read, the call starts now if the
        environment allows several at a time. Otherwise it is made when its outcome is wanted.
        """
        early = self._early_calls.pop(_early_key(call), None)
        if early is not None:
            early.call = call
            return early
        if runs_beside_others and self._side_by_side is not None:
            return _started_call(call, self._side_by_side)
        # The environment gets a copy, since its code may change it.
        arguments = {name: _copy_of(value) for name, value in call.arguments.items()}
        make = partial(self.environment.call, call.operation, arguments)
        return CallUnderWay(call, make)

    def send_early(self, operation: str, arguments: Mapping[str, Plain]) -> None:
        """Start a call of the initial prompt before its turn. A later `send` takes it over.

        Does nothing if the call may change something, or if calls run one at a time.
        """
        call = CallRecord.planned(self.environment.tool_schema, operation, arguments)
        if self._side_by_side is not None and not call.may_change:
            self._early_calls[_early_key(call)] = _started_call(
                call, self._side_by_side
            )

    def await_early_calls(self) -> None:
        """Wait for early calls that no `send` took over, because the trial ends."""
        for early in self._early_calls.values():
            early.await_end()
        self._early_calls.clear()


def _started_call(call: CallRecord, environment: SideBySide) -> CallUnderWay:
    """Start a call that only reads, which then runs beside others."""
    started_at = time.perf_counter()
    begin = partial(environment.begin, call.operation, dict(call.arguments))
    try:
        # `guarded` turns any exception into a `CallError`.
        wait_for_result = guarded(call.operation, begin)
    except CallError as error:
        return CallUnderWay(call, outcome=call.failed(error, _ms_since(started_at)))
    return CallUnderWay(call, wait_for_result, started_at=started_at)


def _early_key(call: CallRecord) -> tuple[str, str]:
    """Return the key of an early call: `("read", "{'path': '/a.md'}")`.

    If the same arguments come in another order, the key differs. The call is then made
    twice, which does no harm, because it only reads.
    """
    return call.operation, str(call.arguments)


def _copy_of(value: Plain) -> Plain:
    """Return a copy of plain data, of which nothing is shared."""
    if isinstance(value, dict):
        return {name: _copy_of(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_copy_of(part) for part in value]
    return value
