"""A call that runs beside other calls of the same environment, such as reads of ten files.

All ten are started, and then waited for one by one, so that they take no longer than the slowest:

    run_a = RunBesideOthers(read_a, environment)    starts
    run_b = RunBesideOthers(read_b, environment)    starts, while the first one runs
    run_a.wait()                                    -> read_a with its result
    run_b.wait()                                    -> read_b with its error: there is no such file
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import suppress

from controlplane.agent.events import CallRecord
from controlplane.agent.evidence.calls.call_outcome import failed_call, with_outcome
from controlplane.agent.evidence.environment import SideBySide
from controlplane.sandbox.interface import CallError, Plain, guarded


class RunBesideOthers:
    """A call that was started when this object was made. It must only read."""

    __slots__ = ("_call", "_failed", "_started_at", "_wait_for_result")

    def __init__(self, call: CallRecord, environment: SideBySide) -> None:
        self._call = call
        self._started_at = time.perf_counter()
        self._failed: CallRecord | None = None
        """The call with its error, if it could not be started."""

        def begin() -> Callable[[], Mapping[str, Plain]]:
            """Start the call, and return the environment's function that waits for its result."""
            return environment.begin(call.operation, dict(call.arguments))

        try:
            # `guarded` calls `begin`, and turns any exception into a `CallError`.
            self._wait_for_result = guarded(call.operation, begin)
        except CallError as error:
            self._failed = failed_call(call, error, self._started_at)

    def wait(self) -> CallRecord:
        """Wait until the call has ended, and return it with its outcome. Is called once."""
        if self._failed is not None:
            return self._failed
        return with_outcome(self._call, self._wait_for_result, self._started_at)

    def await_end(self) -> None:
        """Wait until the call has ended, although nobody needs its outcome."""
        with suppress(Exception):
            self.wait()
