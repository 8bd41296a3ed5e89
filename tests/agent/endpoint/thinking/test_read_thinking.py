"""The thinking of a model's reply is read in two forms: as a text, and as fields to send back.

A message `{"content": "so", "reasoning_content": "hm"}` has the thinking "hm". The text of the thinking is
`reply.reasoning`. `reply.thinking` are the fields that a later request sends back to the vendor.
"""

import json

import pytest

from tests.agent.endpoint.look_tool import ask_with_tool
from tests.agent.endpoint.thinking.repeated_messages import CALL, SIGNED_CALL
from tests.support.endpoint_requests import MESSAGES
from tests.support.endpoints import http_response, model_server


@pytest.mark.parametrize(
    "tool_calls",
    [
        pytest.param(None, id="without a call"),
        pytest.param([SIGNED_CALL], id="with a call"),
    ],
)
def test_thinking_in_plain_text_is_read(
    tool_calls: list[dict[str, object]] | None,
) -> None:
    message = {"content": "so", "reasoning_content": "hm", "tool_calls": tool_calls}
    response = http_response(200, json.dumps({"choices": [{"message": message}]}))

    with model_server(response) as server:
        reply = ask_with_tool(server.url, MESSAGES)

    assert reply.reasoning == "hm"


def test_thinking_of_an_unknown_shape_is_left_out() -> None:
    """`reasoning_items` is a list wherever it is known. Here it is a number. The call in the same
    message is read all the same."""
    message = {"content": "so", "reasoning_items": 5, "tool_calls": [CALL]}
    response = http_response(200, json.dumps({"choices": [{"message": message}]}))

    with model_server(response) as server:
        reply = ask_with_tool(server.url, MESSAGES)

    assert [call.name for call in reply.tool_calls] == ["look"]
    assert reply.thinking == ()
