"""Reads the thinking of a reply's message, as text and as what goes back to the endpoint.

Some vendors want the thinking back with the next request, so that the model can go on from
there. Each has its own field for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from controlplane.agent.endpoint.json_parts import objects_of, text_or_empty
from controlplane.agent.endpoint.requests.chat_messages import SIGNATURES
from controlplane.agent.endpoint.settings import ThinkingBack
from controlplane.agent.model import Thought
from controlplane.agent.reply.object_text import read_object


def reasoning_of(message: Mapping[str, Any]) -> str:
    """Return the thinking of a message as text; empty if it has none."""
    for name in ("reasoning_content", "reasoning"):
        reasoning = text_or_empty(message.get(name))
        if reasoning:
            return reasoning
    return ""


def reply_in_reasoning(reasoning: str) -> str:
    """Return the JSON object at the end of the thinking; empty if there is none.

    Some servers mistake the whole reply for thinking.
    """
    text = reasoning.rpartition("</think>")[2].strip()
    text = text.removeprefix("```json").removesuffix("```")
    return text if read_object(text) else ""


def thinking_of(
    message: Mapping[str, Any],
    calls: list[dict[str, Any]],
    reasoning: str,
    thinking_back: ThinkingBack,
) -> list[Thought]:
    """Return the thinking to send back to the endpoint with the next request.

    In the Responses API, a reply has a `Thought` for each of its reasoning items. In chat
    completions, it has at most one.
    """
    # 1. The Responses API, which wants its items back before the results of the calls.
    # `response_choices` has put them into the message.
    if calls and "reasoning_items" in message:
        items: list[Thought] = message["reasoning_items"]
        return items

    # 2. Chat completions: the whole text, if the user has set so.
    if thinking_back == "reasoning_content" and reasoning:
        return [{"reasoning_content": reasoning}]
    if thinking_back != "auto" or not calls:
        return []

    # 3. Chat completions: what vendors want back with calls.
    thought: Thought = {}
    details = objects_of(message.get("reasoning_details"))  # OpenRouter
    if details:
        thought["reasoning_details"] = details
    signatures: list[dict[str, Any] | None] = []  # Gemini: one for each call, or None
    for call in calls:
        signature = call.get("extra_content")
        signatures.append(signature if isinstance(signature, dict) else None)
    if any(signatures):
        thought[SIGNATURES] = signatures
    return [thought] if thought else []
