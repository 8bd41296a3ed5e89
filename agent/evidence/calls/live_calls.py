"""Makes calls in an environment.

Most calls are made one after the other. If the environment allows several at a time, reads run
side by side:

    code                      one at a time            several at a time
    a = begin(read of /a.md)                           the read starts
    b = begin(read of /b.md)                           the read starts, too
    a.wait()                  the read is made         waits for the first read
    b.wait()                  the read is made         waits for the second read
"""

from __future__ import annotations

from collections.abc import Mapping

from controlplane.agent.events import CallRecord
from controlplane.agent.evidence.calls.call_runs import CallRun, RunWhenNeeded
from controlplane.agent.evidence.calls.early_calls import EarlyCalls
from controlplane.agent.evidence.calls.planned_call import planned_call
from controlplane.agent.evidence.calls.run_beside_others import RunBesideOthers
from controlplane.agent.evidence.environment import Environment, SideBySide
from controlplane.sandbox.interface import Plain


class LiveCalls:
    """Makes the calls of one trial in its environment. Nothing is written to the journal here."""

    def __init__(self, environment: Environment) -> None:
        self.environment = environment
        self._side_by_side: SideBySide | None = None
        """The environment if it allows several reads at a time."""
        is_declared = environment.tool_schema.reads_side_by_side
        if is_declared and isinstance(environment, SideBySide):
            self._side_by_side = environment
        self._early_calls = EarlyCalls()
        """The calls of the initial prompt that were started before their turn."""

    def begin(self, call: CallRecord, *, runs_beside_others: bool) -> CallRun:
        """Begin a call, and return its run. `wait` of the run returns the call with its outcome.

        With `runs_beside_others`, which is only for calls that read, the call starts now if the
        environment allows several at a time. Otherwise it is made when it is waited for.
        """
        early_run = self._early_calls.take(call)
        if early_run is not None:
            return early_run
        if runs_beside_others and self._side_by_side is not None:
            return RunBesideOthers(call, self._side_by_side)
        return RunWhenNeeded(call, self.environment)

    def begin_early(self, operation: str, arguments: Mapping[str, Plain]) -> None:
        """Start a call of the initial prompt before its turn. A later `begin` takes it over.

        Does nothing if the call may change something, or if calls run one at a time.
        """
        schema = self.environment.tool_schema
        if self._side_by_side is None or schema.may_change(operation, arguments):
            return
        call = planned_call(operation, arguments)
        self._early_calls.start(call, self._side_by_side)

    def await_early_calls(self) -> None:
        """Wait for early calls that no `begin` took over, because the trial ends."""
        self._early_calls.await_all()
