"""Writes the messages of a conversation in the protocol of chat completions.

A message of the model keeps its calls and, for vendors that want it back, its thinking:

    {"role": "assistant", "content": "", "tool_calls": [...], "reasoning_content": "Hm."}
"""

from __future__ import annotations

from controlplane.agent.endpoint.requests.chat_calls import SIGNATURES, chat_calls
from controlplane.agent.endpoint.settings import ThinkingBack
from controlplane.agent.model import Message, Thought
from controlplane.sandbox.interface import well_formed


def chat_message(
    message: Message, thinking: ThinkingBack = "none"
) -> dict[str, object]:
    """Return a message in the form of chat completions.

    If the message has the `Thought` `{"reasoning_content": "Hm."}`, the fields of this mapping
    are put into the message. The user's setting `thinking` says what is sent of thoughts:

    | `thinking`          | fields of thoughts            | signatures of calls |
    |---------------------|-------------------------------|---------------------|
    | `none`              | never                         | never               |
    | `auto`              | if the message has tool calls | always              |
    | `reasoning_content` | always                        | always              |
    """
    sent: dict[str, object] = {
        "role": message["role"],
        "content": well_formed(message["content"]),
    }
    if "tool_call_id" in message:
        sent["tool_call_id"] = message["tool_call_id"]

    thoughts = () if thinking == "none" else message.get("thinking", ())
    calls = chat_calls(message.get("tool_calls", ()), thoughts)
    if calls or thinking == "reasoning_content":
        for thought in thoughts:
            sent |= _message_fields(thought)
    if calls:
        sent["tool_calls"] = calls
    return sent


def _message_fields(thought: Thought) -> dict[str, object]:
    """Return the fields of a thought that are put into its message: all but the signatures."""
    return {name: value for name, value in thought.items() if name != SIGNATURES}
