"""Writes messages as items of OpenAI's Responses API, which has no messages with calls.

A message of the model with a text, its thinking and a call becomes three items:

    {"type": "reasoning", "encrypted_content": "..."}
    {"role": "assistant", "content": "I look."}
    {"type": "function_call", "call_id": "c1", "name": "read", "arguments": "{}"}
"""

from __future__ import annotations

from collections.abc import Mapping

from controlplane.agent.model import Message
from controlplane.sandbox.interface import well_formed


def response_items(
    message: Message, *, sends_thinking: bool
) -> list[Mapping[str, object]]:
    """Return a message as items of the Responses API."""
    content = well_formed(message["content"])
    if message["role"] == "tool":
        call_id = message.get("tool_call_id", "")
        return [{"type": "function_call_output", "call_id": call_id, "output": content}]

    items: list[Mapping[str, object]] = []
    calls = message.get("tool_calls", ())
    if calls and sends_thinking:
        items += message.get("thinking", ())
    if content or not calls:
        items.append({"role": message["role"], "content": content})
    for call in calls:
        items.append(
            {
                "type": "function_call",
                "call_id": call.id,
                "name": call.name,
                "arguments": well_formed(call.arguments),
            }
        )
    return items
