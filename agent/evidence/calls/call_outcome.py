"""Adds the outcome of a call to its record: its result or failure, and the time it took.

The code of an environment may raise any exception, and return anything. Here this becomes an
outcome of one of two kinds: a result of JSON types, or an error with a code. Example: if
`compute` returns `{"content": "fee: 7"}`,

    with_outcome(read, compute) -> read, with the state `made`, this result, and 3.1 ms

If it raises `ValueError`, the call has the state `failed`, and an error with code `internal`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from controlplane.agent.events import CallFailure, CallRecord
from controlplane.sandbox.interface import CallError, Plain, plain_result


def with_outcome(
    call: CallRecord,
    compute: Callable[[], Mapping[str, Plain]],
    started_at: float | None = None,
) -> CallRecord:
    """Return the call with the result of `compute`, or with the error that it raises.

    The call also gets the time that it took since `started_at`, a moment of
    `time.perf_counter`. By default, it starts now.
    """
    if started_at is None:
        started_at = time.perf_counter()
    try:
        # `plain_result` calls `compute`. It turns any exception, and a result that is not
        # JSON, into a `CallError`.
        result = plain_result(call.operation, compute)
    except CallError as error:
        return failed_call(call, error, started_at)
    return call.changed(
        state="made", result=result, error=None, elapsed_ms=_ms_since(started_at)
    )


def failed_call(call: CallRecord, error: CallError, started_at: float) -> CallRecord:
    """Return the call with its failure, and the time since `started_at`."""
    failure = CallFailure(code=str(error.code), message=str(error.message))
    return call.changed(
        state="failed", result=None, error=failure, elapsed_ms=_ms_since(started_at)
    )


def _ms_since(started_at: float) -> float:
    """Return the milliseconds since a moment of `time.perf_counter`."""
    return round((time.perf_counter() - started_at) * 1000, 3)
