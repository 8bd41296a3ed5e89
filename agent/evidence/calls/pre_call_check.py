"""The pre-call check of an environment, which judges each changing call before it is sent.

The check is a function that the environment may have. It knows the environment's rules: asked
about a call that deletes a record, it reads the record, and objects if it is of last year. The
tool schema declares it as `service/pre-call-check`. The trial calls it like other operations:

    pre_call_check("delete", {"path": "/records/r4.json"})   -> the record is of last year

While it runs, it may ask the trial for reads. Those that the trial has made for the initial prompt
need not be made again: the check gets them at its start, as its *known calls*.
"""

from __future__ import annotations

from controlplane.agent.events import CallRecord
from controlplane.agent.evidence.calls.known_calls import KnownCalls
from controlplane.sandbox.interface import ToolSchema
from controlplane.sandbox.interface.messages.parent_messages import KnownCall


class PreCallCheck:
    """The pre-call check of one trial's environment, which may have none."""

    def __init__(self, tool_schema: ToolSchema) -> None:
        # Declared as `service/pre-call-check`, it is the operation `pre_call_check`.
        declared_name = tool_schema.pre_call_check.rpartition("/")[2]
        self.name = declared_name.replace("-", "_")
        """The operation that is the check: `pre_call_check`. Empty if there is none."""
        self._known_calls = KnownCalls(tool_schema)
        """The reads that the check need not ask for."""

    @property
    def exists(self) -> bool:
        """True if the environment has a pre-call check."""
        return self.name != ""

    def is_operation(self, operation: str) -> bool:
        """Return True if the check is the operation of this name."""
        return self.exists and operation == self.name

    def known_calls_of(self, operation: str) -> tuple[KnownCall, ...]:
        """Return the known calls if the operation is the check. Other operations have none."""
        return self._known_calls.all() if self.is_operation(operation) else ()

    def learn(self, call: CallRecord, *, is_of_initial_prompt: bool) -> None:
        """Learn from a call of the trial whether the check need not ask for the same.

        `is_of_initial_prompt` is true for a call that was made before the model was asked. Only
        its result is kept.
        """
        if self.exists:
            self._known_calls.learn(call, is_of_initial_prompt=is_of_initial_prompt)
