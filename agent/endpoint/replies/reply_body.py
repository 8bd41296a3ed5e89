"""Reads the bodies of replies, in chat completions and in OpenAI's Responses API.

`reply_of` is lenient: it accepts the formats of all known vendors, because a reply that
cannot be read costs a turn. It first converts a reply of the Responses API into the
form of a chat completion, so that the rest of the code is the same for both.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from controlplane.agent.endpoint.json_parts import text_or_empty
from controlplane.agent.endpoint.replies.choices import best_choice
from controlplane.agent.endpoint.replies.finish_reasons import FinishReason
from controlplane.agent.endpoint.replies.message_content import refusal_in, text_of
from controlplane.agent.endpoint.replies.reply_calls import function_calls, tool_call
from controlplane.agent.endpoint.replies.response_output import response_choices
from controlplane.agent.endpoint.replies.thoughts import (
    reasoning_of,
    reply_in_reasoning,
    thinking_of,
)
from controlplane.agent.endpoint.replies.usage import usage_of
from controlplane.agent.endpoint.settings import Api, ThinkingBack
from controlplane.agent.model import Reply
from controlplane.sandbox.interface import parse_json

REQUIRED_FIELD: Final[Mapping[Api, str]] = {"chat": "choices", "responses": "output"}
"""The field that a reply must have, by protocol."""


def reply_of(
    content: bytes, api: Api = "chat", thinking_back: ThinkingBack = "auto"
) -> Reply:
    """Return the reply in the body of a response, in the format of any known vendor.

    `{"choices": [{"message": {"content": "yes"}}]}` is a reply with the text `yes`.
    `thinking_back` says how much of the model's thinking the reply keeps, to send it back
    with the next request.

    Bytes that are not UTF-8 become U+FFFD. Raises `ValueError` with one line if the body
    is not a reply.
    """
    document = parse_json(content.decode("utf-8-sig", errors="replace"))
    if not isinstance(document, dict) or REQUIRED_FIELD[api] not in document:
        msg = f"it has no {REQUIRED_FIELD[api]}"
        raise ValueError(msg)

    # A server may send several replies, the choices. One is read.
    choices = document.get("choices") if api == "chat" else response_choices(document)
    choice = best_choice(choices)
    message = choice.message
    calls = function_calls(message)
    reasoning = reasoning_of(message)
    refusal = refusal_in(message)
    text = text_of(message.get("content"))
    if not text.strip() and not calls:
        text = text_elsewhere(refusal, reasoning) or text

    finish = choice.finish_reason
    if refusal and text == refusal:  # Some servers send a refusal as the content, too.
        finish = FinishReason("refusal")

    counted = usage_of(document.get("usage"))
    return Reply(
        text=text,
        tool_calls=tuple(tool_call(call) for call in calls),
        reasoning=reasoning,
        thinking=tuple(thinking_of(message, calls, thinking_back)),
        usage=counted.usage,
        finish_reason=finish.common,  # such as `length`, for all vendors
        native_finish_reason=finish.native,  # the vendor's own word: `MAX_TOKENS`
        cost_usd=counted.cost_usd,
        provider=text_or_empty(document.get("provider")),
    )


def text_elsewhere(refusal: str, reasoning: str) -> str:
    """Return the text of a reply whose message has neither content nor calls; may be empty.

    | the message has | text |
    |---|---|
    | the refusal `I can't help.` | `I can't help.` |
    | the reasoning `Hm.</think>{"code": "1"}` | `{"code": "1"}`: the server put it there |
    | anything else | empty |
    """
    return refusal or reply_in_reasoning(reasoning)
