"""Reads the replies of both protocols, whole or streamed, in every spelling that endpoints use.

A reply of the Responses API and the chunks of a stream are read as the chat completion that says the same. Raises
`ValueError` for anything else.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from agent.endpoint.request_body import SIGNATURES, Api, ThinkingBack, document_of
from agent.model.model_protocol import Reply, Thought, ToolCall
from agent.model.usage import finish_reasons, usage_of
from agent.reply.reply_parser import read_object

NEEDED: Final = {Api.CHAT: "choices", Api.RESPONSES: "output"}
"""The field that a reply must have, by protocol."""
_TEXT_PARTS: Final = ("text", "output_text")
"""Kinds of message parts that are text; others are thoughts, pictures, sounds."""
_STREAMED: Final = frozenset({"content", "reasoning", "reasoning_content", "refusal", "name", "arguments"})
"""Texts of a message that come in pieces."""


def reply_of(content: bytes, api: Api = Api.CHAT, thinking_back: ThinkingBack = ThinkingBack.AUTO) -> Reply:
    """Return the reply in a body, with U+FFFD for invalid characters. Raises `ValueError` with one line."""
    text = content.decode("utf-8-sig", errors="replace")
    if text.startswith(("data:", "event:")):
        msg = "the server streams, which was not asked for; switch streaming off there"
        raise ValueError(msg)
    document = document_of(text)
    if not isinstance(document, dict) or NEEDED[api] not in document:
        msg = f"it has no {NEEDED[api]}"
        raise ValueError(msg)
    choice, said = _choice(_choice_of_response(document) if api is Api.RESPONSES else document.get("choices"))
    given = [*objects_of(said.get("tool_calls")), *objects_of([{"function": said.get("function_call")}])]
    calls = [call for call in given if isinstance(call.get("function", call), dict)]
    reasoning = _word(said.get("reasoning")) or _word(said.get("reasoning_content"))
    usage, cost_usd = usage_of(document.get("usage"))
    finish_reason, native = finish_reasons(
        _word(choice.get("finish_reason")), _word(choice.get("native_finish_reason"))
    )
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
        thinking=tuple(_thoughts(said, calls, thinking_back)),
        usage=usage,
        finish_reason=finish_reason,
        native_finish_reason=native,
        cost_usd=cost_usd,
        provider=_word(document.get("provider")),
    )


def _choice(choices: object) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the first choice that holds something, and its message; without one both are empty, and paid for."""
    found = [
        (choice, message)
        for choice in objects_of(choices)
        if isinstance(message := choice.get("message") or choice.get("delta"), dict)
    ]
    found.sort(key=lambda pair: (not _holds_something(pair[1]), str(pair[0].get("index", ""))))
    return next(iter(found), ({}, {}))


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
    """Return the thinking that goes back with the message: its text, or, beside tool calls, items, details and
    signatures."""
    if "reasoning_items" in said:
        return said["reasoning_items"] if calls else []
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


class TextFeed:
    """Hands on the text in the parts of a stream. What is no chunk of a completion is passed over."""

    def __init__(self, on_text: Callable[[str], None]) -> None:
        self._on_text = on_text
        self._rest = b""

    def __call__(self, part: bytes) -> None:
        """Take the next bytes of the reply."""
        whole, newline, self._rest = (self._rest + part).rpartition(b"\n")
        for chunk in _chunks(whole + newline):
            for choice in objects_of(chunk.get("choices")):
                delta = choice.get("delta")
                if isinstance(delta, dict) and isinstance(text := delta.get("content"), str):
                    self._on_text(text)


def whole_completion(content: bytes) -> bytes:
    """Return the completion that the chunks of a stream make; other content as it is. Raises `ValueError` for a stream
    that was cut off."""
    if not content.lstrip().startswith((b"data:", b"event:", b":")):
        return content
    document: dict[str, Any] = {}
    message: dict[str, Any] = {"role": "assistant"}
    calls: dict[str, dict[str, Any]] = {}
    choice: dict[str, Any] = {"index": 0, "message": message}
    for chunk in _chunks(content):
        if "error" in chunk:
            return json.dumps(chunk).encode()
        document |= {key: value for key, value in chunk.items() if value is not None and key != "choices"}
        for part in objects_of(chunk.get("choices")):
            if part.get("index") in (0, None):
                choice |= {key: part[key] for key in ("finish_reason", "native_finish_reason") if part.get(key)}
                delta = part["delta"] if isinstance(part.get("delta"), dict) else {}
                _join(message, delta)
                for call in objects_of(delta.get("tool_calls")):
                    _join(calls.setdefault(str(call.get("index") or 0), {}), call)
    if not choice.get("finish_reason") and b"[DONE]" not in content[-200:]:
        msg = "the stream was cut off"
        raise ValueError(msg)
    message |= {"tool_calls": list(calls.values())} if calls else {}
    return json.dumps({**document, "choices": [choice]}).encode()


def _join(held: dict[str, Any], delta: Mapping[str, Any]) -> None:
    """Add a piece of a message, or of a call in it."""
    for key, value in delta.items():
        if isinstance(value, str) and key in _STREAMED:
            held[key] = held.get(key, "") + value
        elif isinstance(value, dict) and isinstance(inner := held.setdefault(key, {}), dict):
            _join(inner, value)
        elif value and not isinstance(value, list):
            held[key] = value


def _chunks(content: bytes) -> Iterator[dict[str, Any]]:
    for line in content.decode("utf-8", "replace").split("\n"):
        data = line.removeprefix("data:").strip() if line.startswith("data:") else ""
        if data.startswith("{"):
            try:
                yield document_of(data)
            except ValueError:
                continue
