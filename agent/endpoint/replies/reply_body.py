"""Reads the bodies of replies, in chat completions and in OpenAI's Responses API.

The formats of all known vendors are accepted, because a reply that cannot be read costs a turn. A
reply of the Responses API is converted to a chat completion first, and then read like one.
"""

from __future__ import annotations

from controlplane.agent.endpoint.json_parts import text_or_empty
from controlplane.agent.endpoint.replies.choices import best_choice
from controlplane.agent.endpoint.replies.finish_reasons import FinishReason
from controlplane.agent.endpoint.replies.message_content import refusal_in, text_of
from controlplane.agent.endpoint.replies.reasoning import (
    reasoning_of,
    reply_in_reasoning,
)
from controlplane.agent.endpoint.replies.reply_calls import function_calls, tool_call
from controlplane.agent.endpoint.replies.reply_document import reply_document
from controlplane.agent.endpoint.replies.response_output import response_choices
from controlplane.agent.endpoint.replies.thoughts import thinking_of
from controlplane.agent.endpoint.replies.usage import usage_of
from controlplane.agent.endpoint.settings import Api, ThinkingBack
from controlplane.agent.model import Reply


def reply_of(
    content: bytes, api: Api = "chat", thinking_back: ThinkingBack = "auto"
) -> Reply:
    """Return the reply in the body of a response, in the format of any known vendor.

    `{"choices": [{"message": {"content": "yes"}}]}` is a reply with the text `yes`.
    `thinking_back` says how much of the model's thinking the reply keeps, to send it back
    with the next request. Raises `ValueError` with one line if the body is not a reply.
    """
    document = reply_document(content, api)
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
