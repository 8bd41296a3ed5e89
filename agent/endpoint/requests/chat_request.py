"""Writes requests in the protocol of chat completions, which most endpoints have.

These are the fields that only this protocol has:

    {"messages": [{"role": "user", "content": "..."}], "tools": [...], "tool_choice": "required"}
"""

from __future__ import annotations

from controlplane.agent.endpoint.requests.chat_messages import chat_message
from controlplane.agent.endpoint.requests.request_plan import RequestPlan
from controlplane.agent.model import ReplyMode, Tool


def chat_fields(plan: RequestPlan) -> dict[str, object]:
    """Return the fields that are specific to chat completions."""
    settings = plan.settings
    fields: dict[str, object] = {}
    fields["messages"] = [
        chat_message(message, settings.thinking_back) for message in plan.messages
    ]
    if plan.mode is ReplyMode.SCHEMA:
        fields["response_format"] = {
            "type": "json_schema",
            "json_schema": plan.named_schema,
        }
    elif plan.mode is ReplyMode.JSON:
        fields["response_format"] = {"type": "json_object"}

    # `body_of` leaves out empty fields, such as those of a request without tools.
    offered = plan.tools
    fields["tools"] = [chat_tool(tool) for tool in offered.tools]
    if offered.named_tool:
        fields["tool_choice"] = {
            "type": "function",
            "function": {"name": offered.named_tool},
        }
    else:
        # `required`, or None if the model need not call a tool
        fields["tool_choice"] = offered.choice
    fields["reasoning_effort"] = settings.reasoning_effort
    return fields


def chat_tool(tool: Tool) -> dict[str, object]:
    """Return the declaration of a tool."""
    function = {
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.parameters,
    }
    return {"type": "function", "function": function}
