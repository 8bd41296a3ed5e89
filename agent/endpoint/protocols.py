"""The two protocols of endpoints, chat completions and OpenAI's Responses API: settings and bodies of requests, and the
replies in every spelling that endpoints use. Nothing is stored at an endpoint.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, Any, Final, TypeAlias

import httpx2
from pydantic import (
    AliasChoices,
    AliasPath,
    BeforeValidator,
    Field,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)

from agent.model.model_protocol import (
    TOOL_NAME,
    Capabilities,
    Message,
    ModelRequest,
    Received,
    Reply,
    ReplyMode,
    Thought,
    Tool,
    ToolCall,
    Usage,
)
from agent.model.wrapped_models import OPENAI_URL
from sandbox.interface import parse_json

TAKES: Final = {ReplyMode.SCHEMA: "takes_schema", ReplyMode.TOOL: "takes_tools", ReplyMode.JSON: "takes_json"}
"""The capability that a reply mode needs."""
BOUNDS: Final = ("maxItems", "maxLength", "minItems", "minLength")
"""Keywords of a schema that bound lengths."""
SIGNATURES: Final = "extra_contents"
"""The key under which a thought keeps the extra contents of tool calls (signatures), in the calls' order."""
_TEXT_PARTS: Final = ("text", "output_text")
"""Kinds of message parts that are text; others are thoughts, pictures, sounds."""
_CUT: Final = re.compile(r"length|max_\w*tokens|token_limit|context_window", re.I)
_FILTERED: Final = re.compile(
    "content_filter|safety|recitation|blocklist|prohibited|spii|refusal|sensitive|guardrail", re.I
)


class Api(StrEnum):
    """The protocol of requests to an endpoint."""

    CHAT = "chat"
    """Chat completions."""
    RESPONSES = "responses"
    """OpenAI's Responses API."""


class ThinkingBack(StrEnum):
    """The part of a model's thinking that is sent back with the model's own message."""

    AUTO = "auto"
    """The parts that the protocol asks for: reasoning items, details and signatures beside tool calls."""
    CONTENT = "reasoning_content"
    """Every message's `reasoning_content`, for models that continue thinking between their turns."""
    NONE = "none"
    """Nothing."""


@dataclass(frozen=True, slots=True)
class EndpointSettings:
    """One model at one endpoint. The key and the headers are secrets and are never shown."""

    model: str
    base_url: str | None = None
    """None for the vendor's own address."""
    api_key: str = ""
    api: Api = Api.CHAT
    reply_mode: ReplyMode | None = None
    """None for the best one that the endpoint takes."""
    max_output_tokens: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    seed: int | None = None
    reasoning_effort: str = ""
    thinking_back: ThinkingBack = ThinkingBack.AUTO
    timeout_s: float = 180.0
    """Seconds that one request may take."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """Further headers of every request."""
    secrets: tuple[str, ...] = ()
    """Values of headers that are never shown."""
    body: Mapping[str, object] = field(default_factory=dict)
    """Further fields of every request's body; they take precedence."""

    def __repr__(self) -> str:
        return f"EndpointSettings(model={self.model!r}, base_url={self.shown_url!r})"

    @property
    def shown_url(self) -> str:
        """The address without the parts that may be secret: user, password, query."""
        url = httpx2.URL(self.base_url or OPENAI_URL)
        return str(url.copy_with(username=None, password=None, query=None, fragment=None))


def finish_reasons(said: str, native: str = "") -> tuple[str, str]:
    """Return why a reply ended, in one spelling for every vendor, and the vendor's own word if it differs."""
    for word in (said, native):
        kind = "length" if _CUT.search(word) else "content_filter" if _FILTERED.search(word) else ""
        if kind:
            return kind, native or (said if said != kind else "")
    return said or "stop", native if native != said else ""


def _or(default: object) -> WrapValidator:
    """Take `default` for a value of another kind, so that no reply is lost over it."""

    def validated(value: object, validate: ValidatorFunctionWrapHandler) -> object:
        try:
            return validate(value)
        except ValidationError:
            return default

    return WrapValidator(validated)


# A journal has no number that no run can reach.
Count: TypeAlias = Annotated[int, Field(strict=True, ge=0, le=10**9), _or(0)]
"""A number of tokens; 0 for anything else."""
Word: TypeAlias = Annotated[str, _or("")]
"""A text; empty for anything else."""


def document_of(content: bytes) -> object:
    """Return the JSON of a reply, with U+FFFD for invalid characters. Raises `ValueError` if it is not JSON."""
    text = content.decode(errors="replace")
    if "\\ud" in text.lower():  # a lone surrogate, which models produce if a limit cuts an emoji in two
        text = well_formed(json.dumps(parse_json(text), ensure_ascii=False))
    return parse_json(text)


def fault_of(error: ValueError) -> str:
    """Return in a few words where a reply is malformed."""
    if isinstance(error, ValidationError):
        fault = error.errors()[0]
        return f"{'.'.join(str(step) for step in fault['loc']) or 'body'}: {fault['msg']}"
    return f"body: {error}"


def well_formed(text: str) -> str:
    """Return `text` with U+FFFD for every lone surrogate, which UTF-8 cannot encode."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def _joined(content: object) -> object:
    """Return the text of a message's content that is a list of parts; other content as it is."""
    if not isinstance(content, list):
        return content
    parts = [{"text": part} if isinstance(part, str) else part for part in content]
    texts = [part.get("text") for part in parts if isinstance(part, dict) and part.get("type", "text") in _TEXT_PARTS]
    return "".join(text for text in texts if isinstance(text, str))


def _as_text(arguments: object) -> object:
    """Return a call's arguments as JSON text; some servers send the object itself."""
    return json.dumps(arguments) if isinstance(arguments, dict) else arguments


class _ToolCall(Received):
    id: Word = ""
    name: Annotated[str, Field(validation_alias=AliasPath("function", "name"))] = ""
    arguments: Annotated[
        str | None, BeforeValidator(_as_text), Field(validation_alias=AliasPath("function", "arguments"))
    ] = None
    extra_content: Any = None


class _SaidMessage(Received):
    content: Annotated[str | None, BeforeValidator(_joined)] = None
    reasoning: Word = ""
    reasoning_content: Word = ""
    reasoning_details: Any = None
    tool_calls: tuple[_ToolCall, ...] | None = None


class _Choice(Received):
    message: _SaidMessage
    finish_reason: Word = ""
    native_finish_reason: Word = ""


class _Usage(Received):
    """Tokens under the names of either protocol, and the cost in USD."""

    prompt_tokens: Count = Field(0, validation_alias=AliasChoices("prompt_tokens", "input_tokens"))
    completion_tokens: Count = Field(0, validation_alias=AliasChoices("completion_tokens", "output_tokens"))
    cached_tokens: Count = Field(
        0,
        validation_alias=AliasChoices(
            AliasPath("prompt_tokens_details", "cached_tokens"),
            AliasPath("input_tokens_details", "cached_tokens"),
            *("prompt_cache_hit_tokens", "cached_tokens"),
        ),
    )
    reasoning_tokens: Count = Field(
        0,
        validation_alias=AliasChoices(
            AliasPath("completion_tokens_details", "reasoning_tokens"),
            AliasPath("output_tokens_details", "reasoning_tokens"),
        ),
    )
    cost: Annotated[float | None, Field(strict=True, ge=0, le=10**9), _or(None)] = None

    def counted(self) -> Usage:
        """Return the tokens under the names of the journal."""
        return Usage(**self.model_dump(exclude={"cost"}))


_Used: TypeAlias = Annotated[_Usage, BeforeValidator(lambda value: value if isinstance(value, dict) else {})]


class Completion(Received):
    """The fields of a chat completion that are used."""

    choices: tuple[_Choice, ...] = Field(min_length=1)
    usage: _Used = Field({}, validate_default=True)
    provider: Word = ""


def reply_of(content: bytes, thinking_back: ThinkingBack = ThinkingBack.AUTO) -> Reply:
    """Return the first choice of a completion, with U+FFFD for invalid characters.

    Raises `ValueError` for anything else.
    """
    completion = Completion.model_validate(document_of(content))
    choice = completion.choices[0]
    said = choice.message
    finish_reason, native = finish_reasons(choice.finish_reason, choice.native_finish_reason)
    return Reply(
        text=said.content or "",
        tool_calls=tuple(
            ToolCall(name=tool_call.name, arguments=tool_call.arguments or "", id=tool_call.id)
            for tool_call in said.tool_calls or ()
        ),
        reasoning=said.reasoning or said.reasoning_content,
        thinking=tuple(_thoughts(said, thinking_back)),
        usage=completion.usage.counted(),
        finish_reason=finish_reason,
        native_finish_reason=native,
        cost_usd=completion.usage.cost,
        provider=completion.provider,
    )


def _thoughts(said: _SaidMessage, back: ThinkingBack) -> list[Thought]:
    """Return the thinking that goes back with the message: its text, or, beside tool calls, details and signatures."""
    thought: dict[str, object] = {}
    if back is ThinkingBack.CONTENT and (said.reasoning_content or said.reasoning):
        thought["reasoning_content"] = said.reasoning_content or said.reasoning
    if back is ThinkingBack.AUTO and said.tool_calls:
        if isinstance(said.reasoning_details, list) and said.reasoning_details:
            thought["reasoning_details"] = said.reasoning_details
        extras = [
            tool_call.extra_content if isinstance(tool_call.extra_content, Mapping) else None
            for tool_call in said.tool_calls
        ]
        if any(extras):
            thought[SIGNATURES] = extras
    return [thought] if thought else []


def counted(reply: Reply, sent_bytes: int) -> Usage:
    """Return the usage of a reply, estimated from bytes where the endpoint's count is missing, zero or absurd.

    `sent_bytes` is the length of the request's body. An estimated token has three bytes, fewer than in most texts, so
    that limits hold; a count that gives a token of a whole text more than 100 bytes is absurd.
    """
    usage = reply.usage
    calls = "".join(call.name + call.arguments for call in reply.tool_calls)
    received_bytes = len((reply.text + reply.reasoning + calls).encode(errors="replace"))
    sizes = {"prompt_tokens": sent_bytes, "completion_tokens": received_bytes}
    missing = {name: -(-size // 3) for name, size in sizes.items() if getattr(usage, name) * 100 < size}
    return usage.model_copy(update=missing | {"estimated": True}) if missing else usage


def form_of(request: ModelRequest, preferred: ReplyMode | None, capabilities: Capabilities) -> ReplyMode:
    """Return the reply mode for `request`: the best preferred one that is not known to be refused."""
    forms = _forms(request, preferred)
    return next((mode for mode in forms if getattr(capabilities, TAKES.get(mode, ""), True)), forms[-1])


def _forms(request: ModelRequest, preferred: ReplyMode | None) -> tuple[ReplyMode, ...]:
    """Return the reply modes to try, the best first; without a preferred one the choice is the endpoint's."""
    ladder: tuple[ReplyMode, ...] = tuple(ReplyMode)
    if request.schema is None:
        return (ReplyMode.TOOL,) if request.tools else (ReplyMode.TEXT,)
    if request.tools:
        ladder = ladder[1:]
    elif not request.schema:
        ladder = ladder[2:]
    elif preferred is ReplyMode.TOOL:
        return (ReplyMode.TOOL,)
    elif preferred is ReplyMode.SCHEMA:
        ladder = (ReplyMode.SCHEMA, ReplyMode.JSON, ReplyMode.TEXT)
    return ladder[ladder.index(preferred) :] if preferred in ladder else ladder


def _tools_of(
    request: ModelRequest, mode: ReplyMode, capabilities: Capabilities
) -> tuple[tuple[Tool, ...], str | None]:
    """Return the tools of a request in `mode`, and the call to ask for: a tool's name, `required`, or None."""
    if mode is not ReplyMode.TOOL:
        return (), None
    tools, choice = tuple(request.tools), request.tool_choice
    if not tools:
        schema = dict(request.schema or {})
        tools, choice = (Tool(name=TOOL_NAME, description="Run one Python script.", parameters=schema),), TOOL_NAME
    if choice is None or (choice != "required" and capabilities.takes_named_tool):
        return tools, choice
    return tools, "required" if capabilities.takes_required_tool else None


def schema_of(request: ModelRequest, capabilities: Capabilities) -> dict[str, object]:
    """Return the schema of a request, without bounds on lengths if the endpoint refuses them."""
    return dict(request.schema or {}) if capabilities.takes_bounds else _without_bounds(request.schema or {})


def _without_bounds(schema: Mapping[str, object]) -> dict[str, object]:
    return {
        name: _without_bounds(value) if isinstance(value, Mapping) else value
        for name, value in schema.items()
        if name not in BOUNDS
    }


def body_of(
    settings: EndpointSettings, request: ModelRequest, mode: ReplyMode, capabilities: Capabilities
) -> dict[str, object]:
    """Return the whole body of a request in `mode`.

    Leaves out fields that have no value or that the endpoint is known to refuse; fields that the owner adds may be
    empty.
    """
    tools, choice = _tools_of(request, mode, capabilities)
    functions = [tool.model_dump(include={"name", "description", "parameters"}) for tool in tools]
    form: dict[str, object] | None = {"type": "json_object"} if mode is ReplyMode.JSON else None
    schema: dict[str, object] = {"name": "action", "schema": schema_of(request, capabilities)}
    schema |= {"strict": True} if capabilities.takes_strict else {}
    goes_back = settings.thinking_back is not ThinkingBack.NONE
    if settings.api is Api.CHAT:
        parts: dict[str, object] = {
            "messages": [_sendable(message, settings.thinking_back) for message in request.messages],
            "response_format": {"type": "json_schema", "json_schema": schema} if mode is ReplyMode.SCHEMA else form,
            "tools": [{"type": "function", "function": function} for function in functions],
            "tool_choice": {"type": "function", "function": {"name": choice}},
            "reasoning_effort": settings.reasoning_effort,
        }
    else:
        form = {"type": "json_schema", **schema} if mode is ReplyMode.SCHEMA else form
        parts = {
            "input": [item for message in request.messages for item in _items(message, goes_back=goes_back)],
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
            content = json.dumps({"calls": list(map(_written, calls))}, ensure_ascii=False)
        elif message["role"] == "tool":
            content = f'<result of="{names.get(message.get("tool_call_id", ""), "")}">\n{content}\n</result>\n'
        role = "user" if message["role"] == "tool" else message["role"]
        if plain and role == "user" and plain[-1]["role"] == "user":
            plain[-1] = Message(role="user", content=plain[-1]["content"] + content)
        else:
            plain.append(Message(role=role, content=content))
    return plain


def _written(call: ToolCall) -> dict[str, object]:
    try:
        arguments = json.loads(call.arguments or "{}")
    except ValueError:
        arguments = call.arguments
    return {"name": call.name, "arguments": arguments}


def _sendable(message: Message, thinking: ThinkingBack) -> dict[str, object]:
    sent: dict[str, object] = {"role": message["role"], "content": well_formed(message["content"])}
    calls: list[dict[str, object]] = [
        {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": well_formed(call.arguments)}}
        for call in message.get("tool_calls", ())
    ]
    if "tool_call_id" in message:
        sent["tool_call_id"] = message["tool_call_id"]
    for thought in message.get("thinking", ()) if thinking is not ThinkingBack.NONE else ():
        if calls or thinking is ThinkingBack.CONTENT:
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


class _Part(Received):
    type: Word = ""
    text: Word = ""
    refusal: Word = ""


class _Item(Received):
    type: Word = ""
    content: tuple[_Part, ...] | None = None
    summary: tuple[_Part, ...] | None = None
    name: str = ""
    arguments: str = ""
    call_id: Word = ""


class Response(Received):
    """The fields of a response that are used."""

    output: tuple[dict[str, Any], ...]
    status: Word = ""
    ended_by: Word = Field("", validation_alias=AliasPath("incomplete_details", "reason"))
    usage: _Used = Field({}, validate_default=True)
    provider: Word = ""


def reply_of_response(content: bytes) -> Reply:
    """Return the reply that a response holds. Raises `ValueError` for anything else."""
    response = Response.model_validate(document_of(content))
    items = [_Item.model_validate(item) for item in response.output]
    said = [part for item in items if item.type == "message" for part in item.content or ()]
    calls = tuple(
        ToolCall(name=item.name, arguments=item.arguments, id=item.call_id)
        for item in items
        if item.type == "function_call"
    )
    thoughts = [item.summary or item.content or () for item in items if item.type == "reasoning"]
    ended = response.ended_by or (
        "refusal" if any(part.refusal for part in said) else "" if response.status == "completed" else response.status
    )
    finish_reason, native = finish_reasons(ended)
    return Reply(
        text="".join(part.text for part in said),
        tool_calls=calls,
        reasoning="\n".join(part.text for thought in thoughts for part in thought),
        thinking=tuple(item for item in response.output if item.get("type") == "reasoning") if calls else (),
        usage=response.usage.counted(),
        finish_reason=finish_reason,
        native_finish_reason=native,
        cost_usd=response.usage.cost,
        provider=response.provider,
    )
