"""Builds the bodies of requests, in chat completions and in OpenAI's Responses API.

A request asks for a reply in one of four forms (`ReplyMode`). `form_of` chooses the best form that
the endpoint has not refused so far, and `body_of` builds the body for it, without refused
parameters.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from controlplane.agent.endpoint.error_reply import LENGTH_KEYWORDS
from controlplane.agent.endpoint.settings import EndpointSettings, ThinkingBack
from controlplane.agent.model import (
    TOOL_NAME,
    Capabilities,
    Message,
    ModelRequest,
    ReplyMode,
    Tool,
    ToolCall,
)
from controlplane.agent.written_objects import read_object
from controlplane.sandbox.interface import well_formed

SIGNATURES: Final = "extra_contents"
"""The key of a thought under which we keep the `extra_content` of the reply's tool calls, in order.

Gemini puts the signatures of its thoughts there."""


def form_of(
    request: ModelRequest, preferred: ReplyMode | None, capabilities: Capabilities
) -> ReplyMode:
    """Return the best reply mode for a request that the endpoint has not refused so far.

    The search begins at the preferred mode. If all modes are refused, returns the last one.
    """
    candidates = possible_forms(request, preferred)
    if preferred in candidates:
        candidates = candidates[candidates.index(preferred) :]
    for mode in candidates:
        if is_taken(mode, capabilities):
            return mode
    return candidates[-1]


def possible_forms(request: ModelRequest, preferred: ReplyMode | None) -> list[ReplyMode]:
    """Return the reply modes that suit a request, the best one first."""
    if request.schema is None:
        return [ReplyMode.TOOL if request.tools else ReplyMode.TEXT]
    if request.tools:
        return [ReplyMode.TOOL, ReplyMode.JSON, ReplyMode.TEXT]
    if not request.schema:  # any JSON object
        return [ReplyMode.JSON, ReplyMode.TEXT]
    if preferred is ReplyMode.TOOL:
        return [ReplyMode.TOOL]
    if preferred is ReplyMode.SCHEMA:
        return [ReplyMode.SCHEMA, ReplyMode.JSON, ReplyMode.TEXT]
    return [ReplyMode.SCHEMA, ReplyMode.TOOL, ReplyMode.JSON, ReplyMode.TEXT]


def is_taken(mode: ReplyMode, capabilities: Capabilities) -> bool:
    """Return True unless the endpoint has refused a reply mode."""
    match mode:
        case ReplyMode.SCHEMA:
            return capabilities.takes_schema
        case ReplyMode.TOOL:
            return capabilities.takes_tools
        case ReplyMode.JSON:
            return capabilities.takes_json
        case ReplyMode.TEXT:
            return True


@dataclass(frozen=True, slots=True)
class OfferedTools:
    """The tools of a request, and which of them the model must call."""

    tools: tuple[Tool, ...] = ()
    choice: str | None = None
    """A tool's name, `required` for any tool, or None for the model's own choice."""


def offered_tools(
    request: ModelRequest, mode: ReplyMode, capabilities: Capabilities
) -> OfferedTools:
    """Return the tools to offer. A request without tools offers one tool, whose arguments fit its
    schema."""
    if mode is not ReplyMode.TOOL:
        return OfferedTools()
    tools = tuple(request.tools)
    choice = request.tool_choice
    if not tools:
        schema = dict(request.schema or {})
        script_tool = Tool(name=TOOL_NAME, description="Run one Python script.", parameters=schema)
        tools = (script_tool,)
        choice = TOOL_NAME

    names_tool = choice is not None and choice != "required"
    if names_tool and not capabilities.takes_named_tool:
        choice = "required"
    if choice == "required" and not capabilities.takes_required_tool:
        choice = None
    return OfferedTools(tools, choice)


def body_of(
    settings: EndpointSettings, request: ModelRequest, mode: ReplyMode, capabilities: Capabilities
) -> dict[str, object]:
    """Return the whole body of a request in a reply mode.

    Leaves out empty fields and fields that the endpoint has refused. The user's own fields
    (`settings.body`) may be empty.
    """
    offered = offered_tools(request, mode, capabilities)
    if settings.api == "chat":
        body = chat_fields(settings, request, mode, capabilities, offered)
    else:
        body = responses_fields(settings, request, mode, capabilities, offered)

    body["model"] = settings.model
    body["temperature"] = temperature_of(settings, request)
    body["top_p"] = settings.top_p
    body["seed"] = settings.seed
    if capabilities.length_field:
        body[capabilities.length_field] = settings.max_output_tokens
    if request.tools:
        body["parallel_tool_calls"] = True
    body |= settings.body

    sent: dict[str, object] = {}
    for name, value in body.items():
        is_empty = value is None or value == "" or value == []
        if name in capabilities.refused or (is_empty and name not in settings.body):
            continue
        sent[name] = value
    return sent


def temperature_of(settings: EndpointSettings, request: ModelRequest) -> float | None:
    """Return the temperature of a request; None to leave it to the endpoint."""
    if request.min_temperature is None:
        return settings.temperature
    return max(settings.temperature or 0.0, request.min_temperature)


def chat_fields(
    settings: EndpointSettings,
    request: ModelRequest,
    mode: ReplyMode,
    capabilities: Capabilities,
    offered: OfferedTools,
) -> dict[str, object]:
    """Return the fields that are specific to chat completions."""
    fields: dict[str, object] = {}
    messages = request.messages if mode is ReplyMode.TOOL else plain_messages(request.messages)
    fields["messages"] = [chat_message(message, settings.thinking_back) for message in messages]

    if mode is ReplyMode.SCHEMA:
        schema = named_schema(request, capabilities)
        fields["response_format"] = {"type": "json_schema", "json_schema": schema}
    elif mode is ReplyMode.JSON:
        fields["response_format"] = {"type": "json_object"}

    tools = []
    for tool in offered.tools:
        tools.append({"type": "function", "function": tool_declaration(tool)})
    fields["tools"] = tools
    fields["tool_choice"] = offered.choice
    if offered.choice is not None and offered.choice != "required":
        fields["tool_choice"] = {"type": "function", "function": {"name": offered.choice}}

    fields["reasoning_effort"] = settings.reasoning_effort
    return fields


def responses_fields(
    settings: EndpointSettings,
    request: ModelRequest,
    mode: ReplyMode,
    capabilities: Capabilities,
    offered: OfferedTools,
) -> dict[str, object]:
    """Return the fields that are specific to OpenAI's Responses API."""
    fields: dict[str, object] = {"store": False}
    sends_thinking = settings.thinking_back != "none"
    messages = request.messages if mode is ReplyMode.TOOL else plain_messages(request.messages)
    items: list[Mapping[str, object]] = []
    for message in messages:
        items += response_items(message, sends_thinking=sends_thinking)
    fields["input"] = items
    if sends_thinking and request.tools:
        # The server stores nothing, so thoughts can be sent back only if replies contain them.
        fields["include"] = ["reasoning.encrypted_content"]

    if mode is ReplyMode.SCHEMA:
        schema = named_schema(request, capabilities)
        fields["text"] = {"format": {"type": "json_schema", **schema}}
    elif mode is ReplyMode.JSON:
        fields["text"] = {"format": {"type": "json_object"}}

    tools = []
    for tool in offered.tools:
        tools.append({"type": "function", "strict": False, **tool_declaration(tool)})
    fields["tools"] = tools
    fields["tool_choice"] = offered.choice
    if offered.choice is not None and offered.choice != "required":
        fields["tool_choice"] = {"type": "function", "name": offered.choice}

    if settings.reasoning_effort:
        fields["reasoning"] = {"effort": settings.reasoning_effort}
    return fields


def tool_declaration(tool: Tool) -> dict[str, object]:
    """Return the part of a tool's declaration that both protocols share."""
    return {"name": tool.name, "description": tool.description, "parameters": tool.parameters}


def named_schema(request: ModelRequest, capabilities: Capabilities) -> dict[str, object]:
    """Return the request's schema with its name, using only features that the endpoint accepts."""
    schema: object = dict(request.schema or {})
    if not capabilities.takes_bounds:
        schema = without_length_keywords(schema)
    named: dict[str, object] = {"name": "action", "schema": schema}
    if capabilities.takes_strict:
        named["strict"] = True
    return named


def without_length_keywords(schema: object) -> object:
    """Return a schema without limits on lengths.

    `{"type": "string", "maxLength": 400} -> {"type": "string"}`
    """
    if isinstance(schema, dict):
        remaining = {}
        for name, value in schema.items():
            if name not in LENGTH_KEYWORDS:
                remaining[name] = without_length_keywords(value)
        return remaining
    if isinstance(schema, list):
        return [without_length_keywords(item) for item in schema]
    return schema


def plain_messages(messages: Sequence[Message]) -> Sequence[Message]:
    """Return messages in a form for endpoints without tools.

    The calls of the model become the JSON text of its message. Their results become one user
    message: `<result of="read">...</result>`.
    """
    has_calls = any(message.get("tool_calls") or message["role"] == "tool" for message in messages)
    if not has_calls:
        return messages

    plain: list[Message] = []
    tool_names: dict[str, str] = {}  # by the id of the call
    for message in messages:
        role = message["role"]
        content = message["content"]
        calls = message.get("tool_calls", ())
        if calls:
            content = calls_as_text(calls)
            for call in calls:
                tool_names[call.id] = call.name
        elif role == "tool":
            role = "user"
            tool_name = tool_names.get(message.get("tool_call_id", ""), "")
            content = f'<result of="{tool_name}">\n{content}\n</result>\n'

        follows_user = bool(plain) and plain[-1]["role"] == "user"
        if role == "user" and follows_user:
            plain[-1] = Message(role="user", content=plain[-1]["content"] + content)
        else:
            plain.append(Message(role=role, content=content))
    return plain


def calls_as_text(calls: Sequence[ToolCall]) -> str:
    """Return tool calls as JSON: `{"calls": [{"name": "read", "arguments": {"path": "/a"}}]}`."""
    written = []
    for call in calls:
        arguments: object = read_object(call.arguments or "{}")
        if arguments is None:
            arguments = call.arguments  # It is not an object, so keep what the model wrote.
        written.append({"name": call.name, "arguments": arguments})
    return json_text({"calls": written})


def json_text(value: object) -> str:
    """Return a value as JSON without escapes for non-ASCII letters."""
    return json.dumps(value, ensure_ascii=False)


def chat_message(message: Message, thinking: ThinkingBack = "none") -> dict[str, object]:
    """Return a message in the form of chat completions."""
    sent: dict[str, object] = {"role": message["role"], "content": well_formed(message["content"])}
    if "tool_call_id" in message:
        sent["tool_call_id"] = message["tool_call_id"]

    calls: list[dict[str, object]] = []
    for call in message.get("tool_calls", ()):
        function = {"name": call.name, "arguments": well_formed(call.arguments)}
        calls.append({"id": call.id, "type": "function", "function": function})

    if thinking != "none":
        for thought in message.get("thinking", ()):
            if calls or thinking == "reasoning_content":
                for name, value in thought.items():
                    if name != SIGNATURES:
                        sent[name] = value
            signatures = thought.get(SIGNATURES, ())
            for sent_call, signature in zip(calls, signatures, strict=False):
                if signature:
                    sent_call["extra_content"] = signature

    if calls:
        sent["tool_calls"] = calls
    return sent


def response_items(message: Message, *, sends_thinking: bool) -> list[Mapping[str, object]]:
    """Return a message as items of the Responses API."""
    content = well_formed(message["content"])
    if message["role"] == "tool":
        call_id = message.get("tool_call_id", "")
        return [{"type": "function_call_output", "call_id": call_id, "output": content}]

    items: list[Mapping[str, object]] = []
    calls = message.get("tool_calls", ())
    if calls and sends_thinking:
        items += message.get("thinking", ())
    if content or not calls:
        items.append({"role": message["role"], "content": content})
    for call in calls:
        items.append(
            {
                "type": "function_call",
                "call_id": call.id,
                "name": call.name,
                "arguments": well_formed(call.arguments),
            }
        )
    return items
