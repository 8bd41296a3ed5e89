"""Converts the output of OpenAI's Responses API into the form of a chat completion.

That API returns a list of items: messages, calls and thoughts. In a chat completion, one
message has them all.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from controlplane.agent.endpoint.json_parts import objects_of, text_or_empty
from controlplane.agent.endpoint.replies.message_content import content_parts


def response_choices(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the output of the Responses API as the choices of a chat completion.

    | item of the output | in the message of the choice |
    |---|---|
    | `{"type": "message", "content": "yes"}` | `"content": [{"text": "yes"}]` |
    | `{"type": "function_call", "name": "look", ...}` | `"tool_calls": [...]` |
    | `{"type": "reasoning", ...}` | `"reasoning_items": [...]`, and its text in `reasoning` |
    """
    content: list[dict[str, Any]] = []
    tool_calls: list[dict[str, Any]] = []
    thoughts: list[dict[str, Any]] = []
    thought_texts: list[str] = []
    for item in objects_of(document.get("output")):
        match item.get("type"):
            case "message":
                content += content_parts(item.get("content"))
            case "function_call":
                # The item has the fields of a function itself: `name` and `arguments`.
                tool_calls.append({"id": item.get("call_id"), "function": item})
            case "reasoning":
                thoughts.append(item)
                for part in content_parts(item.get("summary") or item.get("content")):
                    thought_texts.append(text_or_empty(part.get("text")))

    status = text_or_empty(document.get("status"))
    finish_reason = "" if status == "completed" else status  # Empty counts as `stop`.
    # The status `incomplete` has a reason: `{"reason": "max_output_tokens"}`
    details = document.get("incomplete_details")
    if isinstance(details, dict):
        finish_reason = text_or_empty(details.get("reason")) or finish_reason

    message = {
        "content": content,
        "tool_calls": tool_calls,
        "reasoning": "\n".join(thought_texts),
        "reasoning_items": thoughts,
    }
    return [{"message": message, "finish_reason": finish_reason}]
