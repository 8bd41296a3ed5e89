"""Makes calls in an environment.

Most calls are made one after the other. An environment may allow several reads at a time:
then a script's reads of ten files are started together, and waited for one by one.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime

from controlplane.agent.events import CallRecord
from controlplane.agent.evidence.calls.call_outcome import (
    WaitForCall,
    started_beside_others,
    with_outcome,
)
from controlplane.agent.evidence.calls.early_calls import EarlyCalls
from controlplane.agent.evidence.environment import Environment, SideBySide
from controlplane.sandbox.interface import CallError, Plain, guarded


class LiveCalls:
    """Makes calls in an environment: one after the other, or side by side if it allows this.

    Created when a trial starts.
    """

    def __init__(self, environment: Environment) -> None:
        self.environment = environment
        self.tool_schema = environment.tool_schema
        self._side_by_side: SideBySide | None = None
        """The environment if it allows several calls at a time, or else None."""
        if self.tool_schema.reads_side_by_side and isinstance(environment, SideBySide):
            self._side_by_side = environment
        self._early_calls = EarlyCalls()

    def begin(self, call: CallRecord, *, runs_beside_others: bool) -> WaitForCall:
        """Return a function that waits for the outcome of a call.

        `runs_beside_others` is only for calls that read. There are three ways:
        - The call was begun early, for the initial prompt: wait for it.
        - It may run beside others, and the environment allows this: start it now.
        - Otherwise the call is made when the returned function is called.
        """
        wait_for_early_call = self._early_calls.take(call)
        if wait_for_early_call is not None:
            return wait_for_early_call
        if runs_beside_others and self._side_by_side is not None:
            return started_beside_others(call, self._side_by_side)

        # A copy, because the environment's code may change the arguments that it gets.
        arguments = copy.deepcopy(dict(call.arguments))
        return lambda: with_outcome(
            call, lambda: self.environment.call(call.operation, arguments)
        )

    def begin_early(self, operation: str, arguments: Mapping[str, Plain]) -> None:
        """Start a call of the initial prompt before its turn. A later `begin` takes it over.

        Does nothing if the call may change something, or if the environment allows only
        one call at a time.
        """
        may_change = self.tool_schema.may_change(operation, arguments)
        if may_change or self._side_by_side is None:
            return
        call = CallRecord(
            operation=operation, arguments=dict(arguments), state="under_way"
        )
        self._early_calls.start(call, self._side_by_side)

    def await_early_calls(self) -> None:
        """Wait for early calls that no `begin` took over, because the trial ends."""
        self._early_calls.await_all()

    def clock(self) -> datetime | None:
        """Return the time of the environment's clock, with a time zone; None if there is none."""
        with suppress(CallError):
            now = guarded("now", self.environment.now)
            if isinstance(now, datetime):
                return now if now.tzinfo else now.replace(tzinfo=UTC)
        return None

    def answer(self, message: str, outcome: str, refs: Sequence[str]) -> None:
        """Submit the trial's answer to the environment. Raises `CallError`."""
        guarded("answer", lambda: self.environment.answer(message, outcome, refs))
