"""Reads streamed chat completions: the text as it arrives, and the whole completion at the end.

A stream consists of lines `data: {...}`. Each line holds a chunk, an object with the next pieces of
the reply, such as `{"choices": [{"index": 0, "delta": {"content": "Hel"}}]}`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Any, Final

from controlplane.agent.endpoint.json_parts import objects_of, text_or_empty
from controlplane.sandbox.interface import parse_json

STREAM_STARTS: Final = (b"data:", b"event:", b":")
"""The possible starts of a stream. A line that begins with a colon is a comment to keep a
connection open."""

TEXT_KEYS: Final = frozenset(
    {"content", "reasoning", "reasoning_content", "refusal", "name", "arguments"}
)
"""The fields whose texts come in pieces, to be joined. Texts of other fields come whole."""

MAX_INDEXES: Final = 100
"""Max choices, or calls of a choice, in one stream."""


def text_feed(on_text: Callable[[str], None]) -> Callable[[bytes], None]:
    """Return a function that takes the bytes of a stream and passes the text in them to `on_text`.

    It keeps an incomplete line until the rest of the line arrives.
    """
    incomplete_line = b""

    def take(part: bytes) -> None:
        nonlocal incomplete_line
        lines, newline, incomplete_line = (incomplete_line + part).rpartition(b"\n")
        for chunk in chunks_in(lines + newline):
            for choice in objects_of(chunk.get("choices")):
                delta = choice.get("delta")
                if isinstance(delta, dict):
                    text = text_or_empty(delta.get("content"))
                    if text:
                        on_text(text)

    return take


def whole_completion(content: bytes) -> bytes:
    """Return the completion that the chunks of a stream form. Other content is returned unchanged.

    Raises `ValueError` for a stream that was cut off.
    """
    if not content.lstrip().startswith(STREAM_STARTS):
        return content
    completion: dict[str, Any] = {}
    for chunk in chunks_in(content):
        add_piece(completion, chunk)

    is_ended = "error" in completion or b"[DONE]" in content[-200:]
    for choice in objects_of(completion.get("choices")):
        if choice.get("finish_reason"):
            is_ended = True
    if not is_ended:
        msg = "the stream was cut off"
        raise ValueError(msg)
    return json.dumps(completion).encode()


def add_piece(whole: dict[str, Any], piece: Mapping[str, Any]) -> None:
    """Add a piece of a stream to the parts that arrived before.

    `{"content": "Hel"}` and `{"content": "lo"}` make `{"content": "Hello"}`.
    """
    for key, value in piece.items():
        if key in ("choices", "tool_calls"):
            items = whole.setdefault(key, [])
            for item in objects_of(value):
                add_piece(item_with_index(items, item.get("index") or 0), item)
        elif isinstance(value, str) and key in TEXT_KEYS:
            whole[key] = (whole.get(key) or "") + value
        elif isinstance(value, dict):
            inner = whole.setdefault(key, {})
            if isinstance(inner, dict):
                add_piece(inner, value)
            else:
                whole[key] = value
        elif value and not isinstance(value, list):
            whole[key] = value


def item_with_index(items: list[dict[str, Any]], index: object) -> dict[str, Any]:
    """Return the choice or call with an index. Adds it if it is new."""
    for item in items[:MAX_INDEXES]:
        if item["index"] == index:
            return item
    item = {"index": index}
    items.append(item)
    return item


def chunks_in(content: bytes) -> Iterator[dict[str, Any]]:
    """Yield the chunks in the complete lines of a stream; lines that cannot be read are skipped."""
    for line in content.decode("utf-8", "replace").split("\n"):
        if not line.startswith("data:"):
            continue
        with suppress(ValueError):
            chunk = parse_json(line.removeprefix("data:"))
            if isinstance(chunk, dict):
                yield chunk
