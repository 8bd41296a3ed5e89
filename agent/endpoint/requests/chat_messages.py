"""Writes the messages of a conversation in the protocol of chat completions.

`{"role": "assistant", "content": "...", "tool_calls": [...], "reasoning_content": "..."}`
"""

from __future__ import annotations

from collections.abc import Mapping
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

    A `Thought` is a mapping whose fields are put into the message:
    `{"reasoning_content": "Hm."}` becomes `{"role": ..., "reasoning_content": "Hm."}`. The
    signatures of tool calls are put into the calls instead. `thinking` is a setting:

    | `thinking`          | fields of thoughts are sent   | signatures of calls |
    |---------------------|-------------------------------|---------------------|
    | `none`              | never                         | are not sent        |
    | `auto`              | if the message has tool calls | are sent            |
    | `reasoning_content` | always                        | are sent            |
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

    thoughts = () if thinking == "none" else message.get("thinking", ())
    sends_fields = bool(calls) or thinking == "reasoning_content"
    for thought in thoughts:
        _add_signatures(calls, thought)
        if sends_fields:
            sent |= _fields_of(thought)
    if calls:
        sent["tool_calls"] = calls
    return sent


def _fields_of(thought: Thought) -> Mapping[str, object]:
    """Return the fields of a thought that are put into its message."""
    return {name: value for name, value in thought.items() if name != SIGNATURES}


def _add_signatures(calls: list[dict[str, object]], thought: Thought) -> None:
    """Add to each of the calls its signature, if the thought has one for it.

    `{"extra_contents": [{"google": ...}]}` gives the first call
    `"extra_content": {"google": ...}`.
    """
    signatures = thought.get(SIGNATURES, ())
    for call, signature in zip(calls, signatures, strict=False):
        if signature:
            call["extra_content"] = signature
