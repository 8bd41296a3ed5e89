"""The environment of a trial, whose calls are watched and checked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

from controlplane.agent.evidence import Environment
from controlplane.agent.failure_codes import failure_of
from controlplane.agent.loop import LeftOpen
from controlplane.lifecycle.trials.call_watch import CallWatch
from controlplane.sandbox.interface import (
    CallError,
    Plain,
    ToolSchema,
    check_result,
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
    watch: CallWatch
    """Tells the run how well the benchmark can be reached."""

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        """Make one declared call. Raises `CallError`.

        If a call that only reads failed because the run stops, raises `LeftOpen`: the
        trial ends for now, and the call is made again when the trial is resumed.
        """
        with self._handled_failure(operation, arguments):
            # `watching` reports an exception of the environment's code, or an outage, to the run.
            with self.watch.watching():
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
                with self.watch.watching():
                    result: dict[str, Plain] = get_result()
                check_result(operation, result)
                return result

        return wait_for_result

    def answer(self, message: str, outcome: str, refs: Sequence[str]) -> None:
        """Submit the trial's one answer. Raises `CallError`."""
        with self.watch.watching():
            self.environment.answer(message, outcome, refs)

    def now(self) -> datetime | None:
        """Return the environment's clock; None if it has none. Raises `CallError`."""
        with self.watch.watching():
            return self.environment.now()

    @contextmanager
    def _handled_failure(
        self, operation: str, arguments: Mapping[str, Plain]
    ) -> Iterator[None]:
        """Handle the failure of the call in the block, or of the check of its result.

        Every failure goes on to the caller. Before that, two kinds are treated here:
        - `check_result` finds a defect of the environment's code: it is reported to the run.
        - The run stops, which cuts calls off: `LeftOpen` is raised instead, unless the call may
          have changed something. Its failure has to be recorded.
        """
        try:
            yield
        except CallError as error:
            if error.host_broke:  # a defect, such as a result that is not plain data
                self.watch.report_fault(TypeError(error.message))
            only_reads = not self.tool_schema.may_change(operation, arguments)
            if only_reads and self._is_due_to_stop(error):
                raise LeftOpen from error
            raise

    def _is_due_to_stop(self, error: CallError) -> bool:
        """Return True if the run stops, and the call failed by a fault of the environment.

        A call with wrong arguments would fail again, so its failure is not due to the stop.
        """
        return self.watch.run_stops and failure_of(error.code).is_environment_fault
