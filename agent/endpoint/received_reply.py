"""Reads the replies of both protocols, in every spelling that endpoints use. Raises `ValueError` for anything else."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from agent.endpoint.request_body import SIGNATURES, Api, ThinkingBack, well_formed
from agent.model.model_protocol import Reply, Thought, ToolCall
from agent.model.usage import usage_of
from sandbox.interface import parse_json

NEEDED: Final = {Api.CHAT: "choices", Api.RESPONSES: "output"}
"""The field that a reply must have, by protocol."""
_TEXT_PARTS: Final = ("text", "output_text")
"""Kinds of message parts that are text; others are thoughts, pictures, sounds."""
_CUT: Final = re.compile(r"length|max_\w*tokens|token_limit|context_window", re.I)
_FILTERED: Final = re.compile(
    "content_filter|safety|recitation|blocklist|prohibited|spii|refusal|sensitive|guardrail", re.I
)


def reply_of(content: bytes, api: Api = Api.CHAT, thinking_back: ThinkingBack = ThinkingBack.AUTO) -> Reply:
    """Return the reply in a body, with U+FFFD for invalid characters. Raises `ValueError` with one line."""
    document = _document(content, api)
    said = _said_in_response(document) if api is Api.RESPONSES else _said_in_completion(document, thinking_back)
    usage, cost_usd = usage_of(document.get("usage"))
    finish_reason, native = finish_reasons(*said.ended)
    text = said.text
    if not (text.strip() or said.calls):
        text = said.refusal or _whole_object(said.reasoning) or text
    if said.refusal and text == said.refusal:
        finish_reason, native = "refusal", ""
    return Reply(
        text=text,
        tool_calls=said.calls,
        reasoning=said.reasoning,
        thinking=said.thinking,
        usage=usage,
        finish_reason=finish_reason,
        native_finish_reason=native,
        cost_usd=cost_usd,
        provider=_word(document.get("provider")),
    )


def _document(content: bytes, api: Api) -> Mapping[str, Any]:
    text = content.decode("utf-8-sig", errors="replace")
    if text.startswith(("data:", "event:")):
        msg = "the server streams, which was not asked for; switch streaming off there"
        raise ValueError(msg)
    if "\\ud" in text.lower():  # a lone surrogate, which models produce if a limit cuts an emoji in two
        text = well_formed(json.dumps(parse_json(text), ensure_ascii=False))
    document = parse_json(text)
    if isinstance(document, dict) and NEEDED[api] in document:
        return document
    msg = f"it has no {NEEDED[api]}"
    raise ValueError(msg)


@dataclass(frozen=True, slots=True)
class _Said:
    """What a reply says, in either protocol."""

    text: str
    refusal: str
    calls: tuple[ToolCall, ...]
    reasoning: str
    thinking: tuple[Thought, ...]
    ended: tuple[str, str]
    """The endpoint's word for why it ended, and the vendor's own."""


def _said_in_completion(document: Mapping[str, Any], back: ThinkingBack) -> _Said:
    messages = [
        (choice, message)
        for choice in _objects(document.get("choices"))
        if isinstance(message := choice.get("message") or choice.get("delta"), dict)
    ]
    # Of several choices the first counts that holds something; without one the reply is empty, and paid for.
    messages.sort(key=lambda pair: (not _holds_something(pair[1]), str(pair[0].get("index", ""))))
    choice, said = next(iter(messages), ({}, {}))
    given = [*_objects(said.get("tool_calls")), *_objects([{"function": said.get("function_call")}])]
    calls = [call for call in given if isinstance(call.get("function", call), dict)]
    return _Said(
        _text(said.get("content")),
        _word(said.get("refusal")) or _refusal(_parts(said.get("content"))),
        tuple(_call(call.get("function", call), call.get("id")) for call in calls),
        _word(said.get("reasoning")) or _word(said.get("reasoning_content")),
        tuple(_thoughts(said, calls, back)),
        (_word(choice.get("finish_reason")), _word(choice.get("native_finish_reason"))),
    )


def _said_in_response(document: Mapping[str, Any]) -> _Said:
    items = list(_objects(document.get("output")))
    said = [part for item in items if item.get("type") == "message" for part in _parts(item.get("content"))]
    calls = tuple(_call(item, item.get("call_id")) for item in items if item.get("type") == "function_call")
    thoughts = [item for item in items if item.get("type") == "reasoning"]
    details, status = document.get("incomplete_details"), _word(document.get("status"))
    ended = _word(details.get("reason")) if isinstance(details, dict) else ""
    parts = (part for thought in thoughts for part in _parts(thought.get("summary") or thought.get("content")))
    return _Said(
        _text(said),
        _refusal(said),
        calls,
        "\n".join(_word(part.get("text")) for part in parts),
        tuple(thoughts) if calls else (),
        (ended or ("" if status == "completed" else status), ""),
    )


def _whole_object(reasoning: str) -> str:
    """Return the object that is a reply's whole thinking, as a parser of thoughts leaves it; may be empty."""
    said = reasoning.rpartition("</think>")[2].strip().removeprefix("```json").removesuffix("```")
    try:
        return said if isinstance(json.loads(said, strict=False), dict) else ""
    except (ValueError, RecursionError):
        return ""


def finish_reasons(said: str, native: str = "") -> tuple[str, str]:
    """Return why a reply ended, in one spelling for every vendor, and the vendor's own word if it differs."""
    for word in (said, native):
        kind = "length" if _CUT.search(word) else "content_filter" if _FILTERED.search(word) else ""
        if kind:
            return kind, native or (said if said != kind else "")
    return said or "stop", native if native != said else ""


def _objects(value: object) -> Iterable[dict[str, Any]]:
    return (item for item in value if isinstance(item, dict)) if isinstance(value, list) else ()


def _word(value: object) -> str:
    """Return a text; empty for anything else."""
    return value if isinstance(value, str) else ""


def _parts(content: object) -> list[dict[str, Any]]:
    """Return the parts of a message's content: a text is one, and so is an object that should be a text."""
    if isinstance(content, dict):
        content = [content if "text" in content or "type" in content else json.dumps(content)]
    listed = content if isinstance(content, list) else [content]
    return list(_objects([{"text": part} if isinstance(part, str) else part for part in listed]))


def _text(content: object) -> str:
    return "".join(_word(part.get("text")) for part in _parts(content) if part.get("type", "text") in _TEXT_PARTS)


def _refusal(parts: Iterable[Mapping[str, Any]]) -> str:
    return "".join(_word(part.get("refusal")) for part in parts)


def _holds_something(message: Mapping[str, Any]) -> bool:
    return bool(_text(message.get("content")).strip() or message.get("tool_calls") or message.get("function_call"))


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


def _thoughts(said: Mapping[str, Any], calls: list[dict[str, Any]], back: ThinkingBack) -> list[Thought]:
    """Return the thinking that goes back with the message: its text, or, beside tool calls, details and signatures."""
    thought: dict[str, object] = {}
    text = _word(said.get("reasoning_content")) or _word(said.get("reasoning"))
    if back is ThinkingBack.CONTENT and text:
        thought["reasoning_content"] = text
    if back is ThinkingBack.AUTO and calls:
        if isinstance(details := said.get("reasoning_details"), list) and details:
            thought["reasoning_details"] = details
        extras = [extra if isinstance(extra := call.get("extra_content"), dict) else None for call in calls]
        if any(extras):
            thought[SIGNATURES] = extras
    return [thought] if thought else []
