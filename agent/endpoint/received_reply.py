"""Reads the replies of both protocols, whole or streamed, in every spelling that endpoints use.

A reply of the Responses API and the chunks of a stream are read as the chat completion that says the same. Raises
`ValueError` for anything else.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any, Final

from agent.endpoint.request_body import SIGNATURES, Api, ThinkingBack, document_of
from agent.model.model_protocol import Reply, Thought, ToolCall
from agent.model.usage import finish_reasons, usage_of
from agent.reply import read_object

NEEDED: Final[Mapping[Api, str]] = {"chat": "choices", "responses": "output"}
"""The field that a reply must have, by protocol."""
_TEXT_PARTS: Final = ("text", "output_text")
"""Kinds of message parts that are text; others are thoughts, pictures, sounds."""
_STREAMED: Final = frozenset({"content", "reasoning", "reasoning_content", "refusal", "name", "arguments"})
"""Texts of a message that come in pieces."""


def reply_of(content: bytes, api: Api = "chat", thinking_back: ThinkingBack = "auto") -> Reply:
    """Return the reply in a body, with U+FFFD for invalid characters. Raises `ValueError` with one line."""
    document = document_of(content.decode("utf-8-sig", errors="replace"))
    if not isinstance(document, dict) or NEEDED[api] not in document:
        msg = f"it has no {NEEDED[api]}"
        raise ValueError(msg)
    choice, said = _choice(_choice_of_response(document) if api == "responses" else document.get("choices"))
    given = [*objects_of(said.get("tool_calls")), *objects_of([{"function": said.get("function_call")}])]
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
        thought = reasoning.rpartition("</think>")[2].strip().removeprefix("```json").removesuffix("```")
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
            if _text(message.get("content")).strip() or message.get("tool_calls") or message.get("function_call"):
                return choice, message
    return chosen


def _choice_of_response(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    items = list(objects_of(document.get("output")))
    thoughts = [item for item in items if item.get("type") == "reasoning"]
    parts = (part for thought in thoughts for part in _parts(thought.get("summary") or thought.get("content")))
    message = {
        "content": [part for item in items if item.get("type") == "message" for part in _parts(item.get("content"))],
        "tool_calls": [
            {"id": item.get("call_id"), "function": item} for item in items if item.get("type") == "function_call"
        ],
        "reasoning": "\n".join(_word(part.get("text")) for part in parts),
        "reasoning_items": thoughts,
    }
    details, status = document.get("incomplete_details"), _word(document.get("status"))
    ended = _word(details.get("reason")) if isinstance(details, dict) else ""
    return [{"message": message, "finish_reason": ended or ("" if status == "completed" else status)}]


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
    return "".join(_word(part.get("text")) for part in _parts(content) if part.get("type", "text") in _TEXT_PARTS)


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


def _thoughts(said: Mapping[str, Any], calls: list[dict[str, Any]], text: str, back: ThinkingBack) -> list[Thought]:
    """Return the thinking that goes back: the text, or, beside tool calls, items, details and signatures."""
    thought: dict[str, object] = {"reasoning_content": text} if back == "reasoning_content" else {}
    if calls and "reasoning_items" in said:
        items: list[Thought] = said["reasoning_items"]
        return items
    if calls and back == "auto":
        extras = [extra if isinstance(extra := call.get("extra_content"), dict) else None for call in calls]
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
                if isinstance(delta := choice.get("delta"), dict) and (text := _word(delta.get("content"))):
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
            if line.startswith("data:") and isinstance(chunk := document_of(line[5:]), dict):
                yield chunk
