"""The pre-call check: an environment's function that judges each changing call before it is sent."""

from __future__ import annotations

from controlplane.agent.evidence.calls.shown_files import ShownFiles
from controlplane.agent.evidence.environment import KnownCall
from controlplane.sandbox.interface import ToolSchema


class PreCallCheck:
    """The pre-call check of one trial's environment, which may have none."""

    def __init__(self, tool_schema: ToolSchema) -> None:
        rule = tool_schema.pre_call_check
        self.name = rule.rpartition("/")[2].replace("-", "_")
        """The operation that is the check; empty if there is none.
        `pre_call_check`, if the environment declares `service/pre-call-check`."""
        self.shown_files = ShownFiles(tool_schema)
        """The whole files that the initial prompt has read."""

    @property
    def exists(self) -> bool:
        """True if the environment has a pre-call check."""
        return self.name != ""

    def is_operation(self, operation: str) -> bool:
        """Return True if the check is the operation of this name."""
        return self.exists and operation == self.name

    def known_calls_of(self, operation: str) -> tuple[KnownCall, ...]:
        """Return the calls that a function need not make, because their results are known.

        The check need not read again what the initial prompt has read.
        """
        if not self.is_operation(operation):
            return ()
        return self.shown_files.calls
