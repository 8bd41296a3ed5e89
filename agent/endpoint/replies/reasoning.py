"""Reads the thinking of a reply's message as a text.

Servers give it in a field beside the content: `{"content": "yes", "reasoning_content": "Hm."}`.
Some mistake the whole reply for thinking, so that the content is empty.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from controlplane.agent.endpoint.json_parts import text_or_empty
from controlplane.agent.reply.objects.object_text import read_object


def reasoning_of(message: Mapping[str, Any]) -> str:
    """Return the thinking of a message as text; empty if it has none."""
    for name in ("reasoning_content", "reasoning"):
        reasoning = text_or_empty(message.get(name))
        if reasoning:
            return reasoning
    return ""


def reply_in_reasoning(reasoning: str) -> str:
    """Return the JSON object at the end of the thinking; empty if there is none.

    Some servers mistake the whole reply for thinking: `Hm.</think>{"code": "1"}` has the reply
    `{"code": "1"}`.
    """
    text = reasoning.rpartition("</think>")[2].strip()
    text = text.removeprefix("```json").removesuffix("```")
    return text if read_object(text) else ""
