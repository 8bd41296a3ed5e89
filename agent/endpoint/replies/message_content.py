"""Reads the content of a reply's message: its texts, and its refusal.

The content is a text or a list of parts, some of which are pictures or thoughts. Here, the text is
`yes`:

    [{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": "yes"}]
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from controlplane.agent.endpoint.json_parts import text_or_empty

TEXT_TYPES: Final = ("text", "output_text")
"""The types of message parts that are text. Other types are thoughts, pictures and sounds."""


def content_parts(content: object) -> list[dict[str, Any]]:
    """Return the parts of a message's content.

    "yes"                           -> [{"text": "yes"}]
    [{"type": "text", "text": "y"}] -> the list itself
    {"type": "text", "text": "y"}   -> a list with this part
    {"state": "done", "code": "1"}  -> [{"text": the object as JSON}]
    """
    # If a model's reply is JSON, some servers send it decoded: as an object, not as text.
    if isinstance(content, dict) and "text" not in content and "type" not in content:
        return [{"text": json.dumps(content)}]

    parts: list[dict[str, Any]] = []
    for item in content if isinstance(content, list) else [content]:
        if isinstance(item, str):
            parts.append({"text": item})
        elif isinstance(item, dict):
            parts.append(item)
    return parts


def text_of(content: object) -> str:
    """Return the text of a message's content, without its thoughts and pictures."""
    text = ""
    for part in content_parts(content):
        if part.get("type", "text") in TEXT_TYPES:
            text += text_or_empty(part.get("text"))
    return text


def refusal_in(message: Mapping[str, Any]) -> str:
    """Return the text with which a model refused to answer; empty if it did not refuse.

    It is in the field `refusal` of the message, or of a part of its content.
    """
    for part in (message, *content_parts(message.get("content"))):
        refusal = text_or_empty(part.get("refusal"))
        if refusal:
            return refusal
    return ""
