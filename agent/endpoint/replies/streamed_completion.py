"""Joins the chunks of a stream to the completion that an endpoint returns without streaming.

The chunks

    data: {"choices": [{"index": 0, "delta": {"content": "Hel"}}]}
    data: {"choices": [{"index": 0, "delta": {"content": "lo"}}]}

become `{"choices": [{"index": 0, "delta": {"content": "Hello"}}]}`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from controlplane.agent.endpoint.json_parts import objects_of
from controlplane.agent.endpoint.replies.stream import chunks_in
from controlplane.agent.endpoint.replies.stream_pieces import add_piece

STREAM_STARTS: Final = (b"data:", b"event:", b":")
"""The possible starts of a stream. A line that begins
with a colon is a comment to keep a connection open."""

END_MARK: Final = b"[DONE]"
MAX_END_BYTES: Final = 200
"""The end mark is searched in the last bytes of a stream, this many: comments may follow it."""


def whole_completion(content: bytes) -> bytes:
    """Return the completion that the chunks of a stream form, as JSON.

    Content that is not a stream is returned unchanged. Raises `ValueError` for a stream
    that was cut off.
    """
    if not content.lstrip().startswith(STREAM_STARTS):
        return content
    completion: dict[str, Any] = {}
    for chunk in chunks_in(content):
        add_piece(completion, chunk)

    if not is_complete(content, completion):
        msg = "the stream was cut off"
        raise ValueError(msg)
    return json.dumps(completion).encode()


def is_complete(content: bytes, completion: Mapping[str, Any]) -> bool:
    """Return True if a stream has arrived whole.

    Servers mark the end in different ways: with the line `data: [DONE]`, with the
    `finish_reason` of a choice, or with an error.
    """
    if "error" in completion or END_MARK in content[-MAX_END_BYTES:]:
        return True
    choices = objects_of(completion.get("choices"))
    return any(choice.get("finish_reason") for choice in choices)
