"""Reads streamed chat completions: passes on the text of a reply while the stream arrives.

A stream consists of lines `data: {...}`. Each line holds a chunk, an object with the next
pieces of the reply, such as `{"choices": [{"index": 0, "delta": {"content": "Hel"}}]}`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from controlplane.agent.endpoint.json_parts import objects_of, text_or_empty
from controlplane.sandbox.interface import parse_json


class StreamedText:
    """Passes on the text of a reply while the stream arrives."""

    def __init__(self, on_text: Callable[[str], None]) -> None:
        """`on_text` is called with each piece of text."""
        self._on_text = on_text
        self._incomplete_line = b""

    def take(self, part: bytes) -> None:
        """Take the next bytes of the stream. They may end in the middle of a line."""
        received = self._incomplete_line + part
        complete_lines, _, self._incomplete_line = received.rpartition(b"\n")
        for chunk in chunks_in(complete_lines):
            for text in texts_in(chunk):
                self._on_text(text)


def texts_in(chunk: Mapping[str, Any]) -> Iterator[str]:
    """Yield the pieces of text in a chunk that are not empty: `Hel` in the example above."""
    for choice in objects_of(chunk.get("choices")):
        delta = choice.get("delta")
        if isinstance(delta, dict):
            text = text_or_empty(delta.get("content"))
            if text:
                yield text


def chunks_in(content: bytes) -> Iterator[dict[str, Any]]:
    """Yield the chunks in the complete lines of a stream; lines that cannot be read are skipped."""
    for line in content.decode("utf-8", "replace").split("\n"):
        if not line.startswith("data:"):
            continue
        with suppress(ValueError):
            chunk = parse_json(line.removeprefix("data:"))
            if isinstance(chunk, dict):
                yield chunk
