"""Requests of the chat completions protocol, which most vendors speak: calls of tools, and settings.

A request is a list of messages, and the reply is a message: a text, or calls of tools such as
`{"id": "a", "function": {"name": "look", "arguments": "{}"}}`. The next request repeats the calls,
with a result for each.
"""

import json
import socket

from controlplane.agent.endpoint import EndpointSettings
from controlplane.agent.model import Message, Reply, Tool, ToolCall
from tests.support.endpoint_requests import MESSAGES, single_reply_of
from tests.support.endpoints import (
    ModelHttpRequest,
    completion_json,
    http_response,
    model_server,
)

LOOK_TOOL = Tool(
    name="look", description="Look.", parameters={"type": "object", "properties": {}}
)


def ask_with_tool(url: str, messages: list[Message]) -> Reply:
    """Return the reply to messages, with the tool `look` on offer."""
    return single_reply_of(EndpointSettings("m", url), messages, tools=[LOOK_TOOL])


FIRST_CALL = {
    "id": "a",
    "type": "function",
    "function": {"name": "look", "arguments": '{"x": 1}'},
}
SECOND_CALL = {
    "id": "b",
    "type": "function",
    # Some vendors send the arguments as an object instead of a JSON string.
    "function": {"name": "look", "arguments": {"x": 2}},
}
MESSAGE_WITH_TWO_CALLS = {
    "role": "assistant",
    "content": None,
    "tool_calls": [FIRST_CALL, SECOND_CALL],
}
TWO_CALLS = http_response(
    200, json.dumps({"choices": [{"message": MESSAGE_WITH_TWO_CALLS}]})
)


class TestSeveralCalls:
    """A model may make several calls in one reply, and gets a result for each.

    The server replies with two calls of the tool `look`, with the ids "a" and "b".
    """

    def test_several_calls_in_one_reply_are_read_in_order(self) -> None:
        with model_server(TWO_CALLS) as server:
            reply = ask_with_tool(server.url, MESSAGES)

        assert reply.tool_calls == (
            ToolCall(name="look", arguments='{"x": 1}', id="a"),
            ToolCall(name="look", arguments='{"x": 2}', id="b"),
        )

    def test_model_may_make_several_calls_or_none(self) -> None:
        """A `tool_choice` would tell the model to make a call."""
        with model_server(TWO_CALLS) as server:
            ask_with_tool(server.url, MESSAGES)

        body = server.asked[0].body
        assert body["parallel_tool_calls"] is True
        assert "tool_choice" not in body

    def test_calls_and_their_results_are_sent_back_in_order(self) -> None:
        with model_server(TWO_CALLS) as server:
            reply = ask_with_tool(server.url, MESSAGES)
            calls_and_results = [
                Message(
                    role="assistant", content=reply.text, tool_calls=reply.tool_calls
                ),
                Message(role="tool", content="seen", tool_call_id="a"),
                Message(role="tool", content="seen", tool_call_id="b"),
            ]
            ask_with_tool(server.url, MESSAGES + calls_and_results)

        _first_request, second_request = server.asked
        new_messages = second_request.body["messages"][len(MESSAGES) :]
        calls_message, first_result, second_result = new_messages
        first_call, second_call = calls_message["tool_calls"]
        assert first_call["id"] == "a"
        assert second_call["id"] == "b"
        assert first_result["role"] == "tool"
        assert first_result["tool_call_id"] == "a"
        assert second_result["role"] == "tool"
        assert second_result["tool_call_id"] == "b"


class TestConfiguredRequests:
    """The user may add headers and fields to each request.

    Some gateways need them. Values that the user calls secret are shown nowhere.
    """

    def test_configured_headers_are_sent_and_secret_ones_are_never_shown(self) -> None:
        """The server repeats the headers `X-Team` and `X-Gate`, of which the latter is a secret. In
        the reply, `[key]` replaces the secret."""

        def respond(request: ModelHttpRequest, connection: socket.socket) -> bytes:
            team = request.headers["x-team"]
            secret = request.headers["x-gate"]
            return http_response(200, completion_json(f"you sent {team} {secret}"))

        with model_server(respond) as server:
            settings = EndpointSettings(
                "m",
                server.url,
                headers={"X-Team": "blue", "X-Gate": "hush-hush"},
                secrets=("hush-hush",),
            )
            reply = single_reply_of(settings)

        assert reply.text == "you sent blue [key]"
        assert "hush" not in repr(settings)

    def test_configured_fields_are_added_to_the_request(self) -> None:
        """A field of `body` replaces the setting of the same name."""
        with model_server(http_response(200, completion_json("hello"))) as server:
            settings = EndpointSettings(
                "m",
                server.url,
                temperature=0.1,
                body={
                    "temperature": 0.7,
                    "provider": {"order": ["a"]},
                    "chat_template_kwargs": {"enable_thinking": False},
                },
            )
            single_reply_of(settings)

        body = server.asked[0].body
        assert body["temperature"] == 0.7  # not 0.1
        assert body["provider"] == {"order": ["a"]}
        assert body["chat_template_kwargs"] == {"enable_thinking": False}
