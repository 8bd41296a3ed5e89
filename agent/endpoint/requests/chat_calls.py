"""Writes tool calls in the protocol of chat completions, with the signatures that Gemini wants.

    {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"},
     "extra_content": {"google": {"thought_signature": "aGk="}}}

Gemini signs a call, and refuses it in later requests if the signature is missing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from controlplane.agent.model import Thought, ToolCall
from controlplane.sandbox.interface import well_formed

SIGNATURES: Final = "extra_contents"
"""The key of a `Thought` that has the signatures of Gemini's tool calls, one a call:

    {"extra_contents": [{"google": {"thought_signature": "aGk="}}]}
"""


def chat_calls(
    calls: Sequence[ToolCall], thoughts: Sequence[Thought]
) -> list[dict[str, object]]:
    """Return tool calls, with the signatures in the thoughts of their message."""
    sent: list[dict[str, object]] = []
    for call in calls:
        function = {"name": call.name, "arguments": well_formed(call.arguments)}
        sent.append({"id": call.id, "type": "function", "function": function})
    for thought in thoughts:
        signatures = thought.get(SIGNATURES, ())
        for sent_call, signature in zip(sent, signatures, strict=False):
            if signature:
                sent_call["extra_content"] = signature
    return sent
