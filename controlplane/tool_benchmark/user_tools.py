"""The tools of a simulated user, which the user's model calls.

In a support task, the agent may ask the user to restart the telephone. The user is a model,
and restarts it by a tool of its own.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

from controlplane.agent.model import Tool as ModelTool
from controlplane.agent.model import ToolCall
from controlplane.fault_texts import error_text
from controlplane.tools.function_tool import Tool


@dataclass(frozen=True, slots=True)
class UserTools:
    """What a simulated user can do, such as restarting a telephone."""

    by_name: dict[str, Tool]

    @classmethod
    def of(cls, tools: Iterable[Tool]) -> UserTools:
        return cls({tool.name: tool for tool in tools})

    def offered(self) -> list[ModelTool]:
        """Return the tools as they are offered to a model."""
        return [
            ModelTool(
                name=tool.name,
                description=tool.description,
                parameters=dict(tool.argument_schema()),
            )
            for tool in self.by_name.values()
        ]

    def result_of(self, call: ToolCall) -> str:
        """Make a model's call of a tool, and return its result or its fault for the model."""
        tool = self.by_name.get(call.name)
        if tool is None:
            return f"there is no tool {call.name}"
        try:
            result = tool.function(**json.loads(call.arguments or "{}"))
        except Exception as error:  # noqa: BLE001 - a model's arguments may be anything
            return f"{type(error).__name__}: {error_text(error)}"
        if isinstance(result, str):
            return result
        return json.dumps(result, ensure_ascii=False, default=str)
