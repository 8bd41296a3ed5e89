"""The pre-call check of an environment, and the calls whose results it gets at its start.

The check is a function of the environment that judges each changing call before it is sent:
before a call that deletes a record, it reads the record, and objects if it is of last year.

It runs in another process, and has to ask the trial for each read. The files that the initial
prompt shows were read already. So the check gets these as *known calls*:

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
        # The schema declares it as `service/pre-call-check`.
        declared_name = tool_schema.pre_call_check.rpartition("/")[2]
        self.name = declared_name.replace("-", "_")
        """The operation that is the check: `pre_call_check`. Empty if there is none."""
        self.is_on = True
        """False if the user has switched the check off, so that it is not asked."""
        self._known_calls: dict[str, KnownCall] = {}
        """The known calls, by the path of the file that they read."""

    @property
    def exists(self) -> bool:
        """True if the environment has a pre-call check."""
        return self.name != ""

    def is_operation(self, operation: str) -> bool:
        """Return True if the check is the operation of this name."""
        return self.exists and operation == self.name

    def known_calls_of(self, operation: str) -> tuple[KnownCall, ...]:
        """Return the known calls if the operation is the check. Other operations have none."""
        if not self.is_operation(operation):
            return ()
        return tuple(self._known_calls.values())

    def learn(self, call: CallRecord, *, is_of_initial_prompt: bool) -> None:
        """Keep a call as a known one if it read a whole file for the initial prompt.

        After a call that may change something, drop all known calls: the files may have changed.
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
            # `subject` names the argument that has the path. The others are left out, as they
            # have their default values.
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
