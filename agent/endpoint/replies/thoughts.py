"""Reads the thinking of a reply's message as `Thought` objects, to send it back.

Some vendors want the thinking back with the next request, so that the model can go on from
there. A `Thought` has the fields to send back, which differ by vendor:
`{"reasoning_content": "Hm."}`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from controlplane.agent.endpoint.json_parts import objects_of
from controlplane.agent.endpoint.replies.reasoning import reasoning_of
from controlplane.agent.endpoint.requests.chat_calls import SIGNATURES
from controlplane.agent.endpoint.settings import ThinkingBack
from controlplane.agent.model import Thought


def thinking_of(
    message: Mapping[str, Any],
    calls: list[dict[str, Any]],
    thinking_back: ThinkingBack,
) -> list[Thought]:
    """Return the thinking of a message that is sent back with the next request.

    `calls` are the message's tool calls, and `thinking_back` is the user's setting:

    | the message has | `thinking_back` | thinking |
    |---|---|---|
    | calls, and `reasoning_items` (Responses API) | any | these items |
    | a reasoning `Hm.` | `reasoning_content` | `{"reasoning_content": "Hm."}` |
    | calls, and `reasoning_details` (OpenRouter) | `auto` | `{"reasoning_details": [...]}` |
    | calls with an `extra_content` (Gemini) | `auto` | `{"extra_contents": [...]}` |
    | anything else | any | none |
    """
    if calls and "reasoning_items" in message:
        # The items are kept with any setting. With `none`, the next request leaves them out.
        return objects_of(message["reasoning_items"])
    if thinking_back == "reasoning_content":
        reasoning = reasoning_of(message)
        return [{"reasoning_content": reasoning}] if reasoning else []
    if thinking_back == "auto" and calls:
        thought = _thought_with_calls(message, calls)
        return [thought] if thought else []
    return []


def _thought_with_calls(
    message: Mapping[str, Any], calls: list[dict[str, Any]]
) -> Thought:
    """Return what OpenRouter and Gemini want back with calls; empty if there is nothing.

    OpenRouter's details are in a field of the message, and Gemini's signatures in its calls.
    """
    thought: Thought = {}
    details = objects_of(message.get("reasoning_details"))
    if details:
        thought["reasoning_details"] = details
    signatures: list[dict[str, Any] | None] = []  # one for each call, or None
    for call in calls:
        signature = call.get("extra_content")
        signatures.append(signature if isinstance(signature, dict) else None)
    if any(signatures):
        thought[SIGNATURES] = signatures
    return thought
