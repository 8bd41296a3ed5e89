"""A trial's environment whose calls tell the run how well the benchmark can be reached."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from controlplane.agent.evidence import Environment
from controlplane.agent.failure_codes import failure_of
from controlplane.agent.loop import LeftOpen
from controlplane.errors import Unreachable, error_text
from controlplane.lifecycle.benchmark_health import RunControls
from controlplane.sandbox.interface import (
    CallError,
    Plain,
    ToolSchema,
    bounds,
    error_codes,
    plain_result,
)

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class WatchedEnvironment:
    """Passes calls on to an environment, and reports outages and faults of its code."""

    environment: Environment
    tool_schema: ToolSchema
    """The declared operations that the trial may use."""
    controls: RunControls
    report_fault: Callable[[BaseException], None]
    """Called with each exception that is a fault of the environment's code."""

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        """Make one declared call. Raises `CallError`.

        If a call that only reads failed because the run stops, raises `LeftOpen`, which
        the script does not see. The call is made again when the trial is resumed.
        """
        return self._result_of(
            lambda: self.environment.call(operation, arguments), operation, arguments
        )

    def begin(
        self, operation: str, arguments: Mapping[str, Plain]
    ) -> Callable[[], dict[str, Plain]]:
        """Begin a call that only reads, and return a function that waits for its result.

        That function returns and raises as `call` does. If the environment has no
        `begin`, the function makes the whole call.
        """
        environment_begin = getattr(self.environment, "begin", None)
        if environment_begin is None:
            return lambda: self.call(operation, arguments)
        wait = environment_begin(operation, arguments)
        return lambda: self._result_of(wait, operation, arguments)

    def _result_of(
        self,
        get_result: Callable[[], dict[str, Plain]],
        operation: str,
        arguments: Mapping[str, Plain],
    ) -> dict[str, Plain]:
        """Return what `get_result` returns for a call. Raises as `call` does."""
        try:
            result = self._watched(get_result)
            # Raises `CallError` if the result is not plain data. It also returns a
            # copy, unused here.
            plain_result(operation, lambda: result)
        except CallError as error:
            if error.host_broke:  # by a defect in the environment's code
                self.report_fault(TypeError(error.message))
            failed_by_stop = (
                self.controls.stop.is_set() and failure_of(error.code).is_tooling
            )
            if failed_by_stop and not self.tool_schema.may_change(operation, arguments):
                raise LeftOpen from error
            raise
        return result

    def answer(self, message: str, outcome: str, refs: Sequence[str]) -> None:
        """Submit the trial's one answer. Raises `CallError`."""
        self._watched(lambda: self.environment.answer(message, outcome, refs))

    def now(self) -> datetime | None:
        """Return the environment's clock; None if it has none. Raises `CallError`."""
        return self._watched(self.environment.now)

    def _watched(self, call: Callable[[], Result]) -> Result:
        """Return the result of a call, after telling the run whether the benchmark answered.

        Only a `CallError` is an expected failure of a call.
        """
        began_at = time.monotonic()
        try:
            result = call()
        except CallError as error:
            self._note_failed_call(error, began_at)
            raise
        except BaseException as error:
            # Errors of the product itself, such as `LeftOpen`, may pass through a call.
            # They have the attribute `leaves_step`. All others are faults of the
            # environment's code.
            if not getattr(error, "leaves_step", False):
                self.report_fault(error)
            if isinstance(error, (Exception, KeyboardInterrupt)):
                raise
            # Code of a benchmark may call `sys.exit`, which must not end this process.
            msg = f"{type(error).__name__}: {error_text(error)}"
            raise RuntimeError(msg) from error
        self.controls.health.note_answer()
        return result

    def _note_failed_call(self, error: CallError, began_at: float) -> None:
        """Pause the run if the benchmark refuses its key or has been down for too long."""
        failure = failure_of(error.code)
        if error.code == error_codes.UNAUTHENTICATED:
            text = f"the benchmark refuses the calls of trials ({error})"
            self.controls.pause(Unreachable(text))
        elif failure.is_unreachable:
            outage_s = self.controls.health.note_unreachable_call(began_at)
            if outage_s > bounds.LONGEST_OUTAGE_S:
                text = (
                    f"the benchmark has not been reached for {outage_s:.0f} s ({error})"
                )
                self.controls.pause(Unreachable(text))
        elif not failure.is_tooling:
            # The request was wrong, and the benchmark said so. It can be reached.
            self.controls.health.note_answer()
