"""The environment of a trial, whose calls are watched and checked."""

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
from controlplane.lifecycle.run_controls import RunControls
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
    """Passes calls on to a trial's environment, and checks the results.

    The environment is code of a benchmark, and may be out of order: it may raise anything, return
    something that is not plain data, or fail since its platform is down. The run is told of that.
    """

    environment: Environment
    """The benchmark's own environment."""
    tool_schema: ToolSchema
    """The declared operations that the trial may use."""
    controls: RunControls
    """Tells the run how well the benchmark can be reached."""
    report_fault: Callable[[BaseException], None]
    """Called with each exception that is a fault of the environment's code."""

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        """Make one declared call. Raises `CallError`.

        If a call that only reads failed because the run stops, raises `LeftOpen`: the
        trial ends for now, and the call is made again when the trial is resumed.
        """
        return self._checked_result(
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
        get_result = environment_begin(operation, arguments)
        return lambda: self._checked_result(get_result, operation, arguments)

    def answer(self, message: str, outcome: str, refs: Sequence[str]) -> None:
        """Submit the trial's one answer. Raises `CallError`."""
        with self._watching():
            self.environment.answer(message, outcome, refs)

    def now(self) -> datetime | None:
        """Return the environment's clock; None if it has none. Raises `CallError`."""
        with self._watching():
            return self.environment.now()

    def _checked_result(
        self,
        get_result: Callable[[], dict[str, Plain]],
        operation: str,
        arguments: Mapping[str, Plain],
    ) -> dict[str, Plain]:
        """Return the result of a call, which is checked. A failure goes on to the caller.

        Before that, two kinds are treated here:
        - `check_result` finds a defect of the environment's code: it is reported to the run.
        - The run stops, which cuts calls off: `LeftOpen` is raised instead, unless the call may
          have changed something. Its failure has to be recorded.
        """
        try:
            with self._watching():
                result = get_result()
            check_result(operation, result)
        except CallError as error:
            if error.host_broke:  # a defect, such as a result that is not plain data
                self.report_fault(TypeError(error.message))
            only_reads = not self.tool_schema.may_change(operation, arguments)
            # A call with wrong arguments would fail again, so its failure is not due to the stop.
            may_be_due_to_stop = failure_of(error.code).is_environment_fault
            if only_reads and self.controls.stop.is_set() and may_be_due_to_stop:
                raise LeftOpen from error
            raise
        return result

    @contextmanager
    def _watching(self) -> Iterator[None]:
        """Make one call in the block, and tell the run whether the benchmark answered it.

        Only a `CallError` is an expected failure of a call. Other exceptions of the environment's
        code are faults, which are reported.
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
        elif failure.is_outage:
            outage_s = self.controls.health.note_unreachable_call(began_at)
            if outage_s > bounds.LONGEST_OUTAGE_S:
                text = (
                    f"the benchmark has not been reached for {outage_s:.0f} s ({error})"
                )
                self.controls.pause(Unreachable(text))
        elif not failure.is_environment_fault:
            # The request was wrong, and the benchmark said so. It can be reached.
            self.controls.health.note_answer()
