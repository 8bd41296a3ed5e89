"""Makes calls in an environment. Calls whose outcome is recorded do not come here."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import TypeAlias

from controlplane.agent.events import CallFailure, CallRecord
from controlplane.agent.evidence.environment import Environment, SideBySide
from controlplane.sandbox.interface import (
    CallError,
    Plain,
    guarded,
    plain_result,
)

WaitForCall: TypeAlias = Callable[[], CallRecord]
"""Waits for the outcome of a call, and returns the call with it."""


class LiveCalls:
    """Makes calls in an environment: one after the other, or side by side if it allows this.

    Created when a trial starts.
    """

    def __init__(self, environment: Environment) -> None:
        self.environment = environment
        self.tool_schema = environment.tool_schema
        self._side_by_side: SideBySide | None = None
        """The environment if it allows several calls at a time, or else None."""
        if self.tool_schema.reads_side_by_side and isinstance(environment, SideBySide):
            self._side_by_side = environment
        self._started_early: dict[tuple[str, str], WaitForCall] = {}
        """The calls that `begin_ahead` has started and `begin` has not taken over, by `_key_of`."""

    def begin(self, call: CallRecord, *, runs_beside_others: bool) -> WaitForCall:
        """Return a function that waits for the outcome of a call.

        With `runs_beside_others`, which is only for calls that read, the call starts at
        once if the environment allows several calls at a time. Otherwise the returned
        function makes the call.
        """
        wait_for_started = self._started_early.pop(_key_of(call), None)
        if wait_for_started is not None:
            return wait_for_started
        if runs_beside_others and self._side_by_side is not None:
            return _start_beside_others(call, self._side_by_side)

        # A copy, because the environment's code may change the arguments that it gets.
        arguments = copy.deepcopy(dict(call.arguments))
        return lambda: with_outcome(
            call, lambda: self.environment.call(call.operation, arguments)
        )

    def begin_ahead(self, operation: str, arguments: Mapping[str, Plain]) -> None:
        """Begin a call early, before its step. `begin` of the same call takes it over later.

        Does nothing if the call may change something, or if the environment allows only
        one call at a time.
        """
        may_change = self.tool_schema.may_change(operation, arguments)
        if may_change or self._side_by_side is None:
            return
        call = CallRecord(
            operation=operation, arguments=dict(arguments), state="under_way"
        )
        wait = _start_beside_others(call, self._side_by_side)
        self._started_early[_key_of(call)] = wait

    def await_ahead(self) -> None:
        """Wait for calls that `begin_ahead` started and no step took, because the trial ends."""
        for wait in self._started_early.values():
            with suppress(Exception):
                wait()
        self._started_early.clear()

    def clock(self) -> datetime | None:
        """Return the time of the environment's clock, with a time zone; None if there is none."""
        with suppress(CallError):
            now = guarded("now", self.environment.now)
            if isinstance(now, datetime):
                return now if now.tzinfo else now.replace(tzinfo=UTC)
        return None

    def answer(self, message: str, outcome: str, refs: Sequence[str]) -> None:
        """Submit the trial's answer to the environment. Raises `CallError`."""
        guarded("answer", lambda: self.environment.answer(message, outcome, refs))


def _key_of(call: CallRecord) -> tuple[str, str]:
    """Return the key of a call that starts early: `("read", "{'path': '/a.md'}")`.

    If the same arguments come in another order, the key differs. The call is then made
    twice, which does no harm, because it only reads.
    """
    return call.operation, str(call.arguments)


def _start_beside_others(call: CallRecord, environment: SideBySide) -> WaitForCall:
    """Start a call beside others, and return a function that waits for its outcome.

    If the call cannot be started, the returned function returns it with the failure.
    """
    started_at = time.perf_counter()
    try:
        wait_for_result = guarded(
            call.operation,
            lambda: environment.begin(call.operation, dict(call.arguments)),
        )
    except CallError as error:
        failed = _failed_call(call, error, started_at)
        return lambda: failed
    return lambda: with_outcome(call, wait_for_result, started_at)


def with_outcome(
    call: CallRecord,
    compute: Callable[[], Mapping[str, Plain]],
    started_at: float | None = None,
) -> CallRecord:
    """Return the call with the result of `compute`, or with the error that it raises.

    The call also gets the time that it took. By default, it starts now.
    """
    if started_at is None:
        started_at = time.perf_counter()
    try:
        # `plain_result` turns any exception, or a result that is not JSON, into an error.
        result = plain_result(call.operation, compute)
    except CallError as error:
        return _failed_call(call, error, started_at)
    return call.changed(
        state="made", result=result, error=None, elapsed_ms=_ms_since(started_at)
    )


def _failed_call(call: CallRecord, error: CallError, started_at: float) -> CallRecord:
    """Return the call with its failure, and the time since `started_at`."""
    failure = CallFailure(code=str(error.code), message=str(error.message))
    return call.changed(
        state="failed", result=None, error=failure, elapsed_ms=_ms_since(started_at)
    )


def _ms_since(started_at: float) -> float:
    """Return the milliseconds since a moment of `time.perf_counter`."""
    return round((time.perf_counter() - started_at) * 1000, 3)
