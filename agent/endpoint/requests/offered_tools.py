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
    """The name of the tool that the model must call, or `required` for any tool. None or empty
    if it need not call one."""

    @property
    def named_tool(self) -> str:
        """The tool that the model must call; empty if it may choose."""
        if self.choice is None or self.choice == REQUIRED:
            return ""
        return self.choice


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
        tools = tuple(request.tools)
        choice = request.tool_choice
    else:
        tools = (_script_tool(request),)
        choice = TOOL_NAME

    # If the endpoint refuses the choice of a certain tool, ask for some tool. If it
    # refuses this, too, leave the choice to the model.
    names_tool = choice not in (None, "", REQUIRED)
    if names_tool and not capabilities.takes_named_tool:
        choice = REQUIRED
    if choice == REQUIRED and not capabilities.takes_required_tool:
        choice = None
    return OfferedTools(tools, choice)


def _script_tool(request: ModelRequest) -> Tool:
    """Return the tool by which a model passes its script, with the schema of the request."""
    schema = dict(request.schema or {})
    return Tool(name=TOOL_NAME, description="Run one Python script.", parameters=schema)
