"""The calls whose results the environment's pre-call check gets at its start.

The *pre-call check* is a function of the environment that judges each changing call before it is
sent. It runs in another process, and would have to ask for each file that it reads, even for those
that the trial has read for the initial prompt. So it gets these reads as *known calls*:

    KnownCall("read", {"path": "/rules.md"}, {"content": "Keep all records of this year."})

After a call that may change something, the files may be others, so no calls are known any more.
"""

from __future__ import annotations

from typing import Final

from controlplane.agent.events import CallRecord
from controlplane.sandbox.interface import Effect, Operation, Plain, ToolSchema
from controlplane.sandbox.interface.messages.parent_messages import KnownCall

MOST_KNOWN_CALLS: Final = 64
"""How many calls are kept. The memory of the check is limited."""


class KnownCalls:
    """The calls of one trial that its pre-call check need not make again."""

    def __init__(self, tool_schema: ToolSchema) -> None:
        self._tool_schema = tool_schema
        self._calls: dict[str, KnownCall] = {}
        """The known calls, by the path of the file that they read."""

    def all(self) -> tuple[KnownCall, ...]:
        """Return the known calls."""
        return tuple(self._calls.values())

    def learn(self, call: CallRecord, *, is_of_initial_prompt: bool) -> None:
        """Learn from a call whether the check need not make the same again."""
        declared = self._tool_schema.operation(call.operation)
        if declared is None:
            return
        if self._tool_schema.may_change(call.operation, call.arguments):
            self._calls.clear()
            return
        has_room = len(self._calls) < MOST_KNOWN_CALLS
        if is_of_initial_prompt and has_room and _has_read_whole_file(declared, call):
            path = str(call.arguments[declared.subject])
            # Its other arguments have their defaults.
            arguments: dict[str, Plain] = {declared.subject: path}
            self._calls[path] = KnownCall(call.operation, arguments, call.result or {})


def _has_read_whole_file(declared: Operation, call: CallRecord) -> bool:
    """Return True if a call read a file, and had no argument such as `end_line`."""
    if declared.effect is not Effect.READS or not call.result:
        return False
    for name, value in call.arguments.items():
        if value and name != declared.subject:
            return False
    return True
