"""The environment of one remote trial: its files and tools, its clock and its answer.

Each operation of a script becomes a request to the trial's runtime,
and the reply becomes the operation's result.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from controlplane.benchmarks.bitgn.client.calls.call_policy import CallPolicy
from controlplane.benchmarks.bitgn.client.connection.platform_client import (
    PlatformClient,
    Service,
)
from controlplane.benchmarks.bitgn.client.connection.wire_errors import (
    Message,
    WireError,
)
from controlplane.benchmarks.bitgn.client.trial.operation_call import OperationCall
from controlplane.benchmarks.bitgn.client.trial.trial_clock import (
    CLOCK,
    TrialClock,
    reads_clock,
)
from controlplane.benchmarks.bitgn.client.trial.trial_runtime import TrialRuntime
from controlplane.benchmarks.bitgn.remote_runtime import TOOL_SCHEMA
from controlplane.benchmarks.bitgn.rpc import SERVICE
from controlplane.sandbox.interface import CallError, Plain, error_codes


class RemoteEnvironment:
    """The files and tools of one trial. Created when the trial starts.

    Several threads may make calls that only read at the same time.
    """

    def __init__(
        self, client: PlatformClient, harness_url: str, *, policy: CallPolicy
    ) -> None:
        """Set up the trial's environment. `policy` is for calls that may be repeated."""
        self.tool_schema = TOOL_SCHEMA
        self.ends_at = math.inf
        """The time, by `time.monotonic`, after which no call is retried. The trial sets it."""
        self._service = Service(client, harness_url, SERVICE)
        self._runtime = TrialRuntime(self._service)
        self._policy = policy
        self._clock = TrialClock(lambda: self.call("exec", {"path": CLOCK}))

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> Message:
        """Make one declared call. Raises `CallError`, as `OperationCall.finish` does."""
        return self._new_call(operation, arguments).finish()

    def begin(
        self, operation: str, arguments: Mapping[str, Plain]
    ) -> Callable[[], Message]:
        """Begin a declared call and return a function that waits for its result.

        Other calls can run meanwhile. Raises `CallError` if there is no such operation, or
        if the client was closed.
        """
        new_call = self._new_call(operation, arguments)
        new_call.begin()
        if reads_clock(operation, arguments):
            # The clock needs this result, too, and does not run the program again.
            return self._clock.share(new_call.finish)
        return new_call.finish

    def _new_call(
        self, operation: str, arguments: Mapping[str, Plain]
    ) -> OperationCall:
        """Return a call that has not been sent yet. It is repeated until the trial's time is over.

        Raises `CallError` if the operation does not exist.
        """
        policy = replace(self._policy, ends_at=self.ends_at)
        return self._runtime.operation_call(operation, arguments, policy)

    def answer(self, message: str, outcome: str, refs: Sequence[str]) -> None:
        """Submit the trial's answer.

        Raises `CallError`, with the code `already_exists` if there is an answer already.
        """
        request: Message = {"message": message, "outcome": outcome, "refs": list(refs)}
        # Unlike other calls, this one does not end with the trial's time (`ends_at`),
        # because a trial without an answer scores nothing.
        policy = replace(self._policy, accepts_already_done=True)
        try:
            self._runtime.make("Answer", request, policy)
        except WireError as error:
            code = error.code
            if code == error_codes.FAILED_PRECONDITION and "already" in error.message:
                # Such as "already answered", for which there is a code of its own.
                code = error_codes.ALREADY_EXISTS
            raise CallError(code, error.message) from None

    def now(self) -> datetime | None:
        """Return the trial's clock, which stands still; None if it cannot be read."""
        return self._clock.now()

    def close(self) -> None:
        """Stop sending calls, including retries, because the trial ends."""
        self._service.is_closed = True
