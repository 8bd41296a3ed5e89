"""OpenAI's Responses API: the body of a request, and the reply in a response. Nothing is stored at the endpoint."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from agent.endpoint.chat_completions import whole_body
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
from agent.model.model_protocol import Capabilities, Message, ModelRequest, Reply, ReplyMode, ToolCall, Usage


def responses_body(
    settings: EndpointSettings, request: ModelRequest, mode: ReplyMode, known: Capabilities
) -> dict[str, object]:
    """Return the whole body of a request in `mode`, without what the endpoint is known to refuse."""
    tools, choice = tools_of(request, mode)
    asked = choice_of(choice, known)
    goes_back = settings.thinking_back is not ThinkingBack.NONE
    parts: dict[str, object] = {
        "input": [item for message in request.messages for item in _items(message, goes_back=goes_back)],
        "store": False,
        # Without storage, thoughts can go back only if they come along, sealed.
        "include": ["reasoning.encrypted_content"] if goes_back and request.tools else None,
        "text": _format(request, mode, known),
        "tools": [
            {"type": "function", "strict": False} | tool.model_dump(include={"name", "description", "parameters"})
            for tool in tools
        ],
        "tool_choice": asked if asked in (None, "required") else {"type": "function", "name": asked},
        "reasoning": {"effort": settings.reasoning_effort} if settings.reasoning_effort else None,
    }
    return whole_body(parts, settings, request, known)


def _format(request: ModelRequest, mode: ReplyMode, known: Capabilities) -> dict[str, object] | None:
    if mode is ReplyMode.SCHEMA:
        strict = {"strict": True} if known.takes_strict else {}
        return {"format": {"type": "json_schema", "name": "action", "schema": schema_of(request, known)} | strict}
    return {"format": {"type": "json_object"}} if mode is ReplyMode.JSON else None


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


class _Part(Wire):
    type: Word = ""
    text: Word = ""
    refusal: Word = ""


class _Item(Wire):
    type: Word = ""
    content: tuple[_Part, ...] | None = None
    summary: tuple[_Part, ...] | None = None
    name: str = ""
    arguments: str = ""
    call_id: Word = ""


class _Usage(Wire):
    input_tokens: Count = 0
    output_tokens: Count = 0
    input_tokens_details: Details = TokenDetails()
    output_tokens_details: Details = TokenDetails()
    cost: Dollars = None


class _Incomplete(Wire):
    reason: Word = ""


class Response(Wire):
    """The fields of a response that are used."""

    output: tuple[dict[str, Any], ...]
    status: Word = ""
    incomplete_details: Annotated[_Incomplete, BeforeValidator(mapping)] = _Incomplete()
    usage: Annotated[_Usage, BeforeValidator(mapping)] = Field(default_factory=_Usage)
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
    used = response.usage
    ended = response.incomplete_details.reason or (
        "refusal" if any(part.refusal for part in said) else "" if response.status == "completed" else response.status
    )
    finish_reason, native = finish_reasons(ended)
    return Reply(
        text="".join(part.text for part in said),
        tool_calls=calls,
        reasoning="\n".join(part.text for thought in thoughts for part in thought),
        thinking=tuple(item for item in response.output if item.get("type") == "reasoning") if calls else (),
        usage=Usage(
            prompt_tokens=used.input_tokens,
            completion_tokens=used.output_tokens,
            cached_tokens=used.input_tokens_details.cached_tokens,
            reasoning_tokens=used.output_tokens_details.reasoning_tokens,
        ),
        finish_reason=finish_reason,
        native_finish_reason=native,
        cost_usd=used.cost,
        provider=response.provider,
    )
