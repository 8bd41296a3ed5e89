"""Keeps the whole files that the initial prompt has read, for the pre-call check.

The check is a function of the environment, and runs before each call that changes something.
It gets the kept files at its start, so that it need not read the rules of the environment
each time.
"""

from __future__ import annotations

from typing import Final

from controlplane.agent.events import CallRecord
from controlplane.sandbox.interface import Effect, Operation, Plain, ToolSchema
from controlplane.sandbox.interface.messages.parent_messages import KnownCall

MOST_SHOWN_FILES: Final = 64
"""How many files are kept. The memory of the check is limited."""


class ShownFiles:
    """The calls that read whole files for one trial's initial prompt, with their results.

    To the pre-call check they are *known* calls: it need not make them again. After `read` of
    `/rules.md`, `calls` has `KnownCall("read", {"path": "/rules.md"}, {"content": ...})`.
    """

    def __init__(self, tool_schema: ToolSchema) -> None:
        self._tool_schema = tool_schema
        self._calls: dict[str, KnownCall] = {}
        """The calls by the path that they read."""

    @property
    def calls(self) -> tuple[KnownCall, ...]:
        """The calls with their results."""
        return tuple(self._calls.values())

    def learn(self, call: CallRecord, *, is_of_initial_prompt: bool) -> None:
        """Keep a call if it read a whole file for the initial prompt.

        After a call that may change something, drop all: the files may have changed.
        """
        declared = self._tool_schema.operation(call.operation)
        if declared is None:
            return
        if self._tool_schema.may_change(call.operation, call.arguments):
            self._calls.clear()
            return
        if not is_of_initial_prompt or not _returned_whole_file(declared, call):
            return
        if len(self._calls) < MOST_SHOWN_FILES:
            # `subject` names the argument that has the path. The others, such as `end_line`,
            # have their default values, so they are left out.
            path = str(call.arguments[declared.subject])
            arguments: dict[str, Plain] = {declared.subject: path}
            self._calls[path] = KnownCall(call.operation, arguments, call.result or {})


def _returned_whole_file(declared: Operation, call: CallRecord) -> bool:
    """Return True if a call read a file, and had no argument such as `end_line`."""
    if declared.effect is not Effect.READS or not call.result:
        return False
    for name, value in call.arguments.items():
        if value and name != declared.subject:
            return False
    return True
