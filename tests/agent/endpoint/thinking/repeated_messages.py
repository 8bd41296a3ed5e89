"""A message of a model, as the next request of the conversation repeats it, with or without its thinking.

    message_sent_back({"content": "so", "reasoning_content": "hm"}, thinking_back="auto")
    == {"role": "assistant", "content": "so"}

The setting `thinking_back` says which thinking is sent back: `none`, that of a named field, or `auto`,
which is what vendors are known to require.
"""

import json

from controlplane.agent.endpoint import EndpointSettings, ThinkingBack
from controlplane.agent.model import Message
from tests.agent.endpoint.look_tool import LOOK_TOOL
from tests.support.endpoint_requests import MESSAGES, single_reply_of
from tests.support.endpoints import http_response, model_server


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


CALL = {
    "id": "a",
    "type": "function",
    "function": {"name": "look", "arguments": '{"x": 1}'},
}
"""A call of the tool `look`, as a message has it."""

SIGNED_CALL = {
    **CALL,
    "extra_content": {"google": {"thought_signature": "signed"}},
}
"""The same call with a signature. Gemini adds one to each call, and may want it back unchanged."""
