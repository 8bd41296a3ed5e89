"""Requests and replies in the two protocols of endpoints, chat completions and OpenAI's Responses API.

Replies are read whole or streamed, in every spelling that endpoints use, and with their usage: a reply of the Responses
API and the chunks of a stream as the chat completion that says the same. Nothing is stored at an endpoint.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

import httpx2

from controlplane.agent.endpoint.error_reply import LENGTH_KEYWORDS
from controlplane.agent.model import (
    OPENAI_URL,
    TOOL_NAME,
    Capabilities,
    Message,
    ModelRequest,
    Reply,
    ReplyMode,
    Thought,
    Tool,
    ToolCall,
    Usage,
)
from controlplane.agent.reply import read_object
from controlplane.sandbox.interface import bounds, parse_json, well_formed

TAKES: Final = {
    ReplyMode.SCHEMA: "takes_schema",
    ReplyMode.TOOL: "takes_tools",
    ReplyMode.JSON: "takes_json",
}
"""The capability that a reply mode needs."""
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


def form_of(
    request: ModelRequest, preferred: ReplyMode | None, capabilities: Capabilities
) -> ReplyMode:
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
    return next(
        (mode for mode in ladder if getattr(capabilities, TAKES.get(mode, ""), True)), ladder[-1]
    )


def _tools_of(
    request: ModelRequest, capabilities: Capabilities
) -> tuple[tuple[Tool, ...], str | None]:
    """Return the tools of a request, and the call to ask for: a tool's name, `required`, or None."""
    tools, choice = tuple(request.tools), request.tool_choice
    if not tools:
        schema = dict(request.schema or {})
        tools, choice = (
            (Tool(name=TOOL_NAME, description="Run one Python script.", parameters=schema),),
            TOOL_NAME,
        )
    if choice is None or (choice != "required" and capabilities.takes_named_tool):
        return tools, choice
    return tools, "required" if capabilities.takes_required_tool else None


def _without_bounds(schema: Mapping[str, object]) -> Mapping[str, object]:
    kept: dict[str, object] = json.loads(
        json.dumps(schema),
        object_hook=lambda part: {name: part[name] for name in part.keys() - LENGTH_KEYWORDS},
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
    asked = (
        (request.schema or {})
        if capabilities.takes_bounds
        else _without_bounds(request.schema or {})
    )
    schema = {"name": "action", "schema": asked} | (
        {"strict": True} if capabilities.takes_strict else {}
    )
    goes_back = settings.thinking_back != "none"
    if settings.api == "chat":
        parts: dict[str, object] = {
            "messages": [chat_message(message, settings.thinking_back) for message in messages],
            "response_format": {"type": "json_schema", "json_schema": schema}
            if mode is ReplyMode.SCHEMA
            else form,
            "tools": [{"type": "function", "function": function} for function in functions],
            "tool_choice": {"type": "function", "function": {"name": choice}},
            "reasoning_effort": settings.reasoning_effort,
        }
    else:
        form = {"type": "json_schema", **schema} if mode is ReplyMode.SCHEMA else form
        parts = {
            "input": [
                item for message in messages for item in _items(message, goes_back=goes_back)
            ],
            "store": False,
            # Nothing is stored, so thoughts can go back only if replies bring them, encrypted.
            "include": ["reasoning.encrypted_content"] if goes_back and request.tools else None,
            "text": {"format": form} if form else None,
            "tools": [{"type": "function", "strict": False} | function for function in functions],
            "tool_choice": {"type": "function", "name": choice},
            "reasoning": {"effort": settings.reasoning_effort}
            if settings.reasoning_effort
            else None,
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
        if name
        and name not in capabilities.refused
        and (value not in (None, "", []) or name in settings.body)
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
            written = [
                {"name": call.name, "arguments": call.arguments if got is None else got}
                for call, got in read
            ]
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
        {
            "id": call.id,
            "type": "function",
            "function": {"name": call.name, "arguments": well_formed(call.arguments)},
        }
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
        yield {
            "type": "function_call_output",
            "call_id": message.get("tool_call_id", ""),
            "output": content,
        }
        return
    if calls and goes_back:
        yield from message.get("thinking", ())
    if content or not calls:
        yield {"role": message["role"], "content": content}
    for call in calls:
        arguments = well_formed(call.arguments)
        yield {
            "type": "function_call",
            "call_id": call.id,
            "name": call.name,
            "arguments": arguments,
        }


_TOKENS: Final[Mapping[str, tuple[str, ...]]] = {
    # OpenAI's two protocols, the second of them also Anthropic's; Gemini; Ollama
    "prompt": ("prompt_tokens", "input_tokens", "promptTokenCount", "prompt_eval_count"),
    "completion": ("completion_tokens", "output_tokens", "candidatesTokenCount", "eval_count"),
    "total": ("total_tokens", "totalTokenCount"),
    # OpenAI; DeepSeek; Moonshot; Anthropic; Gemini
    "cached": (
        *(
            "prompt_tokens_details.cached_tokens",
            "input_tokens_details.cached_tokens",
            "prompt_cache_hit_tokens",
        ),
        *("cached_tokens", "cache_read_input_tokens", "cachedContentTokenCount"),
    ),
    "written": ("cache_creation_input_tokens",),
    "reasoning": (
        *("completion_tokens_details.reasoning_tokens", "output_tokens_details.reasoning_tokens"),
        *("reasoning_tokens", "thoughtsTokenCount"),
    ),
}
"""The names of each count, in the order in which they are looked up."""
_DOLLARS: Final[Mapping[str, float]] = {
    "cost": 1.0,  # https://openrouter.ai/docs/use-cases/usage-accounting
    "cost.total_cost": 1.0,  # Perplexity
    "total_cost": 1.0,
    "estimated_cost": 1.0,  # DeepInfra
    "cost_in_usd_ticks": 1e-10,  # https://docs.x.ai/developers/cost-tracking
}
"""The names of the cost, with the USD of one unit."""
_CUT: Final = (
    "length",
    "max_tokens",
    "max_output_tokens",
    "max_completion_tokens",
    "token_limit",
    "context_window",
)
_FILTERED: Final = (
    *(
        "content_filter",
        "safety",
        "recitation",
        "blocklist",
        "prohibited",
        "spii",
        "refusal",
        "sensitive",
    ),
    "guardrail",
)


def usage_of(given: object) -> tuple[Usage, float | None]:
    """Return the tokens of a reply and its cost in USD, None if it is not named.

    Vendors count cached tokens beside those of the prompt (Anthropic) and thinking beside the completion (xAI,
    Gemini); here both are parts. What a total names beyond prompt and completion is thinking.
    """
    if not isinstance(given, Mapping):
        return Usage(), None
    count = {
        name: next(filter(None, (_number(given, path) for path in paths)), 0)
        for name, paths in _TOKENS.items()
    }
    prompt, completion, total = count["prompt"], count["completion"], count["total"]
    beside = count["cached"] + count["written"]
    has_anthropic_names = (
        "input_tokens" in given and "cache_read_input_tokens" in given and not total
    )
    if (
        count["cached"] > prompt
        or (beside and total == prompt + completion + beside)
        or has_anthropic_names
    ):
        prompt += beside
    if total > prompt + completion and prompt:
        completion = total - prompt
    elif count["reasoning"] > completion:
        completion += count["reasoning"]
    dollars = (_number(given, path, unit) for path, unit in _DOLLARS.items())
    cost_usd = next((cost for cost in dollars if cost is not None), None)
    upstream = _number(given, "cost_details.upstream_inference_cost")
    if upstream and (
        given.get("is_byok") is True or not cost_usd
    ):  # the provider's own bill comes on top
        cost_usd = (cost_usd or 0.0) + upstream
    tokens = {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "cached_tokens": count["cached"],
        "reasoning_tokens": min(count["reasoning"], completion),
    }
    bounded = {name: min(int(number), bounds.MOST_USAGE) for name, number in tokens.items()}
    return Usage.model_validate(bounded), cost_usd


def _number(given: Mapping[str, object], path: str, unit: float = 1.0) -> float | None:
    """Return the number at a path, written as a number or a text; None if there is none from 0 to `MOST_USAGE`."""
    value: object = given
    for name in path.split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value) * unit
    except (ValueError, OverflowError):
        return None
    return number if 0 <= number <= bounds.MOST_USAGE else None


def counted(reply: Reply, sent_bytes: int, most_output: int | None) -> Usage:
    """Return the usage of a reply, estimated from bytes where the endpoint's count is missing, zero or absurd.

    `sent_bytes` is the length of the request's body. An estimated token has three bytes, fewer than in most texts, so
    that limits hold; a count that gives a token of a whole text more than 100 bytes is absurd. A reply that shows
    nothing, and is not counted, took at most `most_output` tokens.
    """
    usage = reply.usage
    calls = "".join(call.name + call.arguments for call in reply.tool_calls)
    received_bytes = len((reply.text + reply.reasoning + calls).encode(errors="replace"))
    sizes = {"prompt_tokens": sent_bytes, "completion_tokens": received_bytes}
    missing = {
        name: -(-size // 3) for name, size in sizes.items() if getattr(usage, name) * 100 < size
    }
    if not received_bytes and "prompt_tokens" in missing:
        missing["completion_tokens"] = usage.completion_tokens or most_output or 0
    return usage.model_copy(update=missing | {"estimated": True}) if missing else usage


def finish_reasons(said: str, native: str = "") -> tuple[str, str]:
    """Return why a reply ended, in one spelling for every vendor, and the vendor's own word if it differs."""
    for word in (said, native):
        is_cut, is_filtered = (
            any(name in word.lower() for name in names) for names in (_CUT, _FILTERED)
        )
        kind = "length" if is_cut else "content_filter" if is_filtered else ""
        if kind:
            return kind, native or (said if said != kind else "")
    return said or "stop", native if native != said else ""


NEEDED: Final[Mapping[Api, str]] = {"chat": "choices", "responses": "output"}
"""The field that a reply must have, by protocol."""
_TEXT_PARTS: Final = ("text", "output_text")
"""Kinds of message parts that are text; others are thoughts, pictures, sounds."""
_STREAMED: Final = frozenset(
    {"content", "reasoning", "reasoning_content", "refusal", "name", "arguments"}
)
"""Texts of a message that come in pieces."""


def reply_of(content: bytes, api: Api = "chat", thinking_back: ThinkingBack = "auto") -> Reply:
    """Return the reply in a body, with U+FFFD for invalid characters. Raises `ValueError` with one line."""
    document = parse_json(content.decode("utf-8-sig", errors="replace"))
    if not isinstance(document, dict) or NEEDED[api] not in document:
        msg = f"it has no {NEEDED[api]}"
        raise ValueError(msg)
    choice, said = _choice(
        _choice_of_response(document) if api == "responses" else document.get("choices")
    )
    given = [
        *objects_of(said.get("tool_calls")),
        *objects_of([{"function": said.get("function_call")}]),
    ]
    calls = [call for call in given if isinstance(call.get("function", call), dict)]
    reasoning = _word(said.get("reasoning_content")) or _word(said.get("reasoning"))
    usage, cost_usd = usage_of(document.get("usage"))
    ends = (_word(choice.get(name)) for name in ("finish_reason", "native_finish_reason"))
    finish_reason, native = finish_reasons(*ends)
    text = _text(said.get("content"))
    refusals = (_word(part.get("refusal")) for part in (said, *_parts(said.get("content"))))
    refusal = next(filter(None, refusals), "")
    if not (text.strip() or calls):
        # A parser of thoughts may leave the whole reply there.
        thought = (
            reasoning.rpartition("</think>")[2].strip().removeprefix("```json").removesuffix("```")
        )
        text = refusal or (thought if read_object(thought) else text)
    if refusal and text == refusal:
        finish_reason, native = "refusal", ""
    return Reply(
        text=text,
        tool_calls=tuple(_call(call.get("function", call), call.get("id")) for call in calls),
        reasoning=reasoning,
        thinking=tuple(_thoughts(said, calls, reasoning, thinking_back)),
        usage=usage,
        finish_reason=finish_reason,
        native_finish_reason=native,
        cost_usd=cost_usd,
        provider=_word(document.get("provider")),
    )


def _choice(choices: object) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the first choice that holds something, and its message; without one both are empty, and paid for."""
    chosen: tuple[dict[str, Any], dict[str, Any]] = {}, {}
    for choice in sorted(objects_of(choices), key=lambda one: str(one.get("index", ""))):
        if isinstance(message := choice.get("message") or choice.get("delta"), dict):
            chosen = chosen if chosen[1] else (choice, message)
            if (
                _text(message.get("content")).strip()
                or message.get("tool_calls")
                or message.get("function_call")
            ):
                return choice, message
    return chosen


def _choice_of_response(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    items = list(objects_of(document.get("output")))
    thoughts = [item for item in items if item.get("type") == "reasoning"]
    parts = (
        part
        for thought in thoughts
        for part in _parts(thought.get("summary") or thought.get("content"))
    )
    message = {
        "content": [
            part
            for item in items
            if item.get("type") == "message"
            for part in _parts(item.get("content"))
        ],
        "tool_calls": [
            {"id": item.get("call_id"), "function": item}
            for item in items
            if item.get("type") == "function_call"
        ],
        "reasoning": "\n".join(_word(part.get("text")) for part in parts),
        "reasoning_items": thoughts,
    }
    details, status = document.get("incomplete_details"), _word(document.get("status"))
    ended = _word(details.get("reason")) if isinstance(details, dict) else ""
    return [
        {"message": message, "finish_reason": ended or ("" if status == "completed" else status)}
    ]


def objects_of(value: object) -> Iterable[dict[str, Any]]:
    """Return the objects of a list; nothing of anything else."""
    return (item for item in value if isinstance(item, dict)) if isinstance(value, list) else ()


def _word(value: object) -> str:
    """Return a text; empty for anything else."""
    return value if isinstance(value, str) else ""


def _parts(content: object) -> list[dict[str, Any]]:
    """Return the parts of a message's content: a text is one, and so is an object that should be a text."""
    if isinstance(content, dict):
        content = [content if "text" in content or "type" in content else json.dumps(content)]
    listed = content if isinstance(content, list) else [content]
    return list(objects_of([{"text": part} if isinstance(part, str) else part for part in listed]))


def _text(content: object) -> str:
    return "".join(
        _word(part.get("text"))
        for part in _parts(content)
        if part.get("type", "text") in _TEXT_PARTS
    )


def _call(function: Mapping[str, Any], number: object) -> ToolCall:
    """Return a call under its tool's name: models put a channel's mark behind it (`look<|channel|>json`), a namespace
    before it (`functions.look`), or a number behind that (`functions.look:0`). Some servers send arguments as objects.
    """
    name = _word(function.get("name")).partition("<|")[0].strip().removeprefix("functions.")
    head, _, place = name.rpartition(":")
    arguments = function.get("arguments")
    return ToolCall(
        name=head if place.isdigit() else name,
        arguments=json.dumps(arguments) if isinstance(arguments, dict | list) else _word(arguments),
        id=_word(number),
    )


def _thoughts(
    said: Mapping[str, Any], calls: list[dict[str, Any]], text: str, back: ThinkingBack
) -> list[Thought]:
    """Return the thinking that goes back: the text, or, beside tool calls, items, details and signatures."""
    thought: dict[str, object] = {"reasoning_content": text} if back == "reasoning_content" else {}
    if calls and "reasoning_items" in said:
        items: list[Thought] = said["reasoning_items"]
        return items
    if calls and back == "auto":
        extras = [
            extra if isinstance(extra := call.get("extra_content"), dict) else None
            for call in calls
        ]
        details = list(objects_of(said.get("reasoning_details")))
        thought = {"reasoning_details": details, SIGNATURES: extras if any(extras) else None}
    thought = {name: value for name, value in thought.items() if value}
    return [thought] if thought else []


def text_feed(on_text: Callable[[str], None]) -> Callable[[bytes], None]:
    """Return what takes the bytes of a stream and hands on the text in its whole chunks."""
    rest = b""

    def take(part: bytes) -> None:
        nonlocal rest
        whole, newline, rest = (rest + part).rpartition(b"\n")
        for chunk in _chunks(whole + newline):
            for choice in objects_of(chunk.get("choices")):
                if isinstance(delta := choice.get("delta"), dict) and (
                    text := _word(delta.get("content"))
                ):
                    on_text(text)

    return take


def whole_completion(content: bytes) -> bytes:
    """Return the completion that the chunks of a stream make; other content as it is. Raises `ValueError` for a stream
    that was cut off."""
    if not content.lstrip().startswith((b"data:", b"event:", b":")):
        return content
    whole: dict[str, Any] = {}
    for chunk in _chunks(content):
        _join(whole, chunk)
    ends = (choice.get("finish_reason") for choice in objects_of(whole.get("choices")))
    if "error" not in whole and b"[DONE]" not in content[-200:] and not any(ends):
        msg = "the stream was cut off"
        raise ValueError(msg)
    return json.dumps(whole).encode()


def _join(held: dict[str, Any], piece: Mapping[str, Any]) -> None:
    """Add a piece of a stream: its choices and calls join those of the same index."""
    for key, value in piece.items():
        if key in ("choices", "tool_calls"):
            known = held.setdefault(key, [])
            for item in objects_of(value):
                place = item.get("index") or 0
                same = next((one for one in known[:100] if one["index"] == place), None)
                if same is None:
                    known.append(same := {"index": place})
                _join(same, item)
        elif isinstance(value, str) and key in _STREAMED:
            held[key] = f"{held.get(key) or ''}{value}"
        elif isinstance(value, dict) and isinstance(inner := held.setdefault(key, {}), dict):
            _join(inner, value)
        elif value and not isinstance(value, list):
            held[key] = value


def _chunks(content: bytes) -> Iterator[dict[str, Any]]:
    for line in content.decode("utf-8", "replace").split("\n"):
        with suppress(ValueError):
            if line.startswith("data:") and isinstance(chunk := parse_json(line[5:]), dict):
                yield chunk
