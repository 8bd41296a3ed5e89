"""The tools that a request offers to the model, and which of them it must call.

A request for a reply in text offers none. A request for a tool call offers its own tools. If it has
none, the model is to write a script, which it passes as the argument of a tool:

    tools read and write, tool_choice="read"    offers read and write; the model must call read
    no tools                                    offers execute_script; the model must call it
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.endpoint.requests.tool_choice import REQUIRED, accepted_choice
from controlplane.agent.model import (
    TOOL_NAME,
    Capabilities,
    ModelRequest,
    ReplyMode,
    Tool,
)


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
    """Return the tools to offer, and the choice.

    Some endpoints refuse a request that says which tool the model must call. `capabilities` knows
    it, and `accepted_choice` returns the closest choice that the endpoint takes.
    """
    if mode is not ReplyMode.TOOL:
        return OfferedTools()
    if request.tools:
        choice = accepted_choice(request.tool_choice or None, capabilities)
        return OfferedTools(tuple(request.tools), choice)
    choice = accepted_choice(TOOL_NAME, capabilities)
    return OfferedTools((_script_tool(request),), choice)


def _script_tool(request: ModelRequest) -> Tool:
    """Return the tool by which a model passes its script, with the schema of the request."""
    schema = dict(request.schema or {})
    return Tool(name=TOOL_NAME, description="Run one Python script.", parameters=schema)
