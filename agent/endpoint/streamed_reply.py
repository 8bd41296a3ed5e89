"""Streamed chat completions: the text as it comes, and the whole as one completion, as if it had not been streamed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from sandbox.interface import parse_json


class TextFeed:
    """Hands on the text in the parts of a stream. What is no chunk of a completion is passed over."""

    def __init__(self, on_text: Callable[[str], None]) -> None:
        self._on_text = on_text
        self._rest = b""

    def __call__(self, part: bytes) -> None:
        """Take the next bytes of the reply."""
        whole, newline, self._rest = (self._rest + part).rpartition(b"\n")
        for chunk in _chunks(whole + newline):
            for choice in _list(chunk.get("choices")):
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
    calls: dict[int, dict[str, Any]] = {}
    choice: dict[str, Any] = {"index": 0, "message": message}
    for chunk in _chunks(content):
        if "error" in chunk:
            return json.dumps(chunk).encode()
        document |= {key: value for key, value in chunk.items() if value is not None and key != "choices"}
        for part in _list(chunk.get("choices")):
            if part.get("index") not in (0, None):
                continue
            choice |= {key: part[key] for key in ("finish_reason", "native_finish_reason") if part.get(key)}
            delta = _dict(part.get("delta"))
            for key in ("content", "reasoning", "reasoning_content", "refusal"):
                if isinstance(delta.get(key), str):
                    message[key] = message.get(key, "") + delta[key]
            for call in _list(delta.get("tool_calls")):
                held = calls.setdefault(call.get("index") or 0, {"type": "function", "function": {}})
                held |= {"id": call["id"]} if call.get("id") else {}
                function = _dict(call.get("function"))
                for key in ("name", "arguments"):
                    if isinstance(function.get(key), str):
                        held["function"][key] = held["function"].get(key, "") + function[key]
    if not choice.get("finish_reason") and b"[DONE]" not in content[-200:]:
        msg = "the stream was cut off"
        raise ValueError(msg)
    message |= {"tool_calls": [calls[at] for at in sorted(calls)]} if calls else {}
    return json.dumps({**document, "choices": [choice]}).encode()


def _chunks(content: bytes) -> Iterator[dict[str, Any]]:
    for line in content.decode("utf-8", "replace").split("\n"):
        data = line.removeprefix("data:").strip() if line.startswith("data:") else ""
        if data.startswith("{"):
            try:
                chunk = parse_json(data)
            except ValueError:
                continue
            if isinstance(chunk, dict):
                yield chunk


def _dict(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
