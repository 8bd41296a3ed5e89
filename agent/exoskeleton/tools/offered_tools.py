"""The tools that the model of one trial may call.

For a request that only asks a question, there is no tool `write`:

| the request permits | tools |
|---|---|
| to change files | `read`, `write`, `run`, `report_completion` |
| no change | `read`, `run`, `report_completion` |

`run` is offered in any case, because most executables only read.
"""

from __future__ import annotations

from collections.abc import Sequence

from controlplane.agent.exoskeleton.checks import Permission
from controlplane.agent.exoskeleton.tools.changing_tools import CHANGING_EFFECTS
from controlplane.agent.exoskeleton.tools.completion_tool import completion_tool
from controlplane.agent.exoskeleton.tools.operation_tool import operation_tool
from controlplane.agent.model import Tool
from controlplane.sandbox.interface import ToolSchema


def tools_of(
    tool_schema: ToolSchema, task_types: Sequence[str], permission: Permission
) -> tuple[Tool, ...]:
    """Return the tools for one trial. By the last one, the model hands in its answer.

    `task_types` are the kinds of requests, one of which the model states there.
    """
    tools = []
    for operation in tool_schema.operations:
        if permission.files or operation.effect not in CHANGING_EFFECTS:
            tools.append(operation_tool(operation))
    tools.append(completion_tool(task_types))
    return tuple(tools)
