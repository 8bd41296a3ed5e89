"""The ways in which a sent call gets its outcome: its result or its error.

Each run is ended once: by `wait` if the outcome is needed, and by `await_end` if it is not.

| run | before | `wait` | `await_end` |
|---|---|---|---|
| `RunBesideOthers` | the call runs | waits until it has ended | waits, too |
| `RunWhenNeeded` | nothing happens | makes the call | does nothing: the call is not made |
| `RecordedRun` | nothing happens | returns an outcome of an earlier attempt | does nothing |
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import TypeAlias

from controlplane.agent.events import CallRecord
from controlplane.agent.evidence.calls.call_outcome import with_outcome
from controlplane.agent.evidence.calls.run_beside_others import RunBesideOthers
from controlplane.agent.evidence.environment import Environment


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

    def await_end(self) -> None:
        """Do nothing: the call has not begun."""


@dataclass(frozen=True, slots=True)
class RecordedRun:
    """A call that is not made, as its outcome is recorded."""

    outcome: CallRecord
    """The call with its result or its error."""

    def wait(self) -> CallRecord:
        """Return the call with its recorded outcome."""
        return self.outcome

    def await_end(self) -> None:
        """Do nothing: the call has ended long ago."""


CallRun: TypeAlias = RunBesideOthers | RunWhenNeeded | RecordedRun
