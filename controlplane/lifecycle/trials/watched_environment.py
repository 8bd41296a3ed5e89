"""A trial's environment whose calls tell the run how well the benchmark can be reached."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

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
    check_result,
    error_codes,
)


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

        If a call that only reads failed because the run stops, raises `LeftOpen`: the
        trial ends for now, and the call is made again when the trial is resumed.
        """
        with self._handled_failure(operation, arguments):
            with self._watched():
                result = self.environment.call(operation, arguments)
            check_result(operation, result)
            return result

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
        get_result = environment_begin(operation, arguments)

        def wait_for_result() -> dict[str, Plain]:
            with self._handled_failure(operation, arguments):
                with self._watched():
                    result: dict[str, Plain] = get_result()
                check_result(operation, result)
                return result

        return wait_for_result

    def answer(self, message: str, outcome: str, refs: Sequence[str]) -> None:
        """Submit the trial's one answer. Raises `CallError`."""
        with self._watched():
            self.environment.answer(message, outcome, refs)

    def now(self) -> datetime | None:
        """Return the environment's clock; None if it has none. Raises `CallError`."""
        with self._watched():
            return self.environment.now()

    @contextmanager
    def _handled_failure(
        self, operation: str, arguments: Mapping[str, Plain]
    ) -> Iterator[None]:
        """Make and check one call in the block.

        If the call fails by a defect in the environment's code, report the fault. If it
        fails because the run stops, raise `LeftOpen` instead, unless it may have changed
        something.
        """
        try:
            yield
        except CallError as error:
            if error.host_broke:  # a defect, such as a result that is not plain data
                self.report_fault(TypeError(error.message))
            only_reads = not self.tool_schema.may_change(operation, arguments)
            if only_reads and self._is_due_to_stop(error):
                raise LeftOpen from error
            raise

    def _is_due_to_stop(self, error: CallError) -> bool:
        """Return True if the run stops, and a call failed by no fault of its arguments."""
        return self.controls.stop.is_set() and failure_of(error.code).is_tooling

    @contextmanager
    def _watched(self) -> Iterator[None]:
        """Make one call in the block, and tell the run whether the benchmark answered.

        Only a `CallError` is an expected failure of a call.
        """
        began_at = time.monotonic()
        try:
            yield
        except CallError as error:
            self._note_failed_call(error, began_at)
            raise
        except BaseException as error:
            # Errors of the product itself, such as `LeftOpen`, may pass through a call.
            # They have the attribute `leaves_step`. All others are faults of the
            # environment's code.
            is_error_of_product = getattr(error, "leaves_step", False)
            if not is_error_of_product:
                self.report_fault(error)
            if isinstance(error, (Exception, KeyboardInterrupt)):
                raise
            # Code of a benchmark may call `sys.exit`, which must not end this process.
            msg = f"{type(error).__name__}: {error_text(error)}"
            raise RuntimeError(msg) from error
        self.controls.health.note_answer()

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
