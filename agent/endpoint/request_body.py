"""Requests in the two protocols of endpoints, chat completions and OpenAI's Responses API: settings, reply modes and
bodies. Nothing is stored at an endpoint.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

import httpx2

from agent.model.model_protocol import TOOL_NAME, Capabilities, Message, ModelRequest, ReplyMode, Tool
from agent.model.wrapped_models import OPENAI_URL
from agent.reply import read_object, well_formed
from sandbox.interface import parse_json

TAKES: Final = {ReplyMode.SCHEMA: "takes_schema", ReplyMode.TOOL: "takes_tools", ReplyMode.JSON: "takes_json"}
"""The capability that a reply mode needs."""
BOUNDS: Final = frozenset({"maxItems", "maxLength", "minItems", "minLength"})
"""Keywords of a schema that bound lengths."""
SIGNATURES: Final = "extra_contents"
"""The key under which a thought keeps the extra contents of tool calls (signatures), in the calls' order."""


Api: TypeAlias = Literal["chat", "responses"]
"""The protocol of requests: chat completions, or OpenAI's Responses API."""
ThinkingBack: TypeAlias = Literal["auto", "reasoning_content", "none"]
"""The part of a model's thinking that is sent back with the model's own message: what the protocol asks for (reasoning
items, details and signatures beside tool calls); every message's `reasoning_content`, for models that continue thinking
between their turns; or nothing."""


@dataclass(frozen=True, slots=True)
class EndpointSettings:
    """One model at one endpoint. The key and the headers are secrets and are never shown."""

    model: str
    base_url: str | None = field(default=None, repr=False)
    """None for the vendor's own address."""
    api_key: str = field(default="", repr=False)
    api: Api = "chat"
    reply_mode: ReplyMode | None = None
    """None for the best one that the endpoint takes."""
    max_output_tokens: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    seed: int | None = None
    reasoning_effort: str = ""
    thinking_back: ThinkingBack = "auto"
    timeout_s: float = 180.0
    """Seconds that one request may take."""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Further headers of every request."""
    secrets: tuple[str, ...] = field(default=(), repr=False)
    """Values of headers that are never shown."""
    body: Mapping[str, object] = field(default_factory=dict, repr=False)
    """Further fields of every request's body; they take precedence."""

    @property
    def shown_url(self) -> str:
        """The address without the parts that may be secret: user, password, query."""
        url = httpx2.URL(self.base_url or OPENAI_URL)
        return str(url.copy_with(username=None, password=None, query=None, fragment=None))


def document_of(text: str) -> Any:
    """Return the JSON document in a text of an endpoint. Raises `ValueError` with one line."""
    if "\\ud" in text.lower():  # a lone surrogate, which models produce if a limit cuts an emoji in two
        text = well_formed(json.dumps(parse_json(text), ensure_ascii=False))
    return parse_json(text)


def form_of(request: ModelRequest, preferred: ReplyMode | None, capabilities: Capabilities) -> ReplyMode:
    """Return the reply mode for `request`: the best one, from the preferred one on, that is not known to be refused."""
    ladder: list[ReplyMode] = list(ReplyMode)
    if request.schema is None:
        ladder = [ReplyMode.TOOL if request.tools else ReplyMode.TEXT]
    elif request.tools:
        ladder = ladder[1:]
    elif not request.schema:
        ladder = ladder[2:]
    elif preferred is ReplyMode.TOOL:
        ladder = [ReplyMode.TOOL]
    elif preferred is ReplyMode.SCHEMA:
        ladder.remove(ReplyMode.TOOL)
    ladder = ladder[ladder.index(preferred) :] if preferred in ladder else ladder
    return next((mode for mode in ladder if getattr(capabilities, TAKES.get(mode, ""), True)), ladder[-1])


def _tools_of(request: ModelRequest, capabilities: Capabilities) -> tuple[tuple[Tool, ...], str | None]:
    """Return the tools of a request, and the call to ask for: a tool's name, `required`, or None."""
    tools, choice = tuple(request.tools), request.tool_choice
    if not tools:
        schema = dict(request.schema or {})
        tools, choice = (Tool(name=TOOL_NAME, description="Run one Python script.", parameters=schema),), TOOL_NAME
    if choice is None or (choice != "required" and capabilities.takes_named_tool):
        return tools, choice
    return tools, "required" if capabilities.takes_required_tool else None


def _without_bounds(schema: Mapping[str, object]) -> Mapping[str, object]:
    kept: dict[str, object] = json.loads(
        json.dumps(schema), object_hook=lambda part: {name: part[name] for name in part.keys() - BOUNDS}
    )
    return kept


def body_of(
    settings: EndpointSettings, request: ModelRequest, mode: ReplyMode, capabilities: Capabilities
) -> dict[str, object]:
    """Return the whole body of a request in `mode`.

    Leaves out fields that have no value or that the endpoint is known to refuse; fields that the owner adds may be
    empty.
    """
    is_tool = mode is ReplyMode.TOOL
    messages = request.messages if is_tool else plain_messages(request.messages)
    tools, choice = _tools_of(request, capabilities) if is_tool else ((), None)
    functions = [tool.model_dump(include={"name", "description", "parameters"}) for tool in tools]
    form: dict[str, object] | None = {"type": "json_object"} if mode is ReplyMode.JSON else None
    asked = (request.schema or {}) if capabilities.takes_bounds else _without_bounds(request.schema or {})
    schema = {"name": "action", "schema": asked} | ({"strict": True} if capabilities.takes_strict else {})
    goes_back = settings.thinking_back != "none"
    if settings.api == "chat":
        parts: dict[str, object] = {
            "messages": [chat_message(message, settings.thinking_back) for message in messages],
            "response_format": {"type": "json_schema", "json_schema": schema} if mode is ReplyMode.SCHEMA else form,
            "tools": [{"type": "function", "function": function} for function in functions],
            "tool_choice": {"type": "function", "function": {"name": choice}},
            "reasoning_effort": settings.reasoning_effort,
        }
    else:
        form = {"type": "json_schema", **schema} if mode is ReplyMode.SCHEMA else form
        parts = {
            "input": [item for message in messages for item in _items(message, goes_back=goes_back)],
            "store": False,
            # Nothing is stored, so thoughts can go back only if replies bring them, encrypted.
            "include": ["reasoning.encrypted_content"] if goes_back and request.tools else None,
            "text": {"format": form} if form else None,
            "tools": [{"type": "function", "strict": False} | function for function in functions],
            "tool_choice": {"type": "function", "name": choice},
            "reasoning": {"effort": settings.reasoning_effort} if settings.reasoning_effort else None,
        }
    body = {
        "model": settings.model,
        **parts,
        "tool_choice": choice if choice in (None, "required") else parts["tool_choice"],
        capabilities.length_field: settings.max_output_tokens,
        "parallel_tool_calls": True if request.tools else None,
        "temperature": settings.temperature,
        "top_p": settings.top_p,
        "seed": settings.seed,
        **settings.body,
    }
    return {
        name: value
        for name, value in body.items()
        if name and name not in capabilities.refused and (value not in (None, "", []) or name in settings.body)
    }


def plain_messages(messages: Sequence[Message]) -> Sequence[Message]:
    """Return messages without calls and results: calls become JSON text, and the results after them a user message."""
    if not any(message.get("tool_calls") or message["role"] == "tool" for message in messages):
        return messages
    plain: list[Message] = []
    names: dict[str, str] = {}
    for message in messages:
        calls = message.get("tool_calls", ())
        names |= {call.id: call.name for call in calls}
        content = message["content"]
        if calls:
            read = [(call, read_object(call.arguments or "{}")) for call in calls]
            written = [{"name": call.name, "arguments": call.arguments if got is None else got} for call, got in read]
            content = json.dumps({"calls": written}, ensure_ascii=False)
        elif message["role"] == "tool":
            content = f'<result of="{names.get(message.get("tool_call_id", ""), "")}">\n{content}\n</result>\n'
        role = "user" if message["role"] == "tool" else message["role"]
        if plain and role == "user" and plain[-1]["role"] == "user":
            plain[-1] = Message(role="user", content=plain[-1]["content"] + content)
        else:
            plain.append(Message(role=role, content=content))
    return plain


def chat_message(message: Message, thinking: ThinkingBack = "none") -> dict[str, object]:
    """Return a message as chat completions take it."""
    sent: dict[str, object] = {"role": message["role"], "content": well_formed(message["content"])}
    calls: list[dict[str, object]] = [
        {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": well_formed(call.arguments)}}
        for call in message.get("tool_calls", ())
    ]
    if "tool_call_id" in message:
        sent["tool_call_id"] = message["tool_call_id"]
    for thought in message.get("thinking", ()) if thinking != "none" else ():
        if calls or thinking == "reasoning_content":
            sent |= {name: value for name, value in thought.items() if name != SIGNATURES}
        for call, signature in zip(calls, thought.get(SIGNATURES, ()), strict=False):
            call |= {"extra_content": signature} if signature else {}
    return sent | ({"tool_calls": calls} if calls else {})


def _items(message: Message, *, goes_back: bool) -> Iterator[dict[str, object]]:
    calls, content = message.get("tool_calls", ()), well_formed(message["content"])
    if message["role"] == "tool":
        yield {"type": "function_call_output", "call_id": message.get("tool_call_id", ""), "output": content}
        return
    if calls and goes_back:
        yield from message.get("thinking", ())
    if content or not calls:
        yield {"role": message["role"], "content": content}
    for call in calls:
        arguments = well_formed(call.arguments)
        yield {"type": "function_call", "call_id": call.id, "name": call.name, "arguments": arguments}
