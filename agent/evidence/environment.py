"""Makes the live calls of a trial, and declares the interfaces of what the calls reach.

An environment implements `Environment`. If it can do more, it also implements
`Waiting`, `Printing` or `SideBySide`. `LiveCalls` makes the calls.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Protocol, TypeAlias, runtime_checkable

from controlplane.agent.events import CallFailure, CallRecord
from controlplane.sandbox.interface import (
    CallError,
    Plain,
    ToolSchema,
    guarded,
    plain_result,
)

KnownCall: TypeAlias = tuple[str, Mapping[str, Plain], Mapping[str, Plain]]
"""A call whose result is known, as operation, arguments and result:
`("read", {"path": "/a.md"}, {"content": "fee: 7"})`."""


class Environment(Protocol):
    """The environment of one trial: its files and tools, reached by declared
    operations.

    Used by one thread at a time.
    """

    @property
    def tool_schema(self) -> ToolSchema:
        """The operations, executables, rules document and initial calls. They never
        change."""
        ...

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        """Make one declared call, and return the fields of its result. Raises
        `CallError`.

        After any other exception, or a result that is not a mapping of JSON types, the
        call has failed with code `internal`. (`CallError` is in
        `controlplane.sandbox.interface.operations`.)
        """
        ...

    def answer(self, message: str, outcome: str, refs: Sequence[str]) -> None:
        """Submit the trial's only answer.

        Raises `CallError`, with code `already_exists` if an answer was submitted
        before.
        """
        ...

    def now(self) -> datetime | None:
        """Return the time of the environment's own clock, with a time zone; None if it
        has none."""
        ...


@runtime_checkable
class Waiting(Protocol):
    """An environment whose calls may have to wait for a platform."""

    ends_at: float
    """When the trial's time ends, in seconds of `time.monotonic`. No wait begins
    later."""


@runtime_checkable
class Printing(Protocol):
    """An environment whose calls may run for minutes, and print something meanwhile."""

    show_output: Callable[[str], None]
    """Called while a call runs, with the end of its output so far. Called with an empty
    text when the call ends."""


@runtime_checkable
class SideBySide(Environment, Protocol):
    """An environment that allows several calls at a time.

    Its tool schema declares this with `reads_side_by_side`.
    """

    def begin(
        self, operation: str, arguments: Mapping[str, Plain]
    ) -> Callable[[], dict[str, Plain]]:
        """Begin a call that only reads, and return a function that waits for its
        result.

        The returned function returns and raises the same as `call`. The same thread
        calls it, and may begin other calls before.
        """
        ...


class Functions(Protocol):
    """Runs the functions that a benchmark declares, in another process:
    `sandbox.Sandbox`."""

    def compute(
        self,
        function: str,
        arguments: Mapping[str, Plain],
        known: Sequence[KnownCall] = (),
    ) -> Mapping[str, Plain]:
        """Return the result of a function, given as `module:name`. Raises `CallError`.

        While the function runs, the trial makes the calls that it asks for. Calls in
        `known` are not made: the function gets their known results.
        """
        ...


WaitForCall: TypeAlias = Callable[[], CallRecord]
"""Waits for the outcome of a call, and returns the call with it."""


class LiveCalls:
    """Makes calls in an environment: one after the other, or side by side if it allows
    this.

    Created when a trial starts.
    """

    def __init__(self, environment: Environment) -> None:
        self.environment = environment
        self.tool_schema: ToolSchema = environment.tool_schema
        self._side_by_side: SideBySide | None = None
        """The environment if it allows several calls at a time, or else None."""
        if self.tool_schema.reads_side_by_side and isinstance(environment, SideBySide):
            self._side_by_side = environment
        self._started_early: dict[tuple[str, str], WaitForCall] = {}
        """The calls that `begin_ahead` has started and `begin` has not taken over, by
        `_key_of`."""

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

        def make_call() -> CallRecord:
            return with_outcome(call, call_environment)

        def call_environment() -> dict[str, Plain]:
            # `plain_result` turns any exception of the environment's code into a
            # `CallError`.
            return plain_result(
                call.operation, lambda: self.environment.call(call.operation, arguments)
            )

        return make_call

    def begin_ahead(self, operation: str, arguments: Mapping[str, Plain]) -> None:
        """Begin a call before the step that makes it. `begin` of the same call takes it
        over.

        Does nothing if the call may change something, or if the environment allows only
        one call at a time.
        """
        if self._side_by_side is None or self.tool_schema.may_change(
            operation, arguments
        ):
            return
        call = CallRecord(
            operation=operation, arguments=dict(arguments), state="under_way"
        )
        self._started_early[_key_of(call)] = _start_beside_others(
            call, self._side_by_side
        )

    def await_ahead(self) -> None:
        """Wait for calls that `begin_ahead` started and no step took, because the trial
        ends."""
        for wait in self._started_early.values():
            with suppress(
                Exception
            ):  # The error that ended the trial is reported instead.
                wait()
        self._started_early.clear()

    def clock(self) -> datetime | None:
        """Return the time of the environment's clock, with a time zone; None if there
        is none."""
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
    """Start a call beside others, and return a function that waits for its outcome."""
    started_at = time.perf_counter()
    try:
        # `guarded` and `plain_result` turn any exception of the environment's code into
        # a `CallError`.
        wait_for_result = guarded(
            call.operation,
            lambda: environment.begin(call.operation, dict(call.arguments)),
        )
    except CallError as error:
        failed = failed_call(call, error, started_at)
        return lambda: failed

    def wait_for_call() -> CallRecord:
        return with_outcome(
            call, lambda: plain_result(call.operation, wait_for_result), started_at
        )

    return wait_for_call


def with_outcome(
    call: CallRecord,
    compute: Callable[[], dict[str, Plain]],
    started_at: float | None = None,
) -> CallRecord:
    """Return the call with the result of `compute`, or with the `CallError` that
    `compute` raises.

    The call also gets the time that it took, counted from `started_at`. By default, it
    starts now.
    """
    if started_at is None:
        started_at = time.perf_counter()
    try:
        result = compute()
    except CallError as error:
        return failed_call(call, error, started_at)
    return call.changed(
        state="made", result=result, error=None, elapsed_ms=_ms_since(started_at)
    )


def failed_call(call: CallRecord, error: CallError, started_at: float) -> CallRecord:
    """Return the call with its failure, and the time since `started_at`."""
    failure = CallFailure(code=str(error.code), message=str(error.message))
    elapsed_ms = _ms_since(started_at)
    return call.changed(
        state="failed", result=None, error=failure, elapsed_ms=elapsed_ms
    )


def _ms_since(started_at: float) -> float:
    """Return the milliseconds since a moment of `time.perf_counter`."""
    return round((time.perf_counter() - started_at) * 1000, 3)
