"""What a trial's calls reach: its environment, and what runs its functions."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Protocol, TypeAlias, runtime_checkable

from controlplane.agent.events import CallFailure, CallRecord
from controlplane.sandbox.interface import CallError, Plain, ToolSchema, guarded, plain_result

KnownCall: TypeAlias = tuple[str, Mapping[str, Plain], Mapping[str, Plain]]
"""A call whose result is known: its operation, its arguments and its result."""


class Environment(Protocol):
    """The runtime of one trial: its files and tools, reached by declared operations. One thread uses it at a time."""

    @property
    def tool_schema(self) -> ToolSchema:
        """The operations, executables, rules document and initial calls, as data; the same for a whole trial."""
        ...

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        """Make one declared call and return its result fields. Raises `controlplane.sandbox.interface.operations.CallError`.

        Any other exception, and a result that is not a mapping of JSON's types, fails the call with code `internal`.
        """
        ...

    def answer(self, message: str, outcome: str, refs: Sequence[str]) -> None:
        """Submit the trial's one answer. Raises `CallError`; code `already_exists` means that one was given before."""
        ...

    def now(self) -> datetime | None:
        """Return the environment's own clock (timezone-aware), or None if it has none."""
        ...


@runtime_checkable
class Waiting(Protocol):
    """An environment that waits for a platform, but begins no wait of a call after `ends_at` (monotonic seconds)."""

    ends_at: float


@runtime_checkable
class Printing(Protocol):
    """An environment whose calls may run for minutes and print something meanwhile."""

    show_output: Callable[[str], None]
    """Called while a call runs, with the end of what it has printed so far, and with an empty text when it ends."""


@runtime_checkable
class SideBySide(Environment, Protocol):
    """An environment that allows several calls at a time, which its tool schema declares by `reads_side_by_side`."""

    def begin(
        self, operation: str, arguments: Mapping[str, Plain]
    ) -> Callable[[], dict[str, Plain]]:
        """Begin a call that only reads, and return a function that waits for its result.

        The returned function returns and raises what `call` does. The same thread calls it, and may
        begin other calls before that.
        """
        ...


class Functions(Protocol):
    """Runs the functions that a benchmark declares, away from this process: `sandbox.Sandbox`."""

    def compute(
        self, function: str, arguments: Mapping[str, Plain], known: Sequence[KnownCall] = ()
    ) -> Mapping[str, Plain]:
        """Return what a function (`module:name`) finds. Raises `CallError`.

        While it runs, the trial makes the calls that the function asks for, except for those in
        `known`: their results are passed on.
        """
        ...


WaitForCall: TypeAlias = Callable[[], CallRecord]
"""Waits for the outcome of a call, and returns the call with it."""


class LiveCalls:
    """Makes calls in an environment, one after the other, or side by side if it allows that."""

    def __init__(self, environment: Environment) -> None:
        self.environment = environment
        self.tool_schema: ToolSchema = environment.tool_schema
        self.functions: Functions | None = None
        """Runs the environment's functions; without it none can be called."""
        self._side_by_side: SideBySide | None = None
        """The environment, if it allows several calls at a time; else None."""
        if self.tool_schema.reads_side_by_side and isinstance(environment, SideBySide):
            self._side_by_side = environment
        self._begun_early: dict[tuple[str, str], WaitForCall] = {}
        """By operation and text of the arguments, the calls of `begin_ahead` that `begin` was not
        asked for yet."""

    def begin(self, call: CallRecord, *, is_beside: bool) -> WaitForCall:
        """Begin a call, and return a function that waits for its outcome.

        With `is_beside` the call only reads and may be made beside others. If the environment does
        not allow that, and without `is_beside`, the returned function makes the whole call.
        """
        wait = self._begun_early.pop(_key_of(call), None)
        if wait is not None:
            return wait
        if is_beside and self._side_by_side is not None:
            return _begun(call, self._side_by_side)

        # A copy, because the environment's code may change the arguments that it is given.
        arguments = copy.deepcopy(dict(call.arguments))

        def make_in_environment() -> dict[str, Plain]:
            return self.environment.call(call.operation, arguments)

        def result() -> dict[str, Plain]:
            return plain_result(call.operation, make_in_environment)

        return lambda: with_outcome(call, result)

    def begin_ahead(self, operation: str, arguments: Mapping[str, Plain]) -> None:
        """Begin a call before the step that makes it, so that `begin` finds it under way.

        Does nothing for a call that may change something, or if calls cannot be side by side.
        """
        if self._side_by_side is None or self.tool_schema.may_change(operation, arguments):
            return
        call = CallRecord(operation=operation, arguments=dict(arguments), state="under_way")
        self._begun_early[_key_of(call)] = _begun(call, self._side_by_side)

    def await_ahead(self) -> None:
        """Wait for the calls of `begin_ahead` that nobody made, because work on the trial ends."""
        for wait in self._begun_early.values():
            with suppress(Exception):  # The error that already ended the trial is reported.
                wait()
        self._begun_early.clear()

    def clock(self) -> datetime | None:
        """Return the environment's clock, with a time zone; None if it has none or does not tell."""
        with suppress(CallError):
            now = guarded("now", self.environment.now)
            if isinstance(now, datetime):
                return now if now.tzinfo else now.replace(tzinfo=UTC)
        return None

    def answer(self, message: str, outcome: str, refs: Sequence[str]) -> None:
        """Have the environment take the trial's answer. Raises `CallError`."""
        guarded("answer", lambda: self.environment.answer(message, outcome, refs))


def _key_of(call: CallRecord) -> tuple[str, str]:
    """Return the key by which a call that was begun early is found: operation and arguments."""
    return call.operation, str(call.arguments)


def _begun(call: CallRecord, environment: SideBySide) -> WaitForCall:
    """Begin a call beside others, and return a function that waits for its outcome."""
    started = time.perf_counter()

    def begin() -> Callable[[], dict[str, Plain]]:
        return environment.begin(call.operation, dict(call.arguments))

    try:
        wait = guarded(call.operation, begin)
    except CallError as error:
        failed = failed_call(call, error, started)
        return lambda: failed

    def result() -> dict[str, Plain]:
        return plain_result(call.operation, wait)

    return lambda: with_outcome(call, result, started)


def with_outcome(
    call: CallRecord, compute: Callable[[], dict[str, Plain]], started: float | None = None
) -> CallRecord:
    """Return the call with the result of `compute`, or with the `CallError` that it raises, and the time it took.

    `started` is the moment at which it began; by default, now.
    """
    if started is None:
        started = time.perf_counter()
    try:
        result = compute()
    except CallError as error:
        return failed_call(call, error, started)
    return call.changed(state="made", result=result, error=None, elapsed_ms=_ms_since(started))


def failed_call(call: CallRecord, error: CallError, started: float) -> CallRecord:
    """Return a call that began at `started` with its failure."""
    failure = CallFailure(code=str(error.code), message=str(error.message))
    return call.changed(state="failed", result=None, error=failure, elapsed_ms=_ms_since(started))


def _ms_since(started: float) -> float:
    """Return the milliseconds since a moment of `time.perf_counter`."""
    return round((time.perf_counter() - started) * 1000, 3)
