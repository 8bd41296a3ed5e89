"""The tools that a request offers, and which of them the model must call.

A request may demand a certain tool, some tool, or none. Some endpoints refuse such demands.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from controlplane.agent.model import (
    TOOL_NAME,
    Capabilities,
    ModelRequest,
    ReplyMode,
    Tool,
)

REQUIRED: Final = "required"
"""The tool choice that lets the model choose the tool, but not reply without one."""


@dataclass(frozen=True, slots=True)
class OfferedTools:
    """The tools of a request, and which of them the model must call."""

    tools: tuple[Tool, ...] = ()
    choice: str | None = None
    """The name of the tool that the model must call, or `required` for any tool; None if it need
    not call one."""

    @property
    def named_tool(self) -> str | None:
        """The name of the tool that the model must call; None if it may choose."""
        return None if self.choice == REQUIRED else self.choice


def offered_tools(
    request: ModelRequest, mode: ReplyMode, capabilities: Capabilities
) -> OfferedTools:
    """Return the tools to offer; none unless the reply should be a tool call.

    A request without tools asks for a script, which the model can pass to a tool, too: to
    `execute_script` (`TOOL_NAME`), whose arguments have the request's schema.
    """
    if mode is not ReplyMode.TOOL:
        return OfferedTools()
    if request.tools:
        choice = accepted_choice(request.tool_choice or None, capabilities)
        return OfferedTools(tuple(request.tools), choice)
    choice = accepted_choice(TOOL_NAME, capabilities)
    return OfferedTools((_script_tool(request),), choice)


def accepted_choice(choice: str | None, capabilities: Capabilities) -> str | None:
    """Return a tool choice, or the closest one that the endpoint has not refused.

    | choice | the endpoint has refused | returned |
    |---|---|---|
    | `read` | nothing | `read` |
    | `read` | to demand a certain tool | `required` |
    | `read` | this, and `required` | None: the model need not call a tool |
    """
    names_tool = choice is not None and choice != REQUIRED
    if names_tool and not capabilities.takes_named_tool:
        choice = REQUIRED
    if choice == REQUIRED and not capabilities.takes_required_tool:
        choice = None
    return choice


def _script_tool(request: ModelRequest) -> Tool:
    """Return the tool by which a model passes its script, with the schema of the request."""
    schema = dict(request.schema or {})
    return Tool(name=TOOL_NAME, description="Run one Python script.", parameters=schema)
