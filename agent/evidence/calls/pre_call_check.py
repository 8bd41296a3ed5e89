"""The pre-call check: an environment's function that judges each changing call before it is sent.

It knows rules of the environment: before a call that deletes a record, it reads the record,
and objects if it is of last year. It runs in another process, without access to the
trial, and asks for the calls that it needs.

It need not read again what the initial prompt has read, such as the environment's rules. So the
results of these calls are kept here, and it gets them at its start as *known calls*:

    KnownCall("read", {"path": "/rules.md"}, {"content": "Keep all records of this year."})
"""

from __future__ import annotations

from typing import Final

from controlplane.agent.events import CallRecord
from controlplane.sandbox.interface import Effect, Operation, Plain, ToolSchema
from controlplane.sandbox.interface.messages.parent_messages import KnownCall

MOST_KNOWN_CALLS: Final = 64
"""How many calls are kept. The memory of the check is limited."""


class PreCallCheck:
    """The pre-call check of one trial's environment, which may have none."""

    def __init__(self, tool_schema: ToolSchema) -> None:
        self._tool_schema = tool_schema
        declared_name = tool_schema.pre_call_check  # `service/pre-call-check`
        self.name = declared_name.rpartition("/")[2].replace("-", "_")
        """The operation that is the check: `pre_call_check`. Empty if there is none."""
        self._known_calls: dict[str, KnownCall] = {}
        """The calls that the check need not make, by the path of the file that they read."""

    @property
    def exists(self) -> bool:
        """True if the environment has a pre-call check."""
        return self.name != ""

    def is_operation(self, operation: str) -> bool:
        """Return True if the check is the operation of this name."""
        return self.exists and operation == self.name

    def known_calls_of(self, operation: str) -> tuple[KnownCall, ...]:
        """Return the calls that an operation need not make, because their results are known.

        Only the check has some. Other operations get none.
        """
        if not self.is_operation(operation):
            return ()
        return tuple(self._known_calls.values())

    def learn(self, call: CallRecord, *, is_of_initial_prompt: bool) -> None:
        """Keep a call for the check if it read a whole file for the initial prompt.

        After a call that may change something, drop all: the files may have changed.
        """
        declared = self._tool_schema.operation(call.operation)
        if declared is None:
            return
        if self._tool_schema.may_change(call.operation, call.arguments):
            self._known_calls.clear()
            return
        if not is_of_initial_prompt or not _returned_whole_file(declared, call):
            return
        if len(self._known_calls) < MOST_KNOWN_CALLS:
            # `subject` names the argument that has the path. The others, such as `end_line`,
            # have their default values, so they are left out.
            path = str(call.arguments[declared.subject])
            arguments: dict[str, Plain] = {declared.subject: path}
            known = KnownCall(call.operation, arguments, call.result or {})
            self._known_calls[path] = known


def _returned_whole_file(declared: Operation, call: CallRecord) -> bool:
    """Return True if a call read a file, and had no argument such as `end_line`."""
    if declared.effect is not Effect.READS or not call.result:
        return False
    for name, value in call.arguments.items():
        if value and name != declared.subject:
            return False
    return True
