"""Calls of a benchmark's functions, which may make calls of their own.

A function runs in another process. It asks for calls that only read, and the trial
makes them while it runs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

from controlplane.agent.evidence.calls.call_under_way import CallUnderWay
from controlplane.agent.evidence.calls.live_calls import with_outcome
from controlplane.agent.evidence.environment import Functions, KnownCall
from controlplane.sandbox.interface import (
    CallError,
    Operation,
    Plain,
    bound_arguments,
    error_codes,
)

if TYPE_CHECKING:
    from controlplane.agent.evidence.recorder import Recorder

SIDE_BY_SIDE: Final = 16
"""How many calls of one function may run at a time."""

Request: TypeAlias = tuple[str, Mapping[str, Plain]]
"""A call that a function asks for: `("read", {"path": "/a.md"})`."""
Outcome: TypeAlias = Mapping[str, Plain] | CallError
"""The result of a call, or its error."""


class FunctionCalls:
    """Runs the functions of one trial, and makes the calls that they ask for.

    Created by the trial's `Recorder`, which records
    these calls. One function runs at a time.
    """

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.runner: Functions | None = None
        """The process that runs functions. None if no function can be called."""
        self.running: CallUnderWay | None = None
        """The call of the function that runs now."""

    @property
    def is_running(self) -> bool:
        """True while a function runs. All calls of the trial are then made by it."""
        return self.running is not None

    # --- The function's own call ---

    def run(self, call: CallUnderWay, declared: Operation) -> None:
        """Run the function that the trial calls by `call`, and keep the outcome in `call`.

        If the outcome is recorded, the function does not run. The recorded calls that it
        made are repeated, because their results are evidence.
        """
        self.running = call
        try:
            if call.finished is None:
                call.finished = with_outcome(
                    call.call, lambda: self._compute(declared, call.call.arguments)
                )
            else:
                self._repeat_reads(call.number)
        finally:
            self.running = None

    def _compute(
        self, declared: Operation, arguments: Mapping[str, Plain]
    ) -> Mapping[str, Plain]:
        """Run a function in its process. Raises `CallError`."""
        if self.runner is None:
            msg = f"there is no process here that could run {declared.name}"
            raise CallError(error_codes.INTERNAL, msg)
        # The pre-call check need not read again what the initial prompt has read.
        known_calls: tuple[KnownCall, ...] = ()
        if declared.name == self.recorder.checks.check_name:
            known_calls = self.recorder.learner.shown_files.calls
        place_of_code = declared.finds  # `own.functions:books_by`
        return self.runner.compute(place_of_code, dict(arguments), known_calls)

    def _repeat_reads(self, number: int) -> None:
        """Repeat the recorded calls that a function made. `number` is that of its own call."""
        step = self.recorder.trace.number
        for read in self.recorder.calls_made.reads_of_function(step, number):
            self.call_all([(read.operation, read.arguments)])

    # --- The calls that it asks for ---

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        """Make one call that a function asks for. Raises `CallError` if it fails."""
        outcome = self.call_all([(operation, arguments)])[0]
        if isinstance(outcome, CallError):
            raise outcome
        return dict(outcome)

    def call_all(self, requests: Sequence[Request]) -> list[Outcome]:
        """Make the calls that a function asks for, and return their outcomes in order.

        Up to `SIDE_BY_SIDE` of them run at a time, if the environment allows it. A
        failed call does not end the others.
        """
        sent: list[CallUnderWay | CallError] = []  # An error is a refused request.
        try:
            for operation, arguments in requests:
                if len(sent) >= SIDE_BY_SIDE:
                    # Before the 17th call is sent, the first one must have ended.
                    _wait_for(sent[len(sent) - SIDE_BY_SIDE])
                sent.append(self._send(operation, arguments))
            return [self._receive(call) for call in sent]
        finally:
            # After an exception, some calls may still run.
            self.recorder.await_calls(
                call for call in sent if isinstance(call, CallUnderWay)
            )

    def _send(
        self, operation: str, arguments: Mapping[str, Plain]
    ) -> CallUnderWay | CallError:
        """Send a call that a function asks for, or return why it is refused.

        A function may only read, and may not call another function.
        """
        tool_schema = self.recorder.tool_schema
        declared = tool_schema.operation(operation)
        if declared is not None:
            try:
                arguments = bound_arguments(declared, (), dict(arguments))
            except CallError as error:
                return error
        if not tool_schema.is_plain_read(operation, arguments):
            msg = f"{operation} is not declared to only read"
            return CallError(error_codes.PERMISSION_DENIED, msg)
        return self.recorder.send(
            operation,
            arguments,
            in_verify=self.running is not None and self.running.call.in_verify,
            runs_beside_others=True,
        )

    def _receive(self, call: CallUnderWay | CallError) -> Outcome:
        """Record the outcome of a call, and return it."""
        if isinstance(call, CallError):
            return call
        try:
            return self.recorder.receive(call)
        except CallError as error:
            return error


def _wait_for(call: CallUnderWay | CallError) -> None:
    """Wait until a call has ended, so that another one can start."""
    if isinstance(call, CallUnderWay):
        call.outcome()
