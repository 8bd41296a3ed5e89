"""Chat completions: the body of a request, the JSON of a completion as endpoints send it, and the reply in it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any, Final

from pydantic import AliasPath, BeforeValidator, Field

from agent.endpoint.dialect import choice_of, schema_of, tools_of
from agent.endpoint.endpoint_settings import EndpointSettings, ThinkingBack
from agent.endpoint.wire_values import (
    Count,
    Details,
    Dollars,
    TokenDetails,
    Wire,
    Word,
    document_of,
    finish_reasons,
    mapping,
    well_formed,
)
from agent.model.model_protocol import Capabilities, Message, ModelRequest, Reply, ReplyMode, Thought, ToolCall, Usage

SIGNATURES: Final = "extra_contents"
"""Where a thought keeps what tool calls carry beside themselves (signatures of thoughts), in the calls' order."""
_TEXT_PARTS: Final = ("text", "output_text")
"""Kinds of message parts that are text; others are thoughts, pictures, sounds."""


def _joined(content: object) -> object:
    """Return the text of a message's content that is a list of parts; other content as it is."""
    if not isinstance(content, list):
        return content
    parts = [{"text": part} if isinstance(part, str) else part for part in content]
    texts = [part.get("text") for part in parts if isinstance(part, dict) and part.get("type", "text") in _TEXT_PARTS]
    return "".join(text for text in texts if isinstance(text, str))


def _as_text(arguments: object) -> object:
    """Return a call's arguments as JSON text, which some servers send as the object itself."""
    return json.dumps(arguments) if isinstance(arguments, dict) else arguments


class _ToolCall(Wire):
    id: Word = ""
    name: Annotated[str, Field(validation_alias=AliasPath("function", "name"))] = ""
    arguments: Annotated[
        str | None, BeforeValidator(_as_text), Field(validation_alias=AliasPath("function", "arguments"))
    ] = None
    extra_content: Any = None


class _SaidMessage(Wire):
    content: Annotated[str | None, BeforeValidator(_joined)] = None
    reasoning: Word = ""
    reasoning_content: Word = ""
    reasoning_details: Any = None
    tool_calls: tuple[_ToolCall, ...] | None = None


class _Choice(Wire):
    message: _SaidMessage
    finish_reason: Word = ""
    native_finish_reason: Word = ""


class _Usage(Wire):
    prompt_tokens: Count = 0
    completion_tokens: Count = 0
    cached_tokens: Count = 0
    prompt_cache_hit_tokens: Count = 0
    prompt_tokens_details: Details = TokenDetails()
    completion_tokens_details: Details = TokenDetails()
    cost: Dollars = None

    def counted(self) -> Usage:
        """Return the tokens under the names of the journal."""
        cached = self.prompt_tokens_details.cached_tokens or self.prompt_cache_hit_tokens or self.cached_tokens
        return Usage(
            prompt_tokens=self.prompt_tokens,
            completion_tokens=self.completion_tokens,
            cached_tokens=cached,
            reasoning_tokens=self.completion_tokens_details.reasoning_tokens,
        )


class Completion(Wire):
    """The fields of a chat completion that are used."""

    choices: tuple[_Choice, ...] = Field(min_length=1)
    usage: Annotated[_Usage, BeforeValidator(mapping)] = _Usage()
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
    """Return what goes back with the message: its content of thought, or, beside tool calls, details and signatures."""
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


def chat_body(
    settings: EndpointSettings, request: ModelRequest, mode: ReplyMode, known: Capabilities
) -> dict[str, object]:
    """Return the whole body of a request in `mode`, without what the endpoint is known to refuse."""
    tools, choice = tools_of(request, mode)
    asked = choice_of(choice, known)
    parts: dict[str, object] = {
        "messages": [_sendable(message, settings.thinking_back) for message in request.messages],
        "response_format": _format(request, mode, known),
        "tools": [
            {"type": "function", "function": tool.model_dump(include={"name", "description", "parameters"})}
            for tool in tools
        ],
        "tool_choice": asked if asked in (None, "required") else {"type": "function", "function": {"name": asked}},
        "reasoning_effort": settings.reasoning_effort,
    }
    return whole_body(parts, settings, request, known)


def whole_body(
    parts: Mapping[str, object], settings: EndpointSettings, request: ModelRequest, known: Capabilities
) -> dict[str, object]:
    """Return `parts` with the fields that both protocols have.

    Leaves out fields that have no value or that the endpoint refuses; those that the owner adds may be empty.
    """
    body = {
        "model": settings.model,
        **parts,
        known.length_field: settings.max_output_tokens,
        "parallel_tool_calls": True if request.tools else None,
        "temperature": settings.temperature,
        "top_p": settings.top_p,
        "seed": settings.seed,
        **settings.body,
    }
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
    calls = [_sendable_call(call) for call in message.get("tool_calls", ())]
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
