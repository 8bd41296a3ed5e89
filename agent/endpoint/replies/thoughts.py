"""Reads the thinking of a reply's message as `Thought` objects, to send it back.

Some vendors want the thinking back with the next request, so that the model can go on from
there. A `Thought` is a dict of the fields to send back, which differ by vendor.
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

    | the message (`calls` are its tool calls), and the user's setting | is returned |
    |---|---|
    | of the Responses API with calls, any | its `reasoning_items` |
    | any other, `none` | nothing |
    | any other, `reasoning_content` | its reasoning: `{"reasoning_content": "Hm."}` |
    | any other, `auto` | if it has calls, what OpenRouter or Gemini want back with them |
    """
    if calls and "reasoning_items" in message:
        # With `none`, `responses_request` leaves these items out of the next request.
        return objects_of(message["reasoning_items"])
    if thinking_back == "none":
        return []
    if thinking_back == "reasoning_content":
        reasoning = reasoning_of(message)
        return [{"reasoning_content": reasoning}] if reasoning else []
    thought = _thought_with_calls(message, calls) if calls else {}
    return [thought] if thought else []


def _thought_with_calls(
    message: Mapping[str, Any], calls: list[dict[str, Any]]
) -> Thought:
    """Return what OpenRouter and Gemini want back with calls; empty if there is nothing.

    OpenRouter's details are in a field of the message. Gemini's signatures are in the field
    `extra_content` of calls. They are listed by the key `SIGNATURES`, which is `extra_contents`:

        {"reasoning_details": [{"data": "sealed"}]}
        {"extra_contents": [{"google": {"thought_signature": "aGk="}}]}
    """
    thought: Thought = {}
    details = objects_of(message.get("reasoning_details"))
    if details:
        thought["reasoning_details"] = details
    signatures: list[dict[str, Any] | None] = []  # one a call; None if unsigned
    for call in calls:
        signature = call.get("extra_content")
        signatures.append(signature if isinstance(signature, dict) else None)
    if any(signatures):
        thought[SIGNATURES] = signatures
    return thought
