"""The JSON of a chat completion as endpoints send it, and the reply that it holds."""

from __future__ import annotations

import json
from typing import Annotated, Final

from pydantic import AliasPath, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from agent.model.model_protocol import Reply, ToolCall, Usage

_TEXT_PARTS: Final = ("text", "output_text")
"""Kinds of the parts of a message that are said; others are thoughts, pictures, sounds."""


def _joined(content: object) -> object:
    """Return the text of a message's content that is a list of parts; other content as it is."""
    if not isinstance(content, list):
        return content
    parts = [{"text": each} if isinstance(each, str) else each for each in content]
    texts = [each.get("text") for each in parts if isinstance(each, dict) and each.get("type", "text") in _TEXT_PARTS]
    return "".join(each for each in texts if isinstance(each, str))


class _Wire(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class _ToolCall(_Wire):
    name: Annotated[str, Field(validation_alias=AliasPath("function", "name"))] = ""
    arguments: Annotated[str | None, Field(validation_alias=AliasPath("function", "arguments"))] = None


class _SaidMessage(_Wire):
    content: Annotated[str | None, BeforeValidator(_joined)] = None
    reasoning: str | None = None
    reasoning_content: str | None = None
    tool_calls: tuple[_ToolCall, ...] | None = None


class _Choice(_Wire):
    message: _SaidMessage
    finish_reason: str | None = None


class _Usage(_Wire):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: Annotated[
        int | None, Field(validation_alias=AliasPath("prompt_tokens_details", "cached_tokens"))
    ] = None
    reasoning_tokens: Annotated[
        int | None, Field(validation_alias=AliasPath("completion_tokens_details", "reasoning_tokens"))
    ] = None
    cost: float | None = None


class Completion(_Wire):
    """The fields of a chat completion that are used."""

    choices: tuple[_Choice, ...] = Field(min_length=1)
    usage: _Usage | None = None


def well_formed(text: str) -> str:
    """Return `text` with U+FFFD for every half of a surrogate pair that stands alone, which UTF-8 has no bytes for."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def reply_of(content: bytes) -> Reply:
    """Return the first choice of a completion; what is no character in it is U+FFFD.

    Raises pydantic's `ValidationError` for anything else.
    """
    completion = _completion(content)
    choice = completion.choices[0]
    said, used = choice.message, completion.usage or _Usage()
    return Reply(
        text=said.content or "",
        tool_calls=tuple(ToolCall(name=each.name, arguments=each.arguments or "") for each in said.tool_calls or ()),
        reasoning=said.reasoning or said.reasoning_content or "",
        usage=Usage(
            prompt_tokens=used.prompt_tokens or 0,
            completion_tokens=used.completion_tokens or 0,
            cached_tokens=used.cached_tokens or 0,
            reasoning_tokens=used.reasoning_tokens or 0,
        ),
        finish_reason=choice.finish_reason or "stop",
        cost_usd=used.cost,
    )


def _completion(content: bytes) -> Completion:
    try:
        return Completion.model_validate_json(content)
    except ValidationError:
        try:
            # Python's own reader takes lone surrogates, which models produce if a limit cuts an emoji in two.
            document = json.dumps(json.loads(content.decode(errors="replace")), ensure_ascii=False)
        except (ValueError, RecursionError):
            document = ""
        if not document:
            raise
        return Completion.model_validate_json(well_formed(document))
