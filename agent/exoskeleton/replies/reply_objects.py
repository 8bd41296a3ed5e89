"""The JSON objects in texts of a model, which may have other text around them.

| text | object |
|---|---|
| `{"path": "/docs/a.md"}` | `{"path": "/docs/a.md"}` |
| `<think>{"path": "/x"}</think> Sure: {"path": "/docs/a.md"}` | the same: thinking is left out |
"""

from __future__ import annotations

from typing import Any

from controlplane.agent.model import ToolCall
from controlplane.agent.reply.objects.object_text import read_object
from controlplane.agent.reply.objects.written_objects import objects_in
from controlplane.agent.reply.thinking_text import without_thoughts
from controlplane.sandbox.interface import bounds


def objects_of(text: str) -> list[dict[str, Any]]:
    """Return the JSON objects in a reply that are not empty, except those in its thinking."""
    answer = without_thoughts(text[: bounds.MOST_PARSED_CHARS])
    return [written.fields for written in objects_in(answer) if written.fields]


def object_of(text: str) -> dict[str, Any] | None:
    """Return the first JSON object in a model's text; None if it has none."""
    objects = objects_of(text)
    return objects[0] if objects else None


def arguments_of(call: ToolCall) -> dict[str, Any]:
    """Return the arguments of a call by name. Raises `TypeError` if they are not a JSON object.

    The text should be an object: `{"path": "/docs/a.md"}`. Some models write something around
    it, such as a code fence; then the first object in the text counts.
    """
    arguments = read_object(call.arguments or "{}")
    if arguments is None:
        arguments = object_of(call.arguments)
    if arguments is None:
        msg = f"its arguments are no JSON object: {call.arguments[:80]}"
        raise TypeError(msg)
    return arguments
