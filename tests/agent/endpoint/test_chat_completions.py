"""Models behind the chat completions protocol, in the variants of many vendors.

A request is a list of messages, and the reply is a `choice` with a message: a text, or
calls of tools such as `{"function": {"name": "look", "arguments": "{}"}}`. The tests show
that replies in unusual shapes are read, and that calls and thinking are sent back as the
vendor expects them.
"""

import json
import socket
from typing import Any

import pytest

from controlplane.agent.endpoint import EndpointSettings, ThinkingBack
from controlplane.agent.endpoint.requests.plain_messages import plain_messages
from controlplane.agent.model import Message, Reply, Tool, ToolCall
from tests.support.endpoints import (
    MESSAGES,
    ModelHttpRequest,
    completion_json,
    http_response,
    model_server,
    single_reply_of,
)

LOOK_TOOL = Tool(
    name="look", description="Look.", parameters={"type": "object", "properties": {}}
)


def ask_with_tool(
    url: str, messages: list[Message], thinking_back: ThinkingBack = "auto"
) -> Reply:
    """Return the reply to messages, with the tool `look` on offer."""
    settings = EndpointSettings("m", url, thinking_back=thinking_back)
    return single_reply_of(settings, messages, tools=[LOOK_TOOL])


def completion_with(message: dict[str, object]) -> bytes:
    """Return the HTTP response with this message of the model."""
    return http_response(200, json.dumps({"choices": [{"message": message}]}))


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


def messages_added_to(request: ModelHttpRequest) -> list[dict[str, Any]]:
    """Return what a request has behind the first messages of the conversation, `MESSAGES`."""
    messages: list[dict[str, Any]] = request.body["messages"]
    return messages[len(MESSAGES) :]


def test_several_calls_in_one_reply_are_read_in_order() -> None:
    """The request allows parallel calls, and leaves it to the model whether to make any."""
    with model_server(completion_with(MESSAGE_WITH_TWO_CALLS)) as server:
        reply = ask_with_tool(server.url, MESSAGES)

    assert reply.tool_calls == (
        ToolCall(name="look", arguments='{"x": 1}', id="a"),
        ToolCall(name="look", arguments='{"x": 2}', id="b"),
    )
    body = server.asked[0].body
    assert body["parallel_tool_calls"] is True
    assert "tool_choice" not in body


def test_calls_and_their_results_are_sent_back_in_order() -> None:
    """The second request repeats the calls of the model, and has a result for each of them."""
    with model_server(completion_with(MESSAGE_WITH_TWO_CALLS)) as server:
        reply = ask_with_tool(server.url, MESSAGES)
        calls_and_results = [
            Message(role="assistant", content=reply.text, tool_calls=reply.tool_calls),
            Message(role="tool", content="seen", tool_call_id="a"),
            Message(role="tool", content="seen", tool_call_id="b"),
        ]
        ask_with_tool(server.url, [*MESSAGES, *calls_and_results])

    _first_request, second_request = server.asked
    calls_message, first_result, second_result = messages_added_to(second_request)
    first_call, second_call = calls_message["tool_calls"]
    assert first_call["id"] == "a"
    assert second_call["id"] == "b"
    assert first_result["role"] == "tool"
    assert first_result["tool_call_id"] == "a"
    assert second_result["role"] == "tool"
    assert second_result["tool_call_id"] == "b"


# A reply with thinking, which is in two fields: as plain text in `reasoning_content`, and encrypted in
# `reasoning_details`.
THINKING_MESSAGE = {
    "content": "so",
    "reasoning_content": "hm",
    "reasoning_details": [{"type": "reasoning.encrypted", "data": "sealed"}],
    "tool_calls": None,
}
# Gemini signs a call, and refuses it in later requests if the signature is missing.
SIGNED_CALL = {
    **FIRST_CALL,
    "extra_content": {"google": {"thought_signature": "signed"}},
}
THINKING_MESSAGE_WITH_CALL = {**THINKING_MESSAGE, "tool_calls": [SIGNED_CALL]}


def message_sent_back(
    message: dict[str, object], thinking_back: ThinkingBack
) -> dict[str, object]:
    """Return the model's message as the next request repeats it."""
    with model_server(completion_with(message)) as server:
        reply = ask_with_tool(server.url, MESSAGES, thinking_back)
        assert reply.reasoning == "hm"
        repeated_message = Message(
            role="assistant",
            content="so",
            tool_calls=reply.tool_calls,
            thinking=reply.thinking,
        )
        ask_with_tool(server.url, [*MESSAGES, repeated_message], thinking_back)

    _first_request, second_request = server.asked
    (message_of_request,) = messages_added_to(second_request)
    return message_of_request


def thinking_fields_of(message: dict[str, object]) -> set[str]:
    """Return the fields of a message that hold thinking. Vendors use one or two of three fields."""
    all_fields = {"reasoning", "reasoning_content", "reasoning_details"}
    return all_fields & message.keys()


def is_signed(message: dict[str, object]) -> bool:
    """Return True if the calls of a message have the signature that came with them."""
    return "signed" in str(message.get("tool_calls"))


def test_thinking_before_a_call_is_sent_back_by_default() -> None:
    """A vendor may refuse a call that comes back without its thinking or its signature. Of the two
    fields with thinking, OpenRouter wants `reasoning_details` back."""
    message = message_sent_back(THINKING_MESSAGE_WITH_CALL, thinking_back="auto")

    assert thinking_fields_of(message) == {"reasoning_details"}
    assert is_signed(message)


def test_thinking_without_a_call_is_not_sent_back_by_default() -> None:
    """No vendor requires it, and it would make each further request more expensive."""
    message = message_sent_back(THINKING_MESSAGE, thinking_back="auto")

    assert thinking_fields_of(message) == set()
    assert not is_signed(message)


@pytest.mark.parametrize(
    "message_of_model",
    [
        pytest.param(THINKING_MESSAGE, id="without a call"),
        pytest.param(THINKING_MESSAGE_WITH_CALL, id="with a call"),
    ],
)
def test_thinking_is_sent_back_in_the_field_that_the_user_has_set(
    message_of_model: dict[str, object],
) -> None:
    """The setting `thinking_back` names the field, for vendors that we do not know. Nothing else is
    sent back, not even the signature of a call."""
    message = message_sent_back(message_of_model, thinking_back="reasoning_content")

    assert thinking_fields_of(message) == {"reasoning_content"}
    assert not is_signed(message)


def test_thinking_is_never_sent_back_if_the_user_has_set_that() -> None:
    """With `none`, the signature of a call is left out as well."""
    message = message_sent_back(THINKING_MESSAGE_WITH_CALL, thinking_back="none")

    assert thinking_fields_of(message) == set()
    assert not is_signed(message)


def test_configured_headers_are_sent_and_secret_ones_are_never_shown() -> None:
    """The server repeats the headers `X-Team` and `X-Gate`, of which the latter is a secret. In the
    reply, `[key]` replaces the secret."""

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


def test_configured_fields_are_added_to_the_request() -> None:
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


def reply_of_document(document: dict[str, object]) -> Reply:
    """Return how a server's JSON is read. It begins with a byte order mark, as some send it."""
    byte_order_mark = "\ufeff"
    body = byte_order_mark + json.dumps(document)
    with model_server(http_response(200, body)) as server:
        return ask_with_tool(server.url, MESSAGES)


def choice_with(**message: object) -> dict[str, object]:
    """Return a completion whose message has these fields: `choice_with(content="hello")`."""
    return {"choices": [{"message": message}]}


WHOLE_MESSAGE = {"content": "all of it"}


@pytest.mark.parametrize(
    ("document", "expected_text"),
    [
        pytest.param(
            {
                "choices": [
                    {"index": 1, "message": {"content": ""}},
                    {"index": 0, "message": WHOLE_MESSAGE},
                ]
            },
            "all of it",
            id="choices out of order",
        ),
        pytest.param(
            {"choices": [{"message": {"content": None}}, {"message": WHOLE_MESSAGE}]},
            "all of it",
            id="empty first choice",
        ),
        pytest.param(
            {"choices": [{"delta": WHOLE_MESSAGE}]},
            "all of it",
            id="named as in a stream",
        ),
        pytest.param({"choices": []}, "", id="no choices"),
        pytest.param({"choices": None}, "", id="null instead of choices"),
        pytest.param(
            {"choices": [{"text": "old"}]}, "old", id="older completions protocol"
        ),
        pytest.param(
            {
                "choices": [{"message": WHOLE_MESSAGE}],
                "error": {"code": 0, "message": ""},
            },
            "all of it",
            id="error with the code for success",
        ),
        pytest.param(
            choice_with(content={"code": "1"}),
            '{"code": "1"}',
            id="object instead of text",
        ),
        pytest.param(
            choice_with(content="", reasoning_content='{"code": "1"}'),
            '{"code": "1"}',
            id="action in the thinking",
        ),
        pytest.param(
            choice_with(content="", reasoning="so {}"),
            "",
            id="thinking without an action",
        ),
    ],
)
def test_text_is_read_from_a_completion_of_any_shape(
    document: dict[str, object], expected_text: str
) -> None:
    """Usually it is in `choices[0].message.content`. Some vendors put it elsewhere."""
    reply = reply_of_document(document)

    assert reply.text == expected_text
    assert reply.tool_calls == ()


@pytest.mark.parametrize(
    "document",
    [
        pytest.param(
            choice_with(
                content=None, function_call={"name": "look", "arguments": "{}"}
            ),
            id="older field for calls",
        ),
        pytest.param(
            choice_with(
                content=None,
                tool_calls=[{"id": "a", "name": "look", "arguments": "{}"}],
            ),
            id="name and arguments outside of `function`",
        ),
        pytest.param(
            choice_with(tool_calls=[{"function": {"name": None, "arguments": None}}]),
            id="call without name and arguments",
        ),
    ],
)
def test_call_is_read_from_a_completion_of_any_shape(
    document: dict[str, object],
) -> None:
    """Usually it is `choices[0].message.tool_calls[0].function`. An object in the list is a call even if
    it has no name and no arguments."""
    reply = reply_of_document(document)

    assert reply.text == ""
    assert len(reply.tool_calls) == 1


def test_calls_and_results_become_text_for_an_endpoint_without_tools() -> None:
    """The two calls become one message of the model, a JSON text. Their results become one message of
    the user, together with what the user says next."""
    calls = (
        ToolCall(id="a", name="read", arguments='{"path": "/x"}'),
        ToolCall(id="b", name="list", arguments="{"),  # Not JSON, so it stays a string.
    )

    messages = plain_messages(
        [
            {"role": "assistant", "content": "", "tool_calls": calls},
            {"role": "tool", "content": "one", "tool_call_id": "a"},
            {"role": "tool", "content": "two", "tool_call_id": "b"},
            {"role": "user", "content": "which?"},
        ]
    )

    calls_message, results_message = messages
    assert calls_message["role"] == "assistant"
    assert json.loads(calls_message["content"])["calls"] == [
        {"name": "read", "arguments": {"path": "/x"}},
        {"name": "list", "arguments": "{"},
    ]
    assert results_message["role"] == "user"
    assert results_message["content"] == (
        '<result of="read">\none\n</result>\n<result of="list">\ntwo\n</result>\nwhich?'
    )
