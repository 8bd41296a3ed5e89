"""Reads the replies of both protocols, in every spelling that endpoints use. Raises `ValueError` for anything else."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from agent.endpoint.request_body import SIGNATURES, Api, ThinkingBack, well_formed
from agent.endpoint.usage import usage_of
from agent.model.model_protocol import Reply, Thought, ToolCall
from sandbox.interface import parse_json

NEEDED: Final = {Api.CHAT: "choices", Api.RESPONSES: "output"}
"""The list that a reply must have, by protocol."""
_TEXT_PARTS: Final = ("text", "output_text")
"""Kinds of message parts that are text; others are thoughts, pictures, sounds."""
_CUT: Final = re.compile(r"length|max_\w*tokens|token_limit|context_window", re.I)
_FILTERED: Final = re.compile(
    "content_filter|safety|recitation|blocklist|prohibited|spii|refusal|sensitive|guardrail", re.I
)


def reply_of(content: bytes, api: Api = Api.CHAT, thinking_back: ThinkingBack = ThinkingBack.AUTO) -> Reply:
    """Return the reply in a body, with U+FFFD for invalid characters. Raises `ValueError` with one line."""
    document = _document(content, api)
    if api is Api.RESPONSES:
        return _reply_of_response(document)
    return _reply_of_completion(document, thinking_back)


def _document(content: bytes, api: Api) -> Mapping[str, Any]:
    text = content.decode("utf-8-sig", errors="replace")
    if text.startswith(("data:", "event:")):
        msg = "the server streams, which was not asked for; switch streaming off there"
        raise ValueError(msg)
    if "\\ud" in text.lower():  # a lone surrogate, which models produce if a limit cuts an emoji in two
        text = well_formed(json.dumps(parse_json(text), ensure_ascii=False))
    document = parse_json(text)
    if isinstance(document, dict) and isinstance(document.get(NEEDED[api]), list):
        return document
    msg = f"it has no {NEEDED[api]}"
    raise ValueError(msg)


def _reply_of_completion(document: Mapping[str, Any], thinking_back: ThinkingBack) -> Reply:
    messages = [
        (choice, message)
        for choice in _objects(document.get("choices"))
        if isinstance(message := choice.get("message") or choice.get("delta"), dict)
    ]
    if not messages:
        msg = "its choices hold no message"
        raise ValueError(msg)
    # Of several choices the first counts that holds something.
    choice, said = min(messages, key=lambda pair: (not _holds_something(pair[1]), str(pair[0].get("index", ""))))
    given = [*_objects(said.get("tool_calls")), *_objects([{"function": said.get("function_call")}])]
    calls = [call for call in given if isinstance(call.get("function", call), dict)]
    finish_reason, native = finish_reasons(
        _word(choice.get("finish_reason")), _word(choice.get("native_finish_reason"))
    )
    usage, cost_usd = usage_of(document.get("usage"))
    return _with_its_text(
        Reply(
            text=_text(said.get("content")),
            tool_calls=tuple(_call(call.get("function", call), call.get("id")) for call in calls),
            reasoning=_word(said.get("reasoning")) or _word(said.get("reasoning_content")),
            thinking=tuple(_thoughts(said, calls, thinking_back)),
            usage=usage,
            finish_reason=finish_reason,
            native_finish_reason=native,
            cost_usd=cost_usd,
            provider=_word(document.get("provider")),
        ),
        refusal=_word(said.get("refusal")),
    )


def _reply_of_response(document: Mapping[str, Any]) -> Reply:
    items = list(_objects(document.get("output")))
    said = [part for item in items if item.get("type") == "message" for part in _parts(item.get("content"))]
    calls = tuple(_call(item, item.get("call_id")) for item in items if item.get("type") == "function_call")
    thoughts = [item for item in items if item.get("type") == "reasoning"]
    details, status = document.get("incomplete_details"), _word(document.get("status"))
    ended = _word(details.get("reason")) if isinstance(details, dict) else ""
    finish_reason, native = finish_reasons(ended or ("" if status == "completed" else status))
    usage, cost_usd = usage_of(document.get("usage"))
    return _with_its_text(
        Reply(
            text=_text(said),
            tool_calls=calls,
            reasoning="\n".join(
                _word(part.get("text"))
                for thought in thoughts
                for part in _parts(thought.get("summary") or thought.get("content"))
            ),
            thinking=tuple(thoughts) if calls else (),
            usage=usage,
            finish_reason=finish_reason,
            native_finish_reason=native,
            cost_usd=cost_usd,
            provider=_word(document.get("provider")),
        ),
        refusal="".join(_word(part.get("refusal")) for part in said),
    )


def _with_its_text(reply: Reply, refusal: str) -> Reply:
    """Return the reply with the text that stands elsewhere, if it has neither text nor calls: a refusal, or one whole
    object as its thinking, where a parser of thoughts took it for one."""
    if reply.text.strip() or reply.tool_calls:
        return reply
    if refusal:
        return reply.model_copy(update={"text": refusal, "finish_reason": "refusal", "native_finish_reason": ""})
    said = reply.reasoning.rpartition("</think>")[2].strip().removeprefix("```json").removesuffix("```")
    try:
        is_object = isinstance(json.loads(said, strict=False), dict)
    except (ValueError, RecursionError):
        is_object = False
    return reply.model_copy(update={"text": said}) if is_object else reply


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
