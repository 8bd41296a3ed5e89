"""The thinking of a model's reply is read, if it has a known shape.

`{"content": "so", "reasoning_content": "hm"}` -> the thinking "hm".
"""

import json

import pytest

from tests.agent.endpoint.look_tool import ask_with_tool
from tests.agent.endpoint.thinking.repeated_messages import SIGNED_CALL, UNSIGNED_CALL
from tests.support.endpoint_requests import MESSAGES
from tests.support.endpoints import http_response, model_server


@pytest.mark.parametrize(
    "calls",
    [
        pytest.param(None, id="without a call"),
        pytest.param([SIGNED_CALL], id="with a call"),
    ],
)
def test_thinking_in_plain_text_is_read(calls: object) -> None:
    message = {"content": "so", "reasoning_content": "hm", "tool_calls": calls}
    response = http_response(200, json.dumps({"choices": [{"message": message}]}))

    with model_server(response) as server:
        reply = ask_with_tool(server.url, MESSAGES)

    assert reply.reasoning == "hm"


def test_thinking_of_an_unknown_shape_is_left_out() -> None:
    """A chat completion has the field in which replies of the Responses API have a list."""
    message = {"content": "so", "reasoning_items": 5, "tool_calls": [UNSIGNED_CALL]}
    response = http_response(200, json.dumps({"choices": [{"message": message}]}))

    with model_server(response) as server:
        reply = ask_with_tool(server.url, MESSAGES)

    assert [call.name for call in reply.tool_calls] == ["look"]
    assert reply.thinking == ()
