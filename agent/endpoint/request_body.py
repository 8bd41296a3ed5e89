"""Builds the bodies of requests, in chat completions and in OpenAI's Responses API.

A request asks for a reply in one of four modes (`ReplyMode`). `best_mode` chooses the
best mode that the endpoint has not refused so far, and `body_of` builds the body for
it, without refused parameters.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from controlplane.agent.endpoint.json_parts import LENGTH_KEYWORDS
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
from controlplane.agent.reply.object_text import read_object
from controlplane.sandbox.interface import well_formed

SIGNATURES: Final = "extra_contents"
"""The key in a `Thought` whose list has the `extra_content` of each tool call of the reply.

Gemini signs its thoughts there, and wants the signatures back with the calls."""

REQUIRED: Final = "required"
"""The tool choice that lets the model choose the tool, but not reply without one."""

SCHEMA_NAME: Final = "action"
"""The name of a request's schema. The protocols demand a name, and models may see it."""


def best_mode(
    request: ModelRequest, preferred: ReplyMode | None, capabilities: Capabilities
) -> ReplyMode:
    """Return the best reply mode for a request, among the modes that the endpoint has not refused.

    Modes before the preferred one are not tried.
    If all modes are refused, returns the last one.
    """
    modes = suitable_modes(request, preferred)
    if preferred in modes:
        modes = modes[modes.index(preferred) :]
    for mode in modes:
        if is_accepted(mode, capabilities):
            return mode
    return modes[-1]


def suitable_modes(
    request: ModelRequest, preferred: ReplyMode | None
) -> list[ReplyMode]:
    """Return the reply modes that suit a request, the best one first.

    If the user prefers tools, there is no other mode:
    if tools are refused, the user is told so.
    """
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


def is_accepted(mode: ReplyMode, capabilities: Capabilities) -> bool:
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
    """A tool's name, `required` for any tool, or None if the model need not call any."""

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

    If the request has no tools, `execute_script` is offered. Its arguments have the
    request's schema.
    """
    if mode is not ReplyMode.TOOL:
        return OfferedTools()
    tools = tuple(request.tools)
    choice = request.tool_choice
    if not tools:
        schema = dict(request.schema or {})
        script_tool = Tool(
            name=TOOL_NAME, description="Run one Python script.", parameters=schema
        )
        tools = (script_tool,)
        choice = TOOL_NAME

    # If the endpoint refuses the choice of a certain tool, ask for some tool. If it
    # refuses this, too, leave the choice to the model.
    names_tool = choice not in (None, "", REQUIRED)
    if names_tool and not capabilities.takes_named_tool:
        choice = REQUIRED
    if choice == REQUIRED and not capabilities.takes_required_tool:
        choice = None
    return OfferedTools(tools, choice)


def body_of(
    settings: EndpointSettings,
    request: ModelRequest,
    mode: ReplyMode,
    capabilities: Capabilities,
) -> dict[str, object]:
    """Return the whole body of a request in a reply mode, such as JSON.

    Fields that the endpoint has refused are left out. So are empty ones, unless the user
    has set them (`settings.body`).
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
        is_refused = name in capabilities.refused
        is_empty = value is None or value == "" or value == []
        is_set_by_user = name in settings.body
        if not is_refused and (is_set_by_user or not is_empty):
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
    messages = (
        request.messages if mode is ReplyMode.TOOL else plain_messages(request.messages)
    )
    fields["messages"] = [
        chat_message(message, settings.thinking_back) for message in messages
    ]

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
    if offered.named_tool:
        fields["tool_choice"] = {
            "type": "function",
            "function": {"name": offered.named_tool},
        }

    fields["reasoning_effort"] = settings.reasoning_effort
    return fields


def responses_fields(
    settings: EndpointSettings,
    request: ModelRequest,
    mode: ReplyMode,
    capabilities: Capabilities,
    offered: OfferedTools,
) -> dict[str, object]:
    """Return the fields that are specific to OpenAI's Responses API.

    It has lists of items instead of messages. The name of a tool or schema is one
    level higher than in chat completions. The server keeps the conversation
    unless `store` is false.
    """
    fields: dict[str, object] = {"store": False}
    sends_thinking = settings.thinking_back != "none"
    messages = (
        request.messages if mode is ReplyMode.TOOL else plain_messages(request.messages)
    )
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
        # By default this API is strict, and then refuses schemas with optional fields.
        tools.append({"type": "function", "strict": False, **tool_declaration(tool)})
    fields["tools"] = tools
    fields["tool_choice"] = offered.choice
    if offered.named_tool:
        fields["tool_choice"] = {"type": "function", "name": offered.named_tool}

    if settings.reasoning_effort:
        fields["reasoning"] = {"effort": settings.reasoning_effort}
    return fields


def tool_declaration(tool: Tool) -> dict[str, object]:
    """Return the part of a tool's declaration that both protocols share."""
    return {
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.parameters,
    }


def named_schema(
    request: ModelRequest, capabilities: Capabilities
) -> dict[str, object]:
    """Return the request's schema with a name, and only with features that the endpoint takes."""
    schema: object = dict(request.schema or {})
    if not capabilities.takes_bounds:  # limits on lengths, such as `maxLength`
        schema = without_length_keywords(schema)
    named: dict[str, object] = {"name": SCHEMA_NAME, "schema": schema}
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

    The model's calls become JSON text in its message. Their results become one message
    of the user: `<result of="read">...</result>`.
    """
    has_calls = any(
        message.get("tool_calls") or message["role"] == "tool" for message in messages
    )
    if not has_calls:
        return messages

    plain: list[Message] = []
    tool_names: dict[str, str] = {}
    """The tool's name by the id of its call. If an id comes twice, the later call counts."""
    for message in messages:
        for call in message.get("tool_calls", ()):
            tool_names[call.id] = call.name
        plain_message = without_calls(message, tool_names)
        # Some endpoints refuse two messages of the user in a row.
        if plain and plain[-1]["role"] == plain_message["role"] == "user":
            content = plain[-1]["content"] + plain_message["content"]
            plain[-1] = Message(role="user", content=content)
        else:
            plain.append(plain_message)
    return plain


def without_calls(message: Message, tool_names: Mapping[str, str]) -> Message:
    """Return a message with its calls, or the result of a call, as text.

    `tool_names` has the names of the called tools by the id of the call.
    """
    calls = message.get("tool_calls", ())
    if calls:
        return Message(role=message["role"], content=calls_as_text(calls))
    if message["role"] == "tool":
        tool_name = tool_names.get(message.get("tool_call_id", ""), "")
        text = f'<result of="{tool_name}">\n{message["content"]}\n</result>\n'
        return Message(role="user", content=text)
    return Message(role=message["role"], content=message["content"])


def calls_as_text(calls: Sequence[ToolCall]) -> str:
    """Return tool calls as JSON: `{"calls": [{"name": "read", "arguments": {"path": "/a"}}]}`."""
    written = []
    for call in calls:
        arguments: object = read_object(call.arguments or "{}")
        if arguments is None:
            # It is not an object, so keep what the model wrote.
            arguments = call.arguments
        written.append({"name": call.name, "arguments": arguments})
    return json_text({"calls": written})


def json_text(value: object) -> str:
    """Return a value as JSON without escapes for non-ASCII letters."""
    return json.dumps(value, ensure_ascii=False)


def chat_message(
    message: Message, thinking: ThinkingBack = "none"
) -> dict[str, object]:
    """Return a message in the form of chat completions.

    `thinking` says which thoughts of the model go back with its message: with
    `reasoning_content` always all, with `auto` only what belongs to tool calls.
    """
    sent: dict[str, object] = {
        "role": message["role"],
        "content": well_formed(message["content"]),
    }
    if "tool_call_id" in message:
        sent["tool_call_id"] = message["tool_call_id"]

    calls: list[dict[str, object]] = []
    for call in message.get("tool_calls", ()):
        function = {"name": call.name, "arguments": well_formed(call.arguments)}
        calls.append({"id": call.id, "type": "function", "function": function})

    thoughts = message.get("thinking", ()) if thinking != "none" else ()
    for thought in thoughts:
        # Gemini signs each call, and wants each signature back with its call.
        signatures = thought.get(SIGNATURES, ())
        for sent_call, signature in zip(calls, signatures, strict=False):
            if signature:
                sent_call["extra_content"] = signature
        # The other fields belong to the message. Most endpoints only want them if it has calls.
        if calls or thinking == "reasoning_content":
            for name, value in thought.items():
                if name != SIGNATURES:
                    sent[name] = value

    if calls:
        sent["tool_calls"] = calls
    return sent


def response_items(
    message: Message, *, sends_thinking: bool
) -> list[Mapping[str, object]]:
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
