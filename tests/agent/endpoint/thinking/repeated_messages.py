"""A model's message with its thinking, and the same message as the next request sends it back.

    message = {"content": "so", "reasoning_content": "hm"}
    message_sent_back(message, thinking_back="none")                 # has "so" alone
    message_sent_back(message, thinking_back="reasoning_content")    # has "so" and "hm"

The setting `thinking_back` names the field of thinking that is sent back. With `auto`, only what a known
vendor requires is sent back, such as the signature of `SIGNED_CALL`.
"""

import json

from controlplane.agent.endpoint import EndpointSettings, ThinkingBack
from controlplane.agent.model import Message
from tests.agent.endpoint.look_tool import LOOK_TOOL
from tests.support.endpoint_requests import MESSAGES, single_reply_of
from tests.support.endpoints import http_response, model_server

CALL = {
    "id": "a",
    "type": "function",
    "function": {"name": "look", "arguments": '{"x": 1}'},
}
"""A call of the tool `look`, for the field `tool_calls` of a message."""

SIGNED_CALL = {
    **CALL,
    "extra_content": {"google": {"thought_signature": "signed"}},
}
"""The same call with a signature. Gemini adds one to each call, and may want it back unchanged."""


def message_sent_back(
    message: dict[str, object], thinking_back: ThinkingBack
) -> dict[str, object]:
    """Let a model reply with a message, and return it as the next request repeats it."""
    response = http_response(200, json.dumps({"choices": [{"message": message}]}))
    with model_server(response) as server:
        settings = EndpointSettings("m", server.url, thinking_back=thinking_back)
        reply = single_reply_of(settings, MESSAGES, tools=[LOOK_TOOL])
        repeated_message = Message(
            role="assistant",
            content=reply.text,
            tool_calls=reply.tool_calls,
            thinking=reply.thinking,
        )
        single_reply_of(settings, [*MESSAGES, repeated_message], tools=[LOOK_TOOL])

    _first_request, second_request = server.asked
    last_message: dict[str, object] = second_request.body["messages"][-1]
    return last_message
