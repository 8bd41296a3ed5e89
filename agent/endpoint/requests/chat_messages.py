"""Writes the messages of a conversation in the protocol of chat completions.

`{"role": "assistant", "content": "...", "tool_calls": [...], "reasoning_content": "..."}`
"""

from __future__ import annotations

from typing import Final

from controlplane.agent.endpoint.settings import ThinkingBack
from controlplane.agent.model import Message, Thought
from controlplane.sandbox.interface import well_formed

SIGNATURES: Final = "extra_contents"
"""The key in a `Thought` whose list has the `extra_content` of each tool call of the reply.

Gemini signs its thoughts there, and wants the signatures back with the calls."""


def chat_message(
    message: Message, thinking: ThinkingBack = "none"
) -> dict[str, object]:
    """Return a message in the form of chat completions.

    `thinking` says which thoughts of the model go back with its message: with
    `reasoning_content` always all, with `auto` only what belongs to tool calls.
    """
    sent: dict[str, object] = {
        "role": message["role"],
        "content": well_formed(message["content"]),
    }
    if "tool_call_id" in message:
        sent["tool_call_id"] = message["tool_call_id"]

    calls: list[dict[str, object]] = []
    for call in message.get("tool_calls", ()):
        function = {"name": call.name, "arguments": well_formed(call.arguments)}
        calls.append({"id": call.id, "type": "function", "function": function})

    if thinking != "none":
        for thought in message.get("thinking", ()):
            _add_signatures(thought, calls)
            # A thought is a set of fields, such as `reasoning_content`. Except for signatures,
            # they go into the message. Most endpoints only want them if it has calls.
            if calls or thinking == "reasoning_content":
                for name, value in thought.items():
                    if name != SIGNATURES:
                        sent[name] = value
    if calls:
        sent["tool_calls"] = calls
    return sent


def _add_signatures(thought: Thought, calls: list[dict[str, object]]) -> None:
    """Add to each call its signature: Gemini signs each call, and wants the signature back."""
    signatures = thought.get(SIGNATURES, ())
    for call, signature in zip(calls, signatures, strict=False):
        if signature:
            call["extra_content"] = signature
