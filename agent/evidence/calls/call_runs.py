"""The two ways to make a call in an environment: beside others, or when it is needed.

A script reads ten files. If the environment allows several calls at a time, each read is a
`RunBesideOthers`: all ten are started, and then waited for one by one. Otherwise each is a
`RunWhenNeeded`, which is made when its outcome is wanted. For both, `wait` returns the call
with its outcome: its result or its error.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Mapping
from typing import TypeAlias

from controlplane.agent.events import CallRecord
from controlplane.agent.evidence.calls.call_outcome import failed_call, with_outcome
from controlplane.agent.evidence.environment import Environment, SideBySide
from controlplane.sandbox.interface import CallError, Plain, guarded


class RunBesideOthers:
    """A call that was started when this object was made, and runs beside other calls."""

    __slots__ = ("_call", "_failed", "_started_at", "_wait_for_result")

    def __init__(self, call: CallRecord, environment: SideBySide) -> None:
        self._call = call
        self._started_at = time.perf_counter()
        self._failed: CallRecord | None = None
        """The call with its error, if it could not be started."""

        def begin() -> Callable[[], Mapping[str, Plain]]:
            return environment.begin(call.operation, dict(call.arguments))

        try:
            # `guarded` calls `begin`, and turns any exception into a `CallError`.
            self._wait_for_result = guarded(call.operation, begin)
        except CallError as error:
            self._failed = failed_call(call, error, self._started_at)

    def wait(self) -> CallRecord:
        """Wait until the call has ended, and return it with its outcome."""
        if self._failed is not None:
            return self._failed
        return with_outcome(self._call, self._wait_for_result, self._started_at)


class RunWhenNeeded:
    """A call that is not made before its outcome is needed."""

    __slots__ = ("_arguments", "_call", "_environment")

    def __init__(self, call: CallRecord, environment: Environment) -> None:
        self._call = call
        self._environment = environment
        self._arguments = copy.deepcopy(dict(call.arguments))
        """A copy for the environment, whose code may change it."""

    def wait(self) -> CallRecord:
        """Make the call now, and return it with its outcome."""
        return with_outcome(
            self._call,
            lambda: self._environment.call(self._call.operation, self._arguments),
        )


CallRun: TypeAlias = RunBesideOthers | RunWhenNeeded
"""A call that was started, or is to be made. `wait` is called once."""
