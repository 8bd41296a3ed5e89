"""Makes the calls of a reply: of the environment's operations, and of the completion.

The completion is the call with which the model hands in its answer. It ends the step.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from controlplane.agent.exoskeleton.assembly import Assembly
from controlplane.agent.exoskeleton.call_outcome import CallOutcome, refused
from controlplane.agent.exoskeleton.checks import Permission
from controlplane.agent.exoskeleton.completion_call import complete
from controlplane.agent.exoskeleton.offered_tools import (
    COMPLETION,
    NO_CHANGES,
    runs_change,
)
from controlplane.agent.exoskeleton.reply_calls import arguments_of
from controlplane.agent.exoskeleton.shown_results import ShownResults
from controlplane.agent.loop.session.trial_session import TrialSession
from controlplane.agent.model import Tool, ToolCall
from controlplane.sandbox.interface import (
    CallError,
    Operation,
    Plain,
    bound_arguments,
)

MAX_CALLS: Final = 32
"""Max calls of one reply."""


@dataclass(frozen=True, slots=True)
class ToolRunner:
    """Makes the calls of one trial's model."""

    session: TrialSession
    tools: tuple[Tool, ...]
    """The tools that the model may call."""
    allowed: Permission
    """The changes that the trial may make."""
    assembly: Assembly
    """Assembles the answer from a completion."""
    results: ShownResults
    """Shows the results of calls, and each long text only once."""

    def run(self, calls: Sequence[ToolCall]) -> list[CallOutcome]:
        """Make calls in order, and return an outcome for each."""
        outcomes: list[CallOutcome] = []
        is_completed = False
        for number, call in enumerate(calls):
            if is_completed:
                reason = "not run: it stands behind a completion, which ends the step"
                outcome = refused(call, reason)
            elif number >= MAX_CALLS:
                reason = f"not run: a reply makes at most {MAX_CALLS} calls"
                outcome = refused(call, reason)
            elif call.name == COMPLETION:
                is_completed = True
                outcome = complete(self.assembly, call)
            else:
                outcome = self._call(call)
            outcomes.append(outcome)
        return outcomes

    def _call(self, call: ToolCall) -> CallOutcome:
        """Call an operation. Its outcome has the result as text, or why there is none."""
        operation = self._offered(call.name)
        if operation is None:
            names = ", ".join(sorted(tool.name for tool in self.tools))
            reason = f"error: there is no tool {call.name!r}; there are {names}"
            return refused(call, reason)
        try:
            # Raises `TypeError` if an argument is missing, unknown, or of the wrong type.
            arguments = bound_arguments(
                operation, positional=(), named=arguments_of(call)
            )
            if self._is_forbidden(operation, arguments):
                return refused(call, NO_CHANGES)
            result = self.session.calls.make_raw(operation.name, arguments)
        except TypeError as error:
            return refused(call, f"error: {error}")
        except CallError as error:
            # The call was made, so its error is a result.
            return CallOutcome(f"error: {error}")
        self.assembly.findings.add(operation, arguments, result)
        return CallOutcome(self.results.shown(operation, arguments, result))

    def _offered(self, name: str) -> Operation | None:
        """Return the operation of this name; None if the model is not offered it as a tool."""
        if not any(tool.name == name for tool in self.tools):
            return None
        return self.session.tool_schema.operation(name)

    def _is_forbidden(
        self, operation: Operation, arguments: Mapping[str, Plain]
    ) -> bool:
        """Return True if a call makes a change that the request does not permit."""
        tool_schema = self.session.tool_schema
        return not self.allowed.tools and runs_change(tool_schema, operation, arguments)
