"""The pre-call check: an environment's function that judges each changing call before it is sent.

It knows rules of the environment: before a call that deletes a record, it reads the record,
and objects if it is of last year. It runs in another process, without access to the
trial, and asks for the calls that it needs.
"""

from __future__ import annotations

from controlplane.agent.evidence.calls.shown_files import ShownFiles
from controlplane.sandbox.interface import ToolSchema
from controlplane.sandbox.interface.messages.parent_messages import KnownCall


class PreCallCheck:
    """The pre-call check of one trial's environment, which may have none."""

    def __init__(self, tool_schema: ToolSchema) -> None:
        declared_name = tool_schema.pre_call_check  # `service/pre-call-check`
        self.name = declared_name.rpartition("/")[2].replace("-", "_")
        """The operation that is the check: `pre_call_check`. Empty if there is none."""
        self.shown_files = ShownFiles(tool_schema)
        """Keeps the calls that read whole files for the initial prompt. `CallLearner` adds
        them."""

    @property
    def exists(self) -> bool:
        """True if the environment has a pre-call check."""
        return self.name != ""

    def is_operation(self, operation: str) -> bool:
        """Return True if the check is the operation of this name."""
        return self.exists and operation == self.name

    def known_calls_of(self, operation: str) -> tuple[KnownCall, ...]:
        """Return the calls that an operation need not make, because their results are known.

        The check need not read again what the initial prompt has read: it gets these results
        at its start. Other operations get none.
        """
        if not self.is_operation(operation):
            return ()
        return self.shown_files.calls
