"""The body of a request for a chat completion."""

from __future__ import annotations

from collections.abc import Mapping

from agent.endpoint.completion import SIGNATURES
from agent.endpoint.dialect import choice_of, schema_of, tools_of
from agent.endpoint.endpoint_settings import EndpointSettings, ThinkingBack
from agent.endpoint.well_formed_text import well_formed
from agent.model.capabilities import Capabilities
from agent.model.model_protocol import Message, ReplyMode, ToolCall
from agent.model.model_request import ModelRequest


def chat_body(
    settings: EndpointSettings, request: ModelRequest, mode: ReplyMode, known: Capabilities
) -> dict[str, object]:
    """Return the whole body of a request in `mode`, without what the endpoint is known to refuse."""
    tools, choice = tools_of(request, mode)
    asked = choice_of(choice, known)
    body: dict[str, object] = {
        "model": settings.model,
        "messages": [_sendable(each, settings.thinking_back) for each in request.messages],
        known.length_field: settings.max_output_tokens,
        "response_format": _format(request, mode, known),
        "tools": [
            {"type": "function", "function": each.model_dump(include={"name", "description", "parameters"})}
            for each in tools
        ],
        "tool_choice": asked if asked in (None, "required") else {"type": "function", "function": {"name": asked}},
        "parallel_tool_calls": True if request.tools else None,
        "temperature": settings.temperature,
        "top_p": settings.top_p,
        "seed": settings.seed,
        "reasoning_effort": settings.reasoning_effort,
        **settings.body,
    }
    return without_refused(body, settings, known)


def without_refused(body: Mapping[str, object], settings: EndpointSettings, known: Capabilities) -> dict[str, object]:
    """Return `body` without fields that have no value or that the endpoint refuses; the owner's own may be empty."""
    return {
        name: value
        for name, value in body.items()
        if name and name not in known.refused and (value not in (None, "", []) or name in settings.body)
    }


def _format(request: ModelRequest, mode: ReplyMode, known: Capabilities) -> dict[str, object] | None:
    if mode is ReplyMode.SCHEMA:
        named: dict[str, object] = {"name": "action", "schema": schema_of(request, known)}
        return {"type": "json_schema", "json_schema": named | ({"strict": True} if known.takes_strict else {})}
    return {"type": "json_object"} if mode is ReplyMode.JSON else None


def _sendable(message: Message, thinking: ThinkingBack) -> dict[str, object]:
    sent: dict[str, object] = {"role": message["role"], "content": well_formed(message["content"])}
    calls = [_sendable_call(each) for each in message.get("tool_calls", ())]
    if "tool_call_id" in message:
        sent["tool_call_id"] = message["tool_call_id"]
    for thought in message.get("thinking", ()) if thinking is not ThinkingBack.NONE else ():
        if calls or thinking is ThinkingBack.CONTENT:
            sent |= {name: value for name, value in thought.items() if name != SIGNATURES}
        for call, signature in zip(calls, thought.get(SIGNATURES, ()), strict=False):
            call |= {"extra_content": signature} if signature else {}
    return sent | ({"tool_calls": calls} if calls else {})


def _sendable_call(call: ToolCall) -> dict[str, object]:
    function = {"name": call.name, "arguments": well_formed(call.arguments)}
    return {"id": call.id, "type": "function", "function": function}
