"""The tools that the scripts of a trial can call, by the names that they have there.

A tool called `get-order` is `harness.get_order(...)` in scripts. If the trial has a
user, tools may come and go with the turns of the conversation: a tool with
`first_turn=1` is available after the user's first reply.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from controlplane.agent.loop.initial_prompt.reference.server_tool_lines import tool_line
from controlplane.sandbox.interface import (
    FILE_OPERATIONS,
    CallError,
    Operation,
    error_codes,
)
from controlplane.tool_benchmark.conversation import SAY, SAY_WITH_CHANGED_TOOLS
from controlplane.tools.declared_tool import DeclaredTool
from controlplane.tools.function_tool import Tool
from controlplane.tools.script_names import is_adapted


@dataclass(frozen=True, slots=True)
class ScriptTools:
    """The tools of a trial, each with its name in scripts."""

    by_name: dict[str, DeclaredTool]

    @classmethod
    def declared(
        cls, tools: Iterable[Tool], *, has_files: bool, has_user: bool
    ) -> ScriptTools:
        """Return the tools, each with a name. Raises `ValueError` for one that scripts cannot call.

        A name that scripts already use for something else gets a number: the tool `read`
        is called `read_2` if scripts can read files.
        """
        taken: set[str] = set()
        if has_files:
            taken.update(operation.name for operation in FILE_OPERATIONS)
        if has_user:
            taken.add(SAY.name)
        by_name = {}
        # Tools whose names are valid in scripts come first, so that they keep their names.
        for tool in sorted(tools, key=lambda tool: is_adapted(tool.name)):
            declared = tool.declared(taken)
            name = declared.operation.name
            taken.add(name)
            by_name[name] = declared
        return cls(by_name)

    def operations(self, *, has_user: bool) -> list[Operation]:
        """Return the calls that scripts can make, with `say` if there is a user."""
        operations = [declared.operation for declared in self.by_name.values()]
        if has_user and self.change_with_turns:
            operations.append(SAY_WITH_CHANGED_TOOLS)
        elif has_user:
            operations.append(SAY)
        return operations

    @property
    def change_with_turns(self) -> bool:
        """True if some tools are available only in some turns of the conversation."""
        for declared in self.by_name.values():
            if not declared.tool.is_always_available:
                return True
        return False

    def available_tool(self, name: str, turn: int) -> DeclaredTool:
        """Return the tool of this name. Raises `CallError` if it is not available in this turn."""
        declared = self.by_name[name]
        if not declared.tool.is_available(turn):
            msg = f"there is no tool {name} in this turn of the conversation"
            raise CallError(error_codes.FAILED_PRECONDITION, msg)
        return declared

    def changes_in(self, turn: int) -> str:
        """Return a line for each tool that became available or unavailable in this turn.

        For example, `gone: harness.get_order`. Empty if the tools are the same as in the last turn.
        """
        lines = []
        for name, declared in self.by_name.items():
            was_available = declared.tool.is_available(turn - 1)
            is_available = declared.tool.is_available(turn)
            if is_available and not was_available:
                lines.append(f"new: {tool_line(declared.operation)}")
            elif was_available and not is_available:
                lines.append(f"gone: harness.{name}")
        return "\n".join(lines)
