"""Makes the model's calls of the environment's operations, such as `read(path="/docs/a.md")`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from controlplane.agent.exoskeleton.calls.call_outcome import CallOutcome, refused
from controlplane.agent.exoskeleton.checks import Permission
from controlplane.agent.exoskeleton.findings import Findings
from controlplane.agent.exoskeleton.reply_calls import arguments_of
from controlplane.agent.exoskeleton.shown.shown_results import ShownResults
from controlplane.agent.exoskeleton.tools.offered_tools import NO_CHANGES, runs_change
from controlplane.agent.loop.session.trial_session import TrialSession
from controlplane.agent.model import Tool, ToolCall
from controlplane.sandbox.interface import (
    CallError,
    Operation,
    Plain,
    bound_arguments,
)


@dataclass(frozen=True, slots=True)
class OperationCalls:
    """Makes calls in one trial, within the changes that the trial may make.

    | call | outcome |
    |---|---|
    | `read(path="/docs/a.md")` | `CallOutcome("A key is lent for a day.")` |
    | `read(path="/x.md")`, without such a file | `CallOutcome("error: not_found: ...")` |
    | `reed(path="/docs/a.md")`, or `read()` | refused: not a tool, or not its arguments |
    | `run(path="/bin/lend")`, if it is not permitted | refused: the request asks for no change |
    """

    session: TrialSession
    tools: tuple[Tool, ...]
    """The tools that the model may call."""
    permission: Permission
    """The changes that the trial may make. Operations that it forbids are not among `tools`. The
    one that runs executables is, because most executables only read. `make` refuses to run
    those that change something."""
    findings: Findings
    """Keeps the results, for the functions that check the answer."""
    results: ShownResults
    """Shows the results, and each long text only once."""

    def make(self, call: ToolCall) -> CallOutcome:
        """Make a call, unless it is refused. Its outcome has the text for the model."""
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
        self.findings.add(operation, arguments, result)
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
        if self.permission.tools:
            return False  # All tools may be run.
        return runs_change(self.session.tool_schema, operation, arguments)
