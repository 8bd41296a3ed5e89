"""Writes requests in the protocol of OpenAI's Responses API.

It has lists of items instead of messages. The name of a tool or schema is one level
higher than in chat completions. The server keeps the conversation unless `store` is
false.
"""

from __future__ import annotations

from collections.abc import Mapping

from controlplane.agent.endpoint.requests.request_plan import RequestPlan
from controlplane.agent.endpoint.requests.response_items import response_items
from controlplane.agent.model import ReplyMode, Tool


def responses_fields(plan: RequestPlan) -> dict[str, object]:
    """Return the fields that are specific to the Responses API."""
    fields: dict[str, object] = {"store": False}  # The server must not keep it.
    sends_thinking = plan.settings.thinking_back != "none"
    items: list[Mapping[str, object]] = []
    for message in plan.messages:
        items += response_items(message, sends_thinking=sends_thinking)
    fields["input"] = items
    if sends_thinking and plan.request.tools:
        # The server stores nothing, so thoughts can be sent back only if replies contain them.
        fields["include"] = ["reasoning.encrypted_content"]

    if plan.mode is ReplyMode.SCHEMA:
        fields["text"] = {"format": {"type": "json_schema", **plan.named_schema}}
    elif plan.mode is ReplyMode.JSON:
        fields["text"] = {"format": {"type": "json_object"}}

    # `body_of` leaves out empty fields, such as those of a request without tools.
    offered = plan.tools
    fields["tools"] = [response_tool(tool) for tool in offered.tools]
    if offered.named_tool:
        fields["tool_choice"] = {"type": "function", "name": offered.named_tool}
    else:
        # `required`, or None if the model need not call a tool
        fields["tool_choice"] = offered.choice

    if plan.settings.reasoning_effort:
        fields["reasoning"] = {"effort": plan.settings.reasoning_effort}
    return fields


def response_tool(tool: Tool) -> dict[str, object]:
    """Return the declaration of a tool.

    By default this API is strict, and then refuses schemas with optional fields.
    """
    return {
        "type": "function",
        "strict": False,
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.parameters,
    }
