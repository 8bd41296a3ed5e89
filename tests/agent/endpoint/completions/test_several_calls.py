"""A model may make several calls of tools in one reply, and gets a result for each.

Here a server replies, in the chat completions protocol that most vendors speak, with two calls of
the tool `look`, with the ids "a" and "b". The next request repeats the calls, each with its result.
"""

import json

from controlplane.agent.model import Message, ToolCall
from tests.agent.endpoint.look_tool import ask_with_tool
from tests.support.endpoint_requests import MESSAGES
from tests.support.endpoints import http_response, model_server

CALLS = [
    {
        "id": "a",
        "type": "function",
        "function": {"name": "look", "arguments": '{"x": 1}'},
    },
    {
        "id": "b",
        "type": "function",
        # Some vendors send the arguments as an object instead of a JSON string.
        "function": {"name": "look", "arguments": {"x": 2}},
    },
]
MESSAGE = {"role": "assistant", "content": None, "tool_calls": CALLS}
TWO_CALLS = http_response(200, json.dumps({"choices": [{"message": MESSAGE}]}))


def test_several_calls_in_one_reply_are_read_in_order() -> None:
    with model_server(TWO_CALLS) as server:
        reply = ask_with_tool(server.url, MESSAGES)

    assert reply.tool_calls == (
        ToolCall(name="look", arguments='{"x": 1}', id="a"),
        ToolCall(name="look", arguments='{"x": 2}', id="b"),
    )


def test_model_may_make_several_calls_or_none() -> None:
    """A `tool_choice` would tell the model to make a call."""
    with model_server(TWO_CALLS) as server:
        ask_with_tool(server.url, MESSAGES)

    (request,) = server.asked
    body = request.body
    assert body["parallel_tool_calls"] is True
    assert "tool_choice" not in body


def test_calls_and_their_results_are_sent_back_in_order() -> None:
    with model_server(TWO_CALLS) as server:
        reply = ask_with_tool(server.url, MESSAGES)
        calls_and_results = [
            Message(role="assistant", content=reply.text, tool_calls=reply.tool_calls),
            Message(role="tool", content="seen", tool_call_id="a"),
            Message(role="tool", content="seen", tool_call_id="b"),
        ]
        ask_with_tool(server.url, MESSAGES + calls_and_results)

    _first_request, second_request = server.asked
    new_messages = second_request.body["messages"][len(MESSAGES) :]
    calls_message, first_result, second_result = new_messages
    assert [call["id"] for call in calls_message["tool_calls"]] == ["a", "b"]
    assert first_result["role"] == second_result["role"] == "tool"
    assert first_result["tool_call_id"] == "a"
    assert second_result["tool_call_id"] == "b"
