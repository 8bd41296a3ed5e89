"""Adds the outcome of a call to its record: its result or failure, and the time it took.

The code of an environment may raise any exception, and return anything. Here this becomes an
outcome of one of two kinds: a result of JSON types, or an error with a code.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import TypeAlias

from controlplane.agent.events import CallFailure, CallRecord
from controlplane.agent.evidence.environment import SideBySide
from controlplane.sandbox.interface import CallError, Plain, guarded, plain_result

WaitForCall: TypeAlias = Callable[[], CallRecord]
"""Waits for the outcome of a call, and returns the call with it."""


def started_beside_others(call: CallRecord, environment: SideBySide) -> WaitForCall:
    """Start a call beside others, and return a function that waits for its outcome.

    If the call cannot be started, the returned function returns it with the failure.
    """
    started_at = time.perf_counter()

    def begin() -> Callable[[], Mapping[str, Plain]]:
        return environment.begin(call.operation, dict(call.arguments))

    try:
        # `guarded` calls `begin`, and turns any exception into a `CallError`.
        wait_for_result = guarded(call.operation, begin)
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
        # `plain_result` calls `compute`. It turns any exception, and a result that is not
        # JSON, into a `CallError`.
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
