"""Watches the calls of a trial, which tell how well the benchmark can be reached."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from controlplane.agent.failure_codes import failure_of
from controlplane.errors import Unreachable
from controlplane.fault_texts import error_text
from controlplane.lifecycle.run_controls import RunControls
from controlplane.sandbox.interface import CallError, bounds, error_codes


@dataclass(frozen=True, slots=True)
class CallWatch:
    """Reports outages of the benchmark to the run, and faults of the environment's code."""

    controls: RunControls
    report_fault: Callable[[BaseException], None]
    """Called with each exception that is a fault of the environment's code."""

    @property
    def run_stops(self) -> bool:
        return self.controls.stop.is_set()

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Make one call in the block, and tell the run whether the benchmark answered it.

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
