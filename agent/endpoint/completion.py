"""The JSON of a chat completion as endpoints send it, and the reply that it holds."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any, Final

from pydantic import AliasPath, BeforeValidator, Field

from agent.endpoint.endpoint_settings import ThinkingBack
from agent.endpoint.wire_values import Count, Dollars, Wire, Word, document_of, finish_reasons
from agent.model.model_protocol import Reply, Thought, ToolCall, Usage

SIGNATURES: Final = "extra_contents"
"""Where a thought keeps what tool calls carry beside themselves (signatures of thoughts), in the calls' order."""
_TEXT_PARTS: Final = ("text", "output_text")
"""Kinds of the parts of a message that are said; others are thoughts, pictures, sounds."""


def _joined(content: object) -> object:
    """Return the text of a message's content that is a list of parts; other content as it is."""
    if not isinstance(content, list):
        return content
    parts = [{"text": each} if isinstance(each, str) else each for each in content]
    texts = [each.get("text") for each in parts if isinstance(each, dict) and each.get("type", "text") in _TEXT_PARTS]
    return "".join(each for each in texts if isinstance(each, str))


def _as_text(arguments: object) -> object:
    """Return a call's arguments as JSON text, which some servers send as the object itself."""
    return json.dumps(arguments) if isinstance(arguments, dict) else arguments


def _mapping(value: object) -> object:
    return value if isinstance(value, dict) else {}


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
    prompt_tokens_details: Annotated[dict[str, Any], BeforeValidator(_mapping)] = Field(default_factory=dict)
    completion_tokens_details: Annotated[dict[str, Any], BeforeValidator(_mapping)] = Field(default_factory=dict)
    cost: Dollars = None

    def counted(self) -> Usage:
        """Return the tokens under the names of the journal."""
        prompt, completion = _Details(**self.prompt_tokens_details), _Details(**self.completion_tokens_details)
        return Usage(
            prompt_tokens=self.prompt_tokens,
            completion_tokens=self.completion_tokens,
            cached_tokens=prompt.cached_tokens or self.prompt_cache_hit_tokens or self.cached_tokens,
            reasoning_tokens=completion.reasoning_tokens,
        )


class _Details(Wire):
    cached_tokens: Count = 0
    reasoning_tokens: Count = 0


class Completion(Wire):
    """The fields of a chat completion that are used."""

    choices: tuple[_Choice, ...] = Field(min_length=1)
    usage: Annotated[_Usage, BeforeValidator(_mapping)] = _Usage()
    provider: Word = ""


def reply_of(content: bytes, thinking_back: ThinkingBack = ThinkingBack.AUTO) -> Reply:
    """Return the first choice of a completion; what is no character in it is U+FFFD.

    Raises `ValueError` for anything else.
    """
    completion = Completion.model_validate(document_of(content))
    choice = completion.choices[0]
    said = choice.message
    finish_reason, native = finish_reasons(choice.finish_reason, choice.native_finish_reason)
    return Reply(
        text=said.content or "",
        tool_calls=tuple(
            ToolCall(name=each.name, arguments=each.arguments or "", id=each.id) for each in said.tool_calls or ()
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
        extras = [each.extra_content if isinstance(each.extra_content, Mapping) else None for each in said.tool_calls]
        if any(extras):
            thought[SIGNATURES] = extras
    return [thought] if thought else []
