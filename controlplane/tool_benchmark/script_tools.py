"""The tools that the scripts of a trial can call, by the names that they have there."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from controlplane.agent.loop.initial_prompt.server_tool_lines import tool_line
from controlplane.sandbox.interface import (
    FILE_OPERATIONS,
    CallError,
    Operation,
    error_codes,
)
from controlplane.tool_benchmark.conversation import SAY, say_operation
from controlplane.tools.declared_tool import DeclaredTool
from controlplane.tools.function_tool import RESERVED, Tool
from controlplane.tools.script_names import is_adapted


@dataclass(frozen=True, slots=True)
class ScriptTools:
    """The tools of a trial. Some are there only in some turns of its conversation."""

    by_name: dict[str, DeclaredTool]
    """The tools by their names in scripts."""

    @classmethod
    def declared(
        cls, tools: Iterable[Tool], *, has_files: bool, has_user: bool
    ) -> ScriptTools:
        """Give each tool a name. Raises `ValueError` for a tool that scripts cannot call."""
        taken = set(RESERVED)
        if has_files:
            taken = {operation.name for operation in FILE_OPERATIONS}
        if has_user:
            taken.add(SAY.name)
        by_name = {}
        # Tools whose names are valid in scripts come first, so that they keep their names.
        for tool in sorted(tools, key=lambda tool: is_adapted(tool.name)):
            declared = tool.declared(taken)  # Adds its name to the taken ones.
            by_name[declared.operation.name] = declared
        return cls(by_name)

    def operations(self, *, has_user: bool) -> list[Operation]:
        """Return the calls that scripts can make, with `say` if there is a user."""
        operations = [declared.operation for declared in self.by_name.values()]
        if has_user:
            tools = [declared.tool for declared in self.by_name.values()]
            operations.append(say_operation(tools))
        return operations

    def there(self, name: str, turn: int) -> DeclaredTool:
        """Return the tool of this name. Raises `CallError` if it is not there in this turn."""
        declared = self.by_name[name]
        if not declared.tool.is_there(turn):
            msg = f"there is no tool {name} in this turn of the conversation"
            raise CallError(error_codes.FAILED_PRECONDITION, msg)
        return declared

    def news(self, turn: int) -> str:
        """Return a line for each tool that became available or unavailable in this turn."""
        lines = []
        for name, declared in self.by_name.items():
            was_there = declared.tool.is_there(turn - 1)
            is_there = declared.tool.is_there(turn)
            if is_there and not was_there:
                lines.append(f"new: {tool_line(declared.operation)}")
            elif was_there and not is_there:
                lines.append(f"gone: harness.{name}")
        return "\n".join(lines)
