"""Replies and errors of a model's API are understood, whatever the vendor's spelling.

Texts, calls of tools, thinking and the reason of the end are read from the fields of each vendor,
and sent back in the form that the vendor expects. An error either ends only its trial, stops the
run since only the user can correct it, or is tried again. An error that a gateway passes on is
read from inside.
"""

import json
import socket
from contextlib import closing

import pytest

from controlplane.agent.endpoint import (
    Endpoint,
    EndpointSettings,
    ListedModel,
    ThinkingBack,
)
from controlplane.agent.endpoint.requests import plain_messages
from controlplane.agent.model import Message, ModelError, Reply, ToolCall
from tests.agent.endpoint.look_tool import LOOK_TOOL, ask_with_tool
from tests.support.endpoint_requests import (
    ACTION_JSON,
    CANARY_API_KEY,
    MESSAGES,
    error_of_request,
    single_reply_of,
)
from tests.support.phonebook_model import (
    ByteServer,
    ModelHttpRequest,
    completion_json,
    error_response,
    http_response,
    model_server,
)

# How the JSON of a model's server is read.
#
#     reply_of_document({"choices": [{"message": {"content": "hi"}}]}).text == "hi"
#
# The server speaks the chat completions protocol.


def reply_of_document(document: dict[str, object]) -> Reply:
    """Return how a server's JSON is read."""
    with model_server(http_response(200, json.dumps(document))) as server:
        return ask_with_tool(server.url, MESSAGES)


# The error of a request to a model's API, if the server answers otherwise than with a reply.
#
#     error = error_after(error_response(500, "boom"))
#
# The error's message is one line, with "500: boom" and the server's address.


def error_after(response: bytes) -> ModelError:
    """Return the error of a request that a server answers with `response`.

    `error_of_request` checks that the error is a short line without the user's key.
    """
    with model_server(response) as server:
        error = error_of_request(server.url)
    assert f"127.0.0.1:{server.port}/v1" in str(error)
    assert len(server.asked) == 1
    return error


# A model's message with its thinking, and the same message as the next request sends it back.
#
#     message = {"content": "so", "reasoning_content": "hm"}
#     message_sent_back(message, thinking_back="none")                 # has "so" alone
#     message_sent_back(message, thinking_back="reasoning_content")    # has "so" and "hm"
#
# The setting `thinking_back` names the field of thinking that is sent back. With `auto`, only what a known
# vendor requires is sent back, such as the signature of `SIGNED_CALL`.

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


# The user may add headers and fields to each request to a model's API.
#
# Some gateways need them. Values that the user calls secret are shown nowhere:
# `headers={"X-Gate": "hush-hush"}, secrets=("hush-hush",)` -> "[key]" wherever it is repeated.


def test_configured_headers_are_sent_and_secret_ones_are_never_shown() -> None:
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

    (request,) = server.asked
    body = request.body
    assert body["temperature"] == 0.7  # not 0.1
    assert body["provider"] == {"order": ["a"]}
    assert body["chat_template_kwargs"] == {"enable_thinking": False}


# A message of a model is read from the fields that vendors use for texts and calls of tools.
#
# Usually a text is in `content`, and a call is an entry of `tool_calls`, such as
# `{"function": {"name": "look", "arguments": "{}"}}`. Some vendors put them elsewhere.


@pytest.mark.parametrize(
    ("message", "expected_text"),
    [
        pytest.param(
            {"content": {"code": "1"}}, '{"code": "1"}', id="object instead of text"
        ),
        pytest.param(
            {"content": "", "reasoning_content": '{"code": "1"}'},
            '{"code": "1"}',
            id="action in the thinking",
        ),
        pytest.param(
            {"content": "", "reasoning": "so {}"},
            "",
            id="thinking without an action",
        ),
    ],
)
def test_text_is_read_from_the_fields_of_a_message(
    message: dict[str, object], expected_text: str
) -> None:
    """A model may write its action, a JSON object with `code`, into the thinking by mistake."""
    reply = reply_of_document({"choices": [{"message": message}]})

    assert reply.text == expected_text
    assert reply.tool_calls == ()


@pytest.mark.parametrize(
    "message",
    [
        pytest.param(
            {"content": None, "function_call": {"name": "look", "arguments": "{}"}},
            id="older field for calls",
        ),
        pytest.param(
            {
                "content": None,
                "tool_calls": [{"id": "a", "name": "look", "arguments": "{}"}],
            },
            id="name and arguments outside of `function`",
        ),
        pytest.param(
            {"tool_calls": [{"function": {"name": None, "arguments": None}}]},
            id="call without name and arguments",
        ),
    ],
)
def test_call_is_read_from_a_message_of_any_shape(message: dict[str, object]) -> None:
    """An object in the list is a call even if it has no name and no arguments: the model is
    then told what is missing."""
    reply = reply_of_document({"choices": [{"message": message}]})

    assert reply.text == ""
    assert len(reply.tool_calls) == 1


# A model may make several calls of tools in one reply, and gets a result for each.
#
# Here a server replies, in the chat completions protocol that most vendors speak, with two calls of
# the tool `look`, with the ids "a" and "b". The next request repeats the calls, each with its result.

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


# The text of a *completion*, a model's reply, is found wherever a vendor puts it.
#
# Usually it is in `choices[0].message.content`. Some vendors put it elsewhere:
# `{"choices": [{"text": "old"}]}` -> the text "old".


@pytest.mark.parametrize(
    ("document", "expected_text"),
    [
        pytest.param(
            {
                "choices": [
                    {"message": {"content": None}},
                    {"message": {"content": "hi"}},
                ]
            },
            "hi",
            id="empty first choice",
        ),
        pytest.param(
            {
                "choices": [
                    {"index": 1, "message": {"content": ""}},
                    {"index": 0, "message": {"content": "hi"}},
                ]
            },
            "hi",
            id="choices out of order",
        ),
        pytest.param(
            {
                "choices": [
                    {"index": 10, "message": {"content": "eleventh"}},
                    {"index": 2, "message": {"content": "third"}},
                ]
            },
            "third",
            id="choices by number, not by digits",
        ),
        pytest.param(
            {"choices": [{"delta": {"content": "hi"}}]},
            "hi",
            id="named as in a stream",
        ),
        pytest.param(
            {"choices": [{"text": "old"}]}, "old", id="older completions protocol"
        ),
        pytest.param({"choices": []}, "", id="no choices"),
        pytest.param({"choices": None}, "", id="null instead of choices"),
        pytest.param(
            {
                "choices": [{"message": {"content": "hi"}}],
                "error": {"code": 0, "message": ""},
            },
            "hi",
            id="error with the code for success",
        ),
        pytest.param(
            {
                "choices": [{"message": {"content": "hi"}}],
                "error": {"code": "", "message": ""},
            },
            "hi",
            id="error with an empty code",
        ),
    ],
)
def test_text_is_read_wherever_the_message_stands(
    document: dict[str, object], expected_text: str
) -> None:
    reply = reply_of_document(document)

    assert reply.text == expected_text
    assert reply.tool_calls == ()


# Some servers send a byte order mark before their JSON.

BYTE_ORDER_MARK = "\ufeff"


def test_reply_behind_a_byte_order_mark_is_read() -> None:
    body = BYTE_ORDER_MARK + completion_json("hi")

    with model_server(http_response(200, body)) as server:
        reply = ask_with_tool(server.url, MESSAGES)

    assert reply.text == "hi"


def test_error_behind_a_byte_order_mark_is_no_reply() -> None:
    """The server says that it has failed, with the status 200 and without a text."""
    document = {"choices": [], "error": {"message": "overloaded", "code": 503}}
    body = BYTE_ORDER_MARK + json.dumps(document)

    error = error_after(http_response(200, body))

    assert "(503: overloaded)" in str(error)


# A reply that the model spoilt is asked for again, in this trial only.
#
# The server works, so other trials can go on (the error is not one that `affects_all`), and the model
# may write a better reply next time (it is `retryable`).


@pytest.mark.parametrize(
    ("response", "expected_text"),
    [
        pytest.param(
            error_response(400, "Failed to generate JSON", code="json_validate_failed"),
            "no proper form",
            id="invalid JSON of the model",
        ),
        pytest.param(
            http_response(200, '{"choices": [' + "{}," * 100_000 + "{}]}"),
            "it holds too many values",
            id="too many values",
        ),
    ],
)
def test_bad_reply_of_the_model_is_tried_again_in_this_trial(
    response: bytes, expected_text: str
) -> None:
    error = error_after(response)

    assert error.retryable
    assert not error.affects_all
    assert expected_text in str(error)


# A connection to a model's server that breaks off is no fault of the trial that uses it.
#
# The server may be restarting. So the run waits until it recovers (the error `affects_all`), and asks
# again (it is `retryable`).


@pytest.mark.parametrize(
    ("response", "expected_texts"),
    [
        pytest.param(
            b"HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\n{",
            ["broke off", "is the server still running?"],
            id="incomplete body",
        ),
        pytest.param(b"", ["broke off"], id="closed connection"),
        pytest.param(b"SSH-2.0-OpenSSH\r\n\r\n", ["broke off"], id="another protocol"),
        pytest.param(
            b"HTTP/1.1 200 OK\r\n" + b"x" * 5_000 + b"\r\n\r\n",
            ["broke off (illegal header line"],
            id="long line",
        ),
    ],
)
def test_connection_that_breaks_off_is_tried_again(
    response: bytes, expected_texts: list[str]
) -> None:
    error = error_after(response)

    assert error.retryable
    assert error.affects_all
    for text in expected_texts:
        assert text in str(error)


# Errors of a vendor that a gateway to many vendors writes into the text of its own error.
#
# `{"error": {"message": "upstream said {\"error\": {\"message\": \"no credit\"}}"}}` -> "no credit".
# What the user should do is said by the vendor's message inside.

ERRORS_IN_MESSAGES_VENDOR_MESSAGE = "Your credit balance is too low to access the API."


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(
            {
                "error": {
                    "message": "litellm.BadRequestError: OpenAIException - "
                    f"{{'error': {{'message': '{ERRORS_IN_MESSAGES_VENDOR_MESSAGE}'}}}}"
                }
            },
            id="Python syntax in a message",
        ),
        pytest.param(
            {
                "error": {
                    "message": "upstream said "
                    f'{{"error": {{"message": "{ERRORS_IN_MESSAGES_VENDOR_MESSAGE}"}}}}'
                }
            },
            id="JSON in a message",
        ),
    ],
)
def test_error_written_into_a_message_is_read_from_inside(body: object) -> None:
    """The user reads that no credit is left, which stops the run, and what the vendor said."""
    with model_server(http_response(400, json.dumps(body))) as server:
        error = error_of_request(server.url)

    assert len(server.asked) == 1
    assert not error.retryable
    assert error.affects_all
    assert str(error).startswith("no credit is left")
    assert ERRORS_IN_MESSAGES_VENDOR_MESSAGE in str(error)
    assert f"127.0.0.1:{server.port}/v1" in str(error)


# An error that is due to one conversation ends only its trial.
#
# A model's API refuses a request for its content or its length. The conversations of other trials may
# be shorter or have other contents, so the run goes on: the error is not one that `affects_all`. To
# send the same conversation again would not help, so it is not `retryable`.


@pytest.mark.parametrize(
    ("response", "expected_texts"),
    [
        pytest.param(
            error_response(403, "Input was flagged by moderation"),
            ["403: Input was flagged"],
            id="refused content",
        ),
        pytest.param(
            error_response(400, "the request exceeds the available context size"),
            ["--initial-prompt-chars", "context"],
            id="too long for llama.cpp",
        ),
        pytest.param(
            error_response(400, "This model's maximum context length is 8 tokens"),
            ["--initial-prompt-chars"],
            id="too long for OpenAI",
        ),
    ],
)
def test_error_due_to_the_conversation_ends_only_this_trial(
    response: bytes, expected_texts: list[str]
) -> None:
    error = error_after(response)

    assert not error.retryable
    assert not error.affects_all
    for text in expected_texts:
        assert text in str(error)


# An error that only the user can correct, such as a wrong key, stops the run.
#
# A request to a model's API fails. To try again would not help (`retryable` is false), and all other
# trials would meet the same error (`affects_all`). The message has the status, what the server says,
# and what the user can change: 401 -> "the key is refused ...; set OPENAI_API_KEY".


@pytest.mark.parametrize(
    ("response", "expected_texts"),
    [
        pytest.param(
            error_response(401, f"Incorrect API key provided: {CANARY_API_KEY}"),
            ["the key is refused", "OPENAI_API_KEY", "[key]"],
            id="wrong key",
        ),
        pytest.param(
            error_response(200, "no key", code=401),
            ["the key is refused"],
            id="wrong key with the status 200",
        ),
        pytest.param(
            error_response(403, "not for you"),
            ["the key is refused (403: not for you)", "OPENAI_API_KEY"],
            id="key without the right",
        ),
        pytest.param(
            error_response(402, "Insufficient credits"),
            ["no credit is left", "402"],
            id="no credit",
        ),
        pytest.param(
            error_response(
                429, "You exceeded your current quota", code="insufficient_quota"
            ),
            ["no credit is left"],
            id="no quota",
        ),
        pytest.param(
            error_response(404, "model not found"),
            ["no model 'm'", "--model", "OPENAI_BASE_URL"],
            id="unknown model",
        ),
        pytest.param(
            http_response(404, "404 page not found"),
            ["404 page not found", "/v1"],
            id="wrong path",
        ),
        pytest.param(
            http_response(405, "no"),
            ["no requests are taken", "/v1"],
            id="wrong method",
        ),
        pytest.param(
            http_response(302, "", {"location": "https://elsewhere.test/"}),
            ["elsewhere.test", "OPENAI_BASE_URL"],
            id="redirect",
        ),
        pytest.param(
            error_response(404, "No endpoints found matching your data policy"),
            ["the account's settings allow no provider", "allow one there"],
            id="OpenRouter: no provider by the account's settings",
        ),
        pytest.param(
            error_response(400, 'Failed to load model "m". Error: no memory'),
            ["the server cannot load the model", "server's log"],
            id="LM Studio: no memory",
        ),
        pytest.param(
            error_response(500, "model requires more system memory (3 GiB)"),
            ["the server cannot load the model"],
            id="Ollama: no memory",
        ),
        pytest.param(
            error_response(
                400, "The `reasoning_content` in thinking mode must be passed back"
            ),
            ["earlier thinking is wanted back", "thinking_back = 'reasoning_content'"],
            id="DeepSeek: thinking is not sent back",
        ),
    ],
)
def test_error_that_only_the_user_can_correct_stops_the_run(
    response: bytes, expected_texts: list[str]
) -> None:
    error = error_after(response)

    assert not error.retryable
    assert error.affects_all
    for text in expected_texts:
        assert text in str(error)


# A failure of the server of a model affects all trials, so the run waits until it recovers.
#
# The error of the request says that it may be tried again (`retryable`) and that other trials would
# meet it (`affects_all`). Its message has the status and what the server says: the message of an error
# in JSON, or the title of a page. 502 and `<title>Bad Gateway</title>` -> "(502: Bad Gateway)".


@pytest.mark.parametrize(
    ("response", "expected_texts"),
    [
        pytest.param(error_response(500, "boom"), ["500: boom"], id="failure"),
        pytest.param(http_response(503, ""), ["(503)"], id="overloaded"),
        pytest.param(
            http_response(523, "<title>Origin is unreachable</title>"),
            ["(523: Origin is unreachable)"],
            id="failure that Cloudflare reports",
        ),
        pytest.param(http_response(599, ""), ["(599)"], id="unknown status"),
        pytest.param(
            http_response(
                502, "<html><title>502 Bad Gateway</title><body>x</body></html>"
            ),
            ["(502: 502 Bad Gateway)"],
            id="failure as a page",
        ),
        pytest.param(
            error_response(200, "Provider returned error", code=502),
            ["502: Provider returned error"],
            id="failure with the status 200",
        ),
        pytest.param(
            error_response(400, "The model has crashed without information."),
            ["a failure for the moment"],
            id="LM Studio loads a crashed model again",
        ),
    ],
)
def test_failure_that_the_server_reports_is_tried_again(
    response: bytes, expected_texts: list[str]
) -> None:
    error = error_after(response)

    assert error.retryable
    assert error.affects_all
    for text in expected_texts:
        assert text in str(error)


# A response that is not a completion (a model's reply) is reported, and asked for again.
#
# Somebody else may have answered, such as the login page of a network. So the message of the error
# says what came instead. The request may be tried again (`retryable`), and all other trials would meet
# the error (`affects_all`).


@pytest.mark.parametrize(
    ("response", "expected_texts"),
    [
        pytest.param(
            http_response(
                200,
                "<!DOCTYPE html><html><head><title>Sign in</title></head>"
                "<body><h1>Welcome</h1></body></html>",
                {"content-type": "text/html"},
            ),
            ["other than a chat completion", "'Sign in'", "OPENAI_BASE_URL"],
            id="page to sign in",
        ),
        pytest.param(
            http_response(200, ""),
            ["other than a chat completion", "an empty body"],
            id="empty body",
        ),
        pytest.param(
            http_response(200, '{"models": []}'),
            ["other than a chat completion", "it has no choices", "/v1"],
            id="JSON of another kind",
        ),
        pytest.param(
            http_response(200, "[" * 100_000),
            ["other than a chat completion"],
            id="deeply nested JSON",
        ),
        pytest.param(
            http_response(200, b"\xff\xfe\x00" + CANARY_API_KEY.encode()),
            ["other than a chat completion"],
            id="bytes that are not text",
        ),
        pytest.param(
            http_response(200, "{}", {"content-encoding": "br"}),
            ["content-encoding is 'br'"],
            id="unsupported compression",
        ),
    ],
)
def test_body_that_is_not_a_completion_is_tried_again(
    response: bytes, expected_texts: list[str]
) -> None:
    error = error_after(response)

    assert error.retryable
    assert error.affects_all
    for text in expected_texts:
        assert text in str(error)


# Errors of a vendor that a gateway passes on.
#
# A gateway sends requests to many vendors. It wraps their errors into its own, each gateway in
# another way: `{"error": {"message": "Provider returned error", "metadata": {"raw": "..."}}}`. What
# the user should do is said by the vendor's message inside.

VENDOR_MESSAGE = "Your credit balance is too low to access the API."


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(
            {
                "error": {
                    "message": "Provider returned error",
                    "code": 400,
                    "metadata": {"raw": VENDOR_MESSAGE},
                }
            },
            id="metadata",
        ),
        pytest.param(
            {
                "error": {
                    "message": "All providers failed.",
                    "attempts": [{"status": 400, "message": VENDOR_MESSAGE}],
                }
            },
            id="list of attempts",
        ),
        pytest.param([{"error": {"message": VENDOR_MESSAGE}}], id="list"),
        pytest.param(
            {"detail": [{"loc": ["body"], "msg": VENDOR_MESSAGE}]}, id="detail"
        ),
        pytest.param(
            {"detail": {"error": {"message": VENDOR_MESSAGE}}}, id="error in a detail"
        ),
        pytest.param(
            {"success": False, "errors": [{"code": 7, "message": VENDOR_MESSAGE}]},
            id="list of errors",
        ),
        pytest.param({"object": "error", "message": VENDOR_MESSAGE}, id="top level"),
    ],
)
def test_error_that_a_gateway_passes_on_is_read_from_inside(body: object) -> None:
    """The user reads that no credit is left, which stops the run, and what the vendor said."""
    with model_server(http_response(400, json.dumps(body))) as server:
        error = error_of_request(server.url)

    assert len(server.asked) == 1
    assert not error.retryable
    assert error.affects_all
    assert str(error).startswith("no credit is left")
    assert VENDOR_MESSAGE in str(error)
    assert f"127.0.0.1:{server.port}/v1" in str(error)


# A model's server refuses a request for an unknown reason, and answers a small request.
#
# If the reason is not known, the endpoint sends a second, small request with the same fields and
# another conversation. If that is answered, the refusal was due to the conversation, and only this
# trial ends. Here, the server refuses the conversation of the trial, and answers any other request.


def respond_to_small_request(
    request: ModelHttpRequest, connection: socket.socket
) -> bytes:
    """Refuse the conversation of the trial, and answer any other request."""
    if request.body["messages"] == MESSAGES:
        return error_response(400, "no")
    completion = completion_json(ACTION_JSON, prompt_tokens=11, completion_tokens=7)
    return http_response(200, completion)


def test_unexplained_refusal_of_one_conversation_ends_only_this_trial() -> None:
    with model_server(respond_to_small_request) as server:
        error = error_of_request(server.url)

    assert not error.retryable
    assert not error.affects_all


def test_small_request_has_the_fields_of_the_refused_one() -> None:
    """Otherwise it would not show whether one of the fields is refused. It begins with the same
    system prompt."""
    with model_server(respond_to_small_request) as server:
        error_of_request(server.url)

    refused_request, small_request = server.asked
    assert small_request.body.keys() == refused_request.body.keys()
    assert small_request.body["messages"][0] == MESSAGES[0]


def test_error_has_the_tokens_of_the_answer_to_the_small_request() -> None:
    """The answer costs money, although the trial does not use it."""
    with model_server(respond_to_small_request) as server:
        error = error_of_request(server.url)

    assert error.test_reply is not None
    assert error.test_reply.usage.prompt_tokens == 11
    assert error.test_reply.usage.completion_tokens == 7


# A model's server refuses a request for an unknown reason, and a small request, too.
#
# If the reason is not known, such as "400: temperature must be 1", the endpoint sends a second, small
# request with the same fields and another conversation. If that is refused as well, the refusal is not
# due to the conversation. All other trials would meet it, so the run is stopped (`affects_all`).


@pytest.mark.parametrize(
    ("refusal", "expected_text"),
    [
        pytest.param(
            error_response(400, "temperature must be 1"),
            "the request is refused (400: temperature must be 1)",
            id="unknown reason",
        ),
        pytest.param(
            http_response(422, '{"detail": [{"msg": "field required"}]}'),
            "the request is refused (422: field required)",
            id="unknown reason in the form of FastAPI",
        ),
        pytest.param(
            http_response(400, '{"error": [' + "{}," * 100_000 + "{}]}"),
            "the request is refused (400",
            id="error of 100,000 objects",
        ),
    ],
)
def test_refusal_of_every_request_for_an_unknown_reason_stops_the_run(
    refusal: bytes, expected_text: str
) -> None:
    """The small request is refused, too, so the refusal is not due to the conversation."""
    with model_server(refusal) as server:
        error = error_of_request(server.url)

    assert not error.retryable
    assert error.affects_all
    assert expected_text in str(error)
    assert f"127.0.0.1:{server.port}/v1" in str(error)
    assert len(server.asked) == 2


@pytest.mark.parametrize(
    ("answer_to_small_request", "affects_all"),
    [
        pytest.param(
            http_response(200, "<title>Sign in</title>"), True, id="page of somebody"
        ),
        pytest.param(
            http_response(200, '{"choices": [' + "{}," * 100_000 + "{}]}"),
            False,
            id="reply of a model that cannot be read",
        ),
        pytest.param(b"", False, id="broken connection"),
        pytest.param(error_response(429, "slow down"), False, id="busy"),
        pytest.param(error_response(400, "no, either"), True, id="refusal"),
    ],
)
def test_answer_to_the_small_request_shows_who_is_affected(
    answer_to_small_request: bytes, *, affects_all: bool
) -> None:
    """A page says that there is no API at all, and a second refusal that all requests are refused.
    Anything else leaves it to the other trials."""

    def respond(request: ModelHttpRequest, connection: socket.socket) -> bytes:
        if request.body["messages"] == MESSAGES:
            return error_response(400, "no")
        return answer_to_small_request

    with model_server(respond) as server:
        error = error_of_request(server.url)

    assert "the request is refused (400: no)" in str(error)
    assert error.affects_all is affects_all


# Codes of an error are shown beside its messages, as one short word.


@pytest.mark.parametrize(
    ("response", "expected_text"),
    [
        pytest.param(
            error_response(401, "no", code="bad\nkey"), "[bad key]", id="two lines"
        ),
        pytest.param(
            error_response(401, "no", code="k" * 5_000),
            "[kkkkkk",
            id="5,000 characters",
        ),
        pytest.param(
            http_response(401, '{"status": false, "message": "no"}'),
            "(401: no)",
            id="a truth value is no code",
        ),
        pytest.param(
            http_response(401, '{"error": {"code": "bad_key"}}'),
            "(401: [bad_key])",
            id="a code alone",
        ),
        pytest.param(
            http_response(401, '{"code": "bad_key", "why": "it has ended"}'),
            "it has ended",
            id="a text in an unknown field",
        ),
    ],
)
def test_code_of_an_error_is_one_short_word(
    response: bytes, expected_text: str
) -> None:
    error = error_after(response)

    assert expected_text in str(error)


# A server of a model that gets too many requests is asked again later.
#
# The error says that the request may be tried again (`retryable`), that other trials would meet it
# (`affects_all`), and which option lowers the number of requests: `--concurrency`.


@pytest.mark.parametrize(
    ("response", "expected_texts"),
    [
        pytest.param(
            error_response(429, "slow down"),
            ["too many requests", "--concurrency", "slow down"],
            id="too many requests",
        ),
        pytest.param(
            http_response(429, "no", {"retry-after": "\u00d9"}),
            ["too many requests"],
            id="unreadable header",
        ),
        pytest.param(
            error_response(429, "Please retry after 86400 seconds."),
            ["which asks to wait 86400 s"],
            id="seconds in words",
        ),
        pytest.param(
            error_response(429, "Please try again in 20ms."),
            ["which asks to wait 0.02 s"],
            id="a short unit",
        ),
        pytest.param(
            error_response(429, "Please try again in 7m12.5s."),
            ["which asks to wait 432.5 s"],
            id="two units",
        ),
        pytest.param(
            error_response(429, "Retry in 1 hour, 2 minutes and 250 milliseconds"),
            ["which asks to wait 3720.25 s"],
            id="units in words",
        ),
        pytest.param(
            error_response(429, "Try again in 7m12s", {"retry-after": "430"}),
            ["which asks to wait 430 s"],
            id="the header counts first",
        ),
    ],
)
def test_too_many_requests_are_tried_again(
    response: bytes, expected_texts: list[str]
) -> None:
    """The header `retry-after` may say when, or else the text."""
    error = error_after(response)

    assert error.retryable
    assert error.affects_all
    for text in expected_texts:
        assert text in str(error)


# Why a model's reply ended: `length` if it was cut off, `content_filter` if it was withheld.
#
# Each vendor has its own words: Anthropic says `max_tokens` for a reply that was cut off. The product
# translates these two reasons, since such a reply must not be used. The vendor's own word is kept
# beside it. Any other word means that the reply is complete, and is not translated. A gateway, which
# sends requests to many vendors, says its word, and the vendor's as `native_finish_reason`. The vendor
# knows better why its reply ended.


@pytest.mark.parametrize(
    ("fields", "reason", "native_reason"),
    [
        ({"finish_reason": "max_tokens"}, "length", "max_tokens"),
        ({"finish_reason": "MAX_TOKENS"}, "length", "MAX_TOKENS"),
        ({"finish_reason": "model_length"}, "length", "model_length"),
        ({"finish_reason": "FINISH_MAX_TOKENS"}, "length", "FINISH_MAX_TOKENS"),
        ({"finish_reason": "SAFETY"}, "content_filter", "SAFETY"),
        ({"finish_reason": "RECITATION"}, "content_filter", "RECITATION"),
        ({"finish_reason": "refusal"}, "content_filter", "refusal"),
        ({"finish_reason": "sensitive"}, "content_filter", "sensitive"),
        ({"finish_reason": "length"}, "length", ""),
        ({"finish_reason": "content_filter"}, "content_filter", ""),
        ({"finish_reason": "stop"}, "stop", ""),
        ({"finish_reason": "STOP"}, "STOP", ""),
        ({"finish_reason": "tool_calls"}, "tool_calls", ""),
        ({"finish_reason": "function_call"}, "function_call", ""),
        ({"finish_reason": "end_turn"}, "end_turn", ""),
        ({"finish_reason": "eos"}, "eos", ""),
        ({"finish_reason": ""}, "stop", ""),
        ({"finish_reason": None}, "stop", ""),
        ({}, "stop", ""),
        (
            {"finish_reason": "stop", "native_finish_reason": "MAX_TOKENS"},
            "length",
            "MAX_TOKENS",
        ),
        (
            {"finish_reason": "stop", "native_finish_reason": "END_TURN"},
            "stop",
            "END_TURN",
        ),
        (
            {"finish_reason": "length", "native_finish_reason": "length"},
            "length",
            "",
        ),
        (
            {"finish_reason": "tool_calls", "native_finish_reason": "tool_calls"},
            "tool_calls",
            "",
        ),
    ],
)
def test_reason_of_the_end_is_read_from_the_words_of_any_vendor(
    fields: dict[str, object], reason: str, native_reason: str
) -> None:
    reply = reply_of_document({"choices": [{"message": {"content": "hi"}, **fields}]})

    assert reply.finish_reason == reason
    assert reply.native_finish_reason == native_reason


# Reading a model's context size from the list of models that an endpoint publishes.
#
# Each server names that number differently: vLLM lists `{"id": "m", "max_model_len": 8192}`,
# and llama.cpp lists `{"id": "m", "meta": {"n_ctx": 8192}}`.


def models_listed_by(body: bytes | str) -> tuple[ListedModel, ...]:
    """Return the models of an endpoint that answers with this body to `GET /v1/models`."""

    def answer(connection: socket.socket, request: bytes) -> None:
        assert request.startswith(b"GET /v1/models ")
        connection.sendall(http_response(200, body))

    with ByteServer(answer) as server:
        settings = EndpointSettings("m", f"{server.url}/v1")
        with closing(Endpoint(settings)) as endpoint:
            return endpoint.listed_models()


@pytest.mark.parametrize(
    ("fields", "context_tokens"),
    [
        pytest.param(
            {"meta": {"n_ctx": 8192, "n_ctx_train": 32768}}, 8192, id="llama.cpp"
        ),
        pytest.param({"max_model_len": 8192}, 8192, id="vLLM"),
        pytest.param(
            {"context_length": 8192, "top_provider": {}}, 8192, id="OpenRouter"
        ),
        pytest.param({"context_window": 8192}, 8192, id="Groq"),
        pytest.param({"max_model_len": None}, None, id="null"),
        pytest.param({"max_model_len": 0}, None, id="zero"),
        pytest.param({"max_model_len": -1}, None, id="negative"),
        pytest.param({"max_model_len": "8192"}, None, id="string"),
        pytest.param({"max_model_len": True}, None, id="boolean"),
    ],
)
def test_context_size_is_read_from_the_field_of_each_server(
    fields: dict[str, object], context_tokens: int | None
) -> None:
    """What is not a positive integer is no size."""
    models = models_listed_by(json.dumps({"data": [{"id": "m", **fields}]}))

    assert models == (ListedModel("m", context_tokens),)


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("no", id="not JSON"),
        pytest.param("[" * 100_000, id="deeply nested"),
        pytest.param('{"data": null}', id="null instead of a list"),
        pytest.param('{"data": [{"name": "m"}]}', id="model without an id"),
        pytest.param('{"data": [{"id": "\\u0007"}]}', id="id that cannot be printed"),
    ],
)
def test_list_that_cannot_be_read_has_no_models(body: str) -> None:
    assert models_listed_by(body) == ()


# Conversations with calls of tools, for an endpoint that takes only texts.
#
# A reply with calls becomes a message with a JSON text: `{"calls": [{"name": "read", ...}]}`. Their
# results become one message of the user, together with what the user says next.


def test_calls_become_a_json_text_of_the_model() -> None:
    calls = (
        ToolCall(id="a", name="read", arguments='{"path": "/x"}'),
        ToolCall(id="b", name="list", arguments='{"path": "/"}'),
    )

    (message,) = plain_messages(
        [{"role": "assistant", "content": "", "tool_calls": calls}]
    )

    assert message["role"] == "assistant"
    assert json.loads(message["content"])["calls"] == [
        {"name": "read", "arguments": {"path": "/x"}},
        {"name": "list", "arguments": {"path": "/"}},
    ]


def test_arguments_that_are_not_json_stay_a_string() -> None:
    """The model has written half of a JSON object."""
    call = ToolCall(id="b", name="list", arguments="{")

    (message,) = plain_messages(
        [{"role": "assistant", "content": "", "tool_calls": (call,)}]
    )

    (plain_call,) = json.loads(message["content"])["calls"]
    assert plain_call == {"name": "list", "arguments": "{"}


def test_results_become_one_message_with_what_the_user_says_next() -> None:
    """A result names its call by the id, and its text names the tool instead."""
    calls = (
        ToolCall(id="a", name="read", arguments='{"path": "/x"}'),
        ToolCall(id="b", name="list", arguments="{"),
    )
    conversation: list[Message] = [
        {"role": "assistant", "content": "", "tool_calls": calls},
        {"role": "tool", "content": "one", "tool_call_id": "a"},
        {"role": "tool", "content": "two", "tool_call_id": "b"},
        {"role": "user", "content": "which?"},
    ]

    _calls_message, results_message = plain_messages(conversation)

    assert results_message["role"] == "user"
    assert results_message["content"] == (
        '<result of="read">\none\n</result>\n<result of="list">\ntwo\n</result>\nwhich?'
    )


# The setting `thinking_back` says whether the thinking before a call goes back to the vendor.
#
# A model has thought "hm", and then calls a tool. The next request repeats this message, since each request
# has the whole conversation. Some vendors add a signature to the call (`SIGNED_CALL`), and refuse a request
# that lacks the thinking or the signature.


def test_thinking_and_signature_are_sent_back_by_default() -> None:
    """With `auto`, a call goes back with all that some vendor requires. Of the two fields with
    thinking, OpenRouter requires `reasoning_details`."""
    message = {
        "content": "so",
        "reasoning_content": "hm",
        "reasoning_details": [{"type": "reasoning.encrypted", "data": "sealed"}],
        "tool_calls": [SIGNED_CALL],
    }

    sent_back = message_sent_back(message, thinking_back="auto")

    assert sent_back == {
        "role": "assistant",
        "content": "so",
        "reasoning_details": [{"type": "reasoning.encrypted", "data": "sealed"}],
        "tool_calls": [SIGNED_CALL],
    }


def test_only_the_field_that_the_user_has_set_is_sent_back() -> None:
    """The user has named `reasoning_content`. Neither the other field nor the signature is sent."""
    message = {
        "content": "so",
        "reasoning_content": "hm",
        "reasoning_details": [{"type": "reasoning.encrypted", "data": "sealed"}],
        "tool_calls": [SIGNED_CALL],
    }

    sent_back = message_sent_back(message, thinking_back="reasoning_content")

    assert sent_back == {
        "role": "assistant",
        "content": "so",
        "reasoning_content": "hm",
        "tool_calls": [CALL],
    }


def test_nothing_is_sent_back_if_the_user_has_set_that() -> None:
    message = {
        "content": "so",
        "reasoning_content": "hm",
        "tool_calls": [SIGNED_CALL],
    }

    sent_back = message_sent_back(message, thinking_back="none")

    assert sent_back == {
        "role": "assistant",
        "content": "so",
        "tool_calls": [CALL],
    }


# The thinking of a model's reply is read in two forms: as a text, and as fields to send back.
#
# A message `{"content": "so", "reasoning_content": "hm"}` has the thinking "hm". The text of the thinking is
# `reply.reasoning`. `reply.thinking` are the fields that a later request sends back to the vendor.


# The setting `thinking_back` says whether the thinking before a text goes back to the vendor.
#
# A model has thought "hm", and then says "so". The next request repeats this message, with its
# thinking only if the setting says so. The thinking may be in two fields, as plain text
# (`reasoning_content`) and encrypted (`reasoning_details`).


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


def test_thinking_is_not_sent_back_by_default() -> None:
    """The default is `auto`: only what some vendor requires is sent back. No vendor requires the
    thinking of a message without a call."""
    message = {
        "content": "so",
        "reasoning_content": "hm",
        "reasoning_details": [{"type": "reasoning.encrypted", "data": "sealed"}],
    }

    sent_back = message_sent_back(message, thinking_back="auto")

    assert sent_back == {"role": "assistant", "content": "so"}


def test_thinking_is_sent_back_in_the_field_that_the_user_has_set() -> None:
    message = {
        "content": "so",
        "reasoning_content": "hm",
        "reasoning_details": [{"type": "reasoning.encrypted", "data": "sealed"}],
    }

    sent_back = message_sent_back(message, thinking_back="reasoning_content")

    assert sent_back == {
        "role": "assistant",
        "content": "so",
        "reasoning_content": "hm",
    }


def test_an_empty_list_of_reasoning_items_does_not_stand_for_the_thinking() -> None:
    """A gateway may add `reasoning_items`, the field for thinking in another protocol."""
    message = {"content": "so", "reasoning_content": "hm", "reasoning_items": []}

    sent_back = message_sent_back(message, thinking_back="reasoning_content")

    assert sent_back == {
        "role": "assistant",
        "content": "so",
        "reasoning_content": "hm",
    }
