"""Makes the model's calls of the environment's operations, as far as its request permits changes.

| call | outcome |
|---|---|
| `read(path="/docs/a.md")` | `CallOutcome("A key is lent for a day.")` |
| `read(path="/x.md")`, without such a file | `CallOutcome("error: not_found: ...")` |
| `reed(path="/docs/a.md")`, or `read()` | refused: not a tool, or not its arguments |
| `run(path="/bin/lend")`, if it is not permitted | refused: the request asks for no change |
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from controlplane.agent.exoskeleton.calls.call_outcome import CallOutcome, refused
from controlplane.agent.exoskeleton.checks import Permission
from controlplane.agent.exoskeleton.findings import Findings
from controlplane.agent.exoskeleton.replies.reply_objects import arguments_of
from controlplane.agent.exoskeleton.shown.shown_results import ShownResults
from controlplane.agent.exoskeleton.tools.changing_tools import runs_change
from controlplane.agent.loop.session.trial_session import TrialSession
from controlplane.agent.model import Tool, ToolCall
from controlplane.sandbox.interface import CallError, bound_arguments

NO_CHANGES: Final = "not run: the request asks for no such change, so nothing that changes something is run for it"
"""The result of a call that the model makes although the request does not permit it."""


@dataclass(frozen=True, slots=True)
class OperationCalls:
    """Makes the calls of one trial."""

    session: TrialSession
    tools: tuple[Tool, ...]
    """The tools that the model may call. Operations that change files are among them only if
    this is permitted."""
    permission: Permission
    """The changes that the trial may make. Here, it decides which executables may be run."""
    findings: Findings
    """Keeps the results, for the benchmark's functions that check the answer."""
    shown_results: ShownResults
    """Turns the results into texts for the model, and shows each long text only once."""

    def make(self, call: ToolCall) -> CallOutcome:
        """Make a call, unless it is refused. Its outcome has the text for the model."""
        schema = self.session.tool_schema
        operation = None
        if any(tool.name == call.name for tool in self.tools):
            operation = schema.operation(call.name)
        if operation is None:
            names = ", ".join(sorted(tool.name for tool in self.tools))
            reason = f"error: there is no tool {call.name!r}; there are {names}"
            return refused(call, reason)
        try:
            # Raises `TypeError` if an argument is missing, unknown, or of the wrong type.
            named = arguments_of(call)
            arguments = bound_arguments(operation, positional=(), named=named)
            if not self.permission.tools and runs_change(schema, operation, arguments):
                return refused(call, NO_CHANGES)
            result = self.session.calls.make(operation.name, arguments)
        except TypeError as error:
            return refused(call, f"error: {error}")
        except CallError as error:
            # The call was made, so its error is a result.
            return CallOutcome(f"error: {error}")
        self.findings.add(operation, arguments, result)
        return CallOutcome(self.shown_results.shown(operation, arguments, result))
