"""The system prompt of the exoskeleton solver, with the tools that its model may call.

It is the first message of the conversation, and the same for all trials of an environment, so
that a provider can cache it.
"""

from __future__ import annotations

from controlplane.agent.exoskeleton.bindings import SolverBindings
from controlplane.agent.exoskeleton.checks import Permission
from controlplane.agent.exoskeleton.tools.offered_tools import tools_of
from controlplane.agent.exoskeleton.tools.tool_texts import (
    call_reference,
    executable_reference,
)
from controlplane.agent.loop.prompt_texts import Prompts
from controlplane.sandbox.interface import ToolSchema


def system_prompt(
    tool_schema: ToolSchema, bindings: SolverBindings, prompts: Prompts
) -> str:
    """Return the system prompt for an environment. It is the same for all its trials.

    If the benchmark checks which changes each request permits, the prompt lists no tools
    that change something. Each trial's first message then lists the permitted ones.
    """
    has_check = bool(bindings.permission)
    permission = Permission(files=not has_check, tools=not has_check)
    tools = tools_of(tool_schema, bindings.task_types, permission)
    text = prompts.filled(
        "exoskeleton",
        calls=call_reference(tools),
        executables=executable_lines(tool_schema, permission) or "(none declared)",
    )
    return prompts.with_hints(text)


def executable_lines(tool_schema: ToolSchema, permission: Permission) -> str:
    """Return a line for each executable, such as `/bin/date`.

    Those that may change something come last, and are left out if they are not permitted.
    """
    parts = [executable_reference(tool_schema, changing=False)]
    if permission.tools:
        parts.append(executable_reference(tool_schema, changing=True))
    return "\n".join(part for part in parts if part)
