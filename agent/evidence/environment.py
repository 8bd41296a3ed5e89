"""What a trial's calls reach: its environment, and what runs its functions."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from typing import Protocol, TypeAlias, runtime_checkable

from controlplane.agent.events import CallFailure, CallRecord
from controlplane.sandbox.interface import CallError, Plain, ToolSchema, guarded, plain_result

KnownCall: TypeAlias = tuple[str, Mapping[str, Plain], Mapping[str, Plain]]
"""An operation, its arguments and its result."""


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
        """Begin a call that only reads, and return a function that waits for its result, as `call` does. The same
        thread calls it, and may begin others in between."""
        ...


class Functions(Protocol):
    """Runs the functions that a benchmark declares, away from this process: `sandbox.Sandbox`."""

    def compute(
        self, function: str, arguments: Mapping[str, Plain], known: Sequence[KnownCall] = ()
    ) -> Mapping[str, Plain]:
        """Return what a function (`module:name`) finds; its calls come back meanwhile, but those whose results are
        known. Raises `CallError`."""
        ...


class LiveCalls:
    """Makes calls in an environment."""

    def __init__(self, environment: Environment) -> None:
        self.environment = environment
        self.tool_schema: ToolSchema = environment.tool_schema
        self.functions: Functions | None = None
        """Runs the environment's functions; without it none can be called."""
        self._beside: SideBySide | None = None
        if self.tool_schema.reads_side_by_side and isinstance(environment, SideBySide):
            self._beside = environment
        self._ahead: dict[tuple[str, str], Callable[[], CallRecord]] = {}
        """Calls that were begun before the step that makes them, by operation and arguments."""

    def begin(self, call: CallRecord, *, is_beside: bool) -> Callable[[], CallRecord]:
        """Begin a call, if it may be made beside others, and return what waits for its outcome. Any other call is made
        by what is returned."""
        begun_ahead = self._ahead.pop((call.operation, str(call.arguments)), None)
        if begun_ahead is not None:
            return begun_ahead
        if is_beside and self._beside is not None:
            return self._begin_beside(call, self._beside)
        # A copy, since the environment's code may change its arguments.
        arguments = copy.deepcopy(dict(call.arguments))
        make = partial(self.environment.call, call.operation, arguments)
        return lambda: with_outcome(call, partial(plain_result, call.operation, make))

    def _begin_beside(self, call: CallRecord, environment: SideBySide) -> Callable[[], CallRecord]:
        started = time.perf_counter()
        begin = partial(environment.begin, call.operation, dict(call.arguments))
        try:
            wait = guarded(call.operation, begin)
        except CallError as error:
            failed = failed_call(call, error, started)
            return lambda: failed
        return lambda: with_outcome(call, partial(plain_result, call.operation, wait), started)

    def begin_ahead(self, operation: str, arguments: Mapping[str, Plain]) -> None:
        """Begin a call that only reads, if calls may be side by side, for the next step to make and record."""
        if self._beside is None or self.tool_schema.may_change(operation, arguments):
            return
        call = CallRecord(operation=operation, arguments=dict(arguments), state="under_way")
        self._ahead[operation, str(call.arguments)] = self._begin_beside(call, self._beside)

    def clock(self) -> datetime | None:
        """Return the environment's clock, with a time zone; None if it has none or does not tell."""
        with suppress(CallError):
            now = guarded("now", self.environment.now)
            if isinstance(now, datetime):
                return now if now.tzinfo else now.replace(tzinfo=UTC)
        return None

    def await_ahead(self) -> None:
        """Wait for calls that were begun ahead and that nobody made, because work on the trial ends."""
        for wait in self._ahead.values():
            with suppress(Exception):  # The error that already ended the trial is reported.
                wait()
        self._ahead.clear()

    def answer(self, message: str, outcome: str, refs: Sequence[str]) -> None:
        """Have the environment take the trial's answer. Raises `CallError`."""
        guarded("answer", lambda: self.environment.answer(message, outcome, refs))


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
