"""How requests to a model's API are sent, and how whole and streamed replies are read.

A request has what the user has set, and the key is shown nowhere. Both protocols, Chat Completions
and Responses, are spoken in four reply modes. A streamed reply is put together from its pieces,
and one that breaks off is no reply. Replies without end, replies that are too large, and servers
that cannot be reached cost a bounded time and memory.
"""

import gzip
import json
import socket
import threading
import time
from collections.abc import Callable
from contextlib import closing

import pytest

from controlplane.agent.endpoint import Endpoint, EndpointSettings
from controlplane.agent.model import (
    BadReply,
    Message,
    ModelError,
    ModelRequest,
    OutOfTime,
    Reply,
    ReplyMode,
    ToolCall,
)
from controlplane.agent.reply.reply import SCHEMA, Action, action_of
from controlplane.sandbox.interface import bounds
from tests.agent.endpoint.look_tool import ask_with_tool
from tests.support.command import PATIENCE_S
from tests.support.endpoint_requests import (
    ACTION_JSON,
    CANARY_API_KEY,
    MESSAGES,
    action_text_of,
    error_of_request,
    request_reply,
    single_reply_of,
)
from tests.support.phonebook_model import (
    ByteServer,
    ModelHttpRequest,
    Responder,
    completion_json,
    error_response,
    free_port,
    http_response,
    model_server,
)

# Responses of OpenAI's Responses API, the newer of two protocols that we speak.
#
# A response is a list of items. Each is a text, a thought or a call of a tool:
# `{"output": [{"type": "reasoning", ...}, {"type": "function_call", "name": "look", ...}]}`.


def response_with(*items: object, **fields: object) -> bytes:
    """Return an HTTP response with these output items; `fields` replace or add others."""
    document = {"object": "response", "status": "completed", "output": items}
    return http_response(200, json.dumps(document | fields))


TEXT_ITEM = {
    "type": "message",
    "role": "assistant",
    "content": [{"type": "output_text", "text": ACTION_JSON}],
}
"""The model's action, that is, a JSON object with the script to run: `print(1)`."""

ACTION_CALL_ITEM = {
    "type": "function_call",
    "call_id": "c1",
    "name": "execute_script",
    "arguments": ACTION_JSON,
}
"""The same action, as the arguments of a tool call."""

THOUGHT_ITEM = {
    "type": "reasoning",
    "id": "rs_1",
    "summary": [{"type": "summary_text", "text": "hm"}],
    "encrypted_content": "x",
}
"""A thought. Only OpenAI can read its encrypted content; we see the summary."""


def ask_for_action(url: str, mode: ReplyMode | None = None) -> Reply:
    """Return the reply to a request for an action, in this reply mode."""
    settings = EndpointSettings("m", url, api="responses", reply_mode=mode)
    return single_reply_of(settings, schema=SCHEMA)


# The four *reply modes*, ways to ask a model for an action, as cases of parametrized tests.
#
# An action is a JSON object with the script to run. Beside each mode stands what the model replies: an
# item with the action that runs `print(1)`, as a text or as a call of a tool.

REPLY_MODES = [
    pytest.param(ReplyMode.SCHEMA, TEXT_ITEM, id="schema"),
    pytest.param(ReplyMode.JSON, TEXT_ITEM, id="JSON"),
    pytest.param(ReplyMode.TEXT, TEXT_ITEM, id="text"),
    pytest.param(ReplyMode.TOOL, ACTION_CALL_ITEM, id="tool"),
]


# Streams of servers, and the replies that an endpoint makes of them.
#
# A stream is what a server sends while a model writes its reply, one line for each piece of it.
#
#     stream_of(text_piece("Hel"), text_piece("lo"))
# ->  data: {..., "choices": [{"index": 0, "delta": {"content": "Hel"}}]}
#     data: {..., "choices": [{"index": 0, "delta": {"content": "lo"}}]}
#
# and the end: why the reply ended, its tokens, and an end mark.

STREAM_HEAD = (
    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n"
)


def stream_line(document: dict[str, object]) -> bytes:
    """Return a line of a stream, with the blank line after it: `data: {"id": "x", ...}`."""
    line = json.dumps(document, ensure_ascii=False)
    return b"data: " + line.encode() + b"\n\n"


def piece(**delta: object) -> bytes:
    """Return the line with a piece of a reply, such as `reasoning="so"`."""
    choice = {"index": 0, "delta": delta}
    return stream_line({"id": "x", "model": "m", "choices": [choice]})


def text_piece(text: str) -> bytes:
    """Return the line with the next piece of a reply's text."""
    return piece(content=text)


END_OF_STREAM = (
    stream_line({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    + stream_line(
        {"choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 3}}
    )
    + b"data: [DONE]\n\n"
)
"""The last lines of a stream: why the reply ended, its tokens, and the end mark."""


def stream_of(*lines: bytes) -> bytes:
    """Return a whole stream with these lines."""
    return STREAM_HEAD + b"".join(lines) + END_OF_STREAM


def sending_in_two_parts(stream: bytes, second_part_begins_with: bytes) -> Responder:
    """Return how a server replies: it sends a part of the stream, and what `respond` returns."""
    cut = stream.index(second_part_begins_with)

    def respond(request: ModelHttpRequest, connection: socket.socket) -> bytes:
        connection.sendall(stream[:cut])
        return stream[cut:]

    return respond


def streaming_endpoint(
    url: str, on_text: Callable[[str], None] = lambda text: None
) -> Endpoint:
    """Return an endpoint that gives each piece of a reply's text to `on_text`."""
    endpoint = Endpoint(EndpointSettings(model="m", base_url=url, timeout_s=10.0))
    endpoint.stream_to(on_text)
    return endpoint


def streamed_reply(
    url: str, on_text: Callable[[str], None] = lambda text: None
) -> Reply:
    """Return the reply of an endpoint that gives each piece of text to `on_text`."""
    endpoint = streaming_endpoint(url, on_text)
    messages = [Message(role="user", content="?")]
    return endpoint.complete(messages, role="solve")


# The user's key for a model's API is sent with each request, and shown nowhere.
#
# A server may repeat it in a reply or an error, and the user may have put it into the address. The key
# of these requests is `CANARY_API_KEY`: "your key is sk-canary-..." -> "your key is [key]".


def repeat_key(request: ModelHttpRequest, connection: socket.socket) -> bytes:
    """Reply with the key of the request."""
    key = request.headers["authorization"]
    return http_response(200, completion_json(f"your key is {key}"))


def test_key_in_a_reply_is_replaced() -> None:
    """Replies are written to the journal, so the key must not be in them."""
    with model_server(repeat_key) as server:
        reply = request_reply(server.url)

    assert "your key is" in reply.text
    assert CANARY_API_KEY not in reply.text


def test_key_in_an_address_is_not_shown_in_settings_and_errors() -> None:
    """The address has the key as the user's name and password, and the server repeats it in its
    error. `error_of_request` checks that the key is nowhere in the error and its traceback."""
    refusal = error_response(401, f"bad {CANARY_API_KEY}")

    with model_server(refusal) as server:
        host = f"127.0.0.1:{server.port}"
        url_with_key = f"http://user-{CANARY_API_KEY}:{CANARY_API_KEY}@{host}/v1"
        settings = EndpointSettings("m", url_with_key, CANARY_API_KEY)
        error = error_of_request(url_with_key)

    assert CANARY_API_KEY not in repr(settings)
    assert CANARY_API_KEY not in settings.shown_url
    assert f"http://{host}/v1" in str(error)


# A model that repeats itself is asked again with a higher temperature, which varies its replies.
#
# The request says `min_temperature=1.0`. If the user has configured a higher one, that is sent.


@pytest.mark.parametrize(
    ("configured", "sent"),
    [
        pytest.param(None, 1.0, id="not configured"),
        pytest.param(0.2, 1.0, id="lower"),
        pytest.param(1.5, 1.5, id="higher"),
    ],
)
def test_request_may_raise_the_configured_temperature(
    configured: float | None, sent: float
) -> None:
    with model_server(http_response(200, completion_json("hello"))) as server:
        settings = EndpointSettings("m", server.url, temperature=configured)
        with closing(Endpoint(settings)) as endpoint:
            endpoint.complete(MESSAGES, min_temperature=1.0)

    (request,) = server.asked
    assert request.body["temperature"] == sent


# A request asks a model for an *action*, a JSON object with the script to run, in one of four ways.
#
# The *reply modes* are a JSON schema, any JSON object, text, and a call of a tool. In each of them, a
# server on this machine replies with the action that runs `print(1)`: as a text, or as the arguments of
# a call.

REPLY_MODES_TEXT = completion_json(ACTION_JSON)
REPLY_MODES_CALL = completion_json(None, tool=ACTION_JSON, finish="tool_calls")


@pytest.mark.parametrize(
    ("mode", "completion"),
    [
        pytest.param(ReplyMode.SCHEMA, REPLY_MODES_TEXT, id="schema"),
        pytest.param(ReplyMode.JSON, REPLY_MODES_TEXT, id="JSON"),
        pytest.param(ReplyMode.TEXT, REPLY_MODES_TEXT, id="text"),
        pytest.param(ReplyMode.TOOL, REPLY_MODES_CALL, id="tool"),
    ],
)
def test_action_is_read_in_every_reply_mode_of_reply_modes(
    mode: ReplyMode, completion: str
) -> None:
    with model_server(http_response(200, completion)) as server:
        reply = request_reply(server.url, mode=mode)

    action = action_of(action_text_of(reply))
    assert isinstance(action, Action)
    assert action.code == "print(1)"


@pytest.mark.parametrize(
    ("mode", "completion", "format_type", "has_tools"),
    [
        pytest.param(
            ReplyMode.SCHEMA, REPLY_MODES_TEXT, "json_schema", False, id="schema"
        ),
        pytest.param(ReplyMode.JSON, REPLY_MODES_TEXT, "json_object", False, id="JSON"),
        pytest.param(ReplyMode.TEXT, REPLY_MODES_TEXT, None, False, id="text"),
        pytest.param(ReplyMode.TOOL, REPLY_MODES_CALL, None, True, id="tool"),
    ],
)
def test_request_has_the_form_of_its_reply_mode(
    mode: ReplyMode, completion: str, format_type: str | None, has_tools: bool
) -> None:
    """The format tells the vendor to write JSON, and a tool lets the model write arguments."""
    with model_server(http_response(200, completion)) as server:
        request_reply(server.url, mode=mode)

    (request,) = server.asked
    body = request.body
    response_format = body.get("response_format", {})
    assert response_format.get("type") == format_type
    assert ("tools" in body) == has_tools


# A request to a model's API has what the user has set: the model, limits, the temperature and the key.
#
# They are in each of the *reply modes*, the four ways to ask a model for a script. The requests are sent to
# a server on this machine, and `server.asked` has what was sent.

TEXT = completion_json(ACTION_JSON)
CALL = completion_json(None, tool=ACTION_JSON, finish="tool_calls")


@pytest.mark.parametrize(
    ("mode", "completion"),
    [
        pytest.param(ReplyMode.SCHEMA, TEXT, id="schema"),
        pytest.param(ReplyMode.JSON, TEXT, id="JSON"),
        pytest.param(ReplyMode.TEXT, TEXT, id="text"),
        pytest.param(ReplyMode.TOOL, CALL, id="tool"),
    ],
)
def test_request_has_the_settings_in_every_reply_mode(
    mode: ReplyMode, completion: str
) -> None:
    """The model's name is "m"."""
    with model_server(http_response(200, completion)) as server:
        request_reply(server.url, mode=mode, max_output_tokens=50, temperature=0.5)

    (request,) = server.asked
    assert request.path == "/v1/chat/completions"
    assert request.headers["authorization"] == f"Bearer {CANARY_API_KEY}"
    assert request.body["model"] == "m"
    assert request.body["messages"] == MESSAGES
    assert request.body["max_tokens"] == 50
    assert request.body["temperature"] == 0.5


def test_request_names_who_pays_at_openai(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key may belong to several organizations. OpenAI documents these two variables."""
    monkeypatch.setenv("OPENAI_ORG_ID", "org-1")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "proj-2")
    with model_server(http_response(200, TEXT)) as server:
        request_reply(server.url)

    (request,) = server.asked
    assert request.headers["openai-organization"] == "org-1"
    assert request.headers["openai-project"] == "proj-2"


def test_a_header_of_the_user_takes_the_place_of_one_with_the_same_name() -> None:
    """Some gateways want another kind of key than `Bearer`. Upper and lower case are alike."""
    headers = {"authorization": "Basic dTpw", "X-Team": "7"}
    with model_server(http_response(200, TEXT)) as server:
        request_reply(f"{server.url}/", headers=headers)

    (request,) = server.asked
    assert request.path == "/v1/chat/completions"
    assert request.headers["authorization"] == "Basic dTpw"
    assert request.headers["x-team"] == "7"


# The thinking and the tokens of a reply of OpenAI's Responses API, the newer of two protocols.
#
# Both are read alike in each *reply mode*, that is, however the model is asked for its next script.
# `item` is the part of the reply that has the script.


@pytest.mark.parametrize(("mode", "item"), REPLY_MODES)
def test_summary_of_a_thought_is_read(mode: ReplyMode, item: dict[str, object]) -> None:
    with model_server(response_with(THOUGHT_ITEM, item)) as server:
        reply = ask_for_action(server.url, mode)

    assert reply.reasoning == "hm"


@pytest.mark.parametrize(("mode", "item"), REPLY_MODES)
def test_tokens_are_read(mode: ReplyMode, item: dict[str, object]) -> None:
    """Cached tokens are among those of the input, and tokens of thoughts among those of the
    output."""
    usage = {
        "input_tokens": 11,
        "output_tokens": 7,
        "input_tokens_details": {"cached_tokens": 5},
        "output_tokens_details": {"reasoning_tokens": 3},
    }

    with model_server(response_with(item, usage=usage)) as server:
        reply = ask_for_action(server.url, mode)

    assert reply.usage.prompt_tokens == 11
    assert reply.usage.completion_tokens == 7
    assert reply.usage.cached_tokens == 5
    assert reply.usage.reasoning_tokens == 3


# Why a reply of OpenAI's Responses API ended.
#
# The protocol says for example "incomplete" and "max_output_tokens", where the older one says
# "length". Our name is that of the older protocol. The vendor's word is kept beside it if it differs.


@pytest.mark.parametrize(
    ("response", "finish_reason", "native_reason"),
    [
        pytest.param(response_with(TEXT_ITEM), "stop", "", id="complete"),
        pytest.param(
            response_with(
                TEXT_ITEM,
                status="incomplete",
                incomplete_details={"reason": "max_output_tokens"},
            ),
            "length",
            "max_output_tokens",
            id="cut off",
        ),
        pytest.param(
            response_with(
                status="incomplete",
                incomplete_details={"reason": "content_filter"},
            ),
            "content_filter",
            "",
            id="withheld by a filter",
        ),
        pytest.param(
            response_with(
                {"type": "message", "content": [{"type": "refusal", "refusal": "no"}]}
            ),
            "refusal",
            "",
            id="refused",
        ),
    ],
)
def test_finish_reason_is_named_as_in_the_older_protocol(
    response: bytes, finish_reason: str, native_reason: str
) -> None:
    with model_server(response) as server:
        reply = ask_for_action(server.url)

    assert reply.finish_reason == finish_reason
    assert reply.native_finish_reason == native_reason


# A response of OpenAI's Responses API that has the status 200, and no reply of the model in it.
#
# The server has failed, although it says 200: `{"output": [], "error": {"message": "boom"}}`. The
# request may be tried again (the error is `retryable`).


@pytest.mark.parametrize(
    "document",
    [
        pytest.param({"status": "completed"}, id="no output"),
        pytest.param(
            {"output": [], "error": {"code": "server_error", "message": "boom"}},
            id="error with the status 200",
        ),
    ],
)
def test_response_without_a_reply_is_an_error_that_may_pass(
    document: dict[str, object],
) -> None:
    with (
        model_server(http_response(200, json.dumps(document))) as server,
        pytest.raises(ModelError) as caught,
    ):
        ask_for_action(server.url)

    assert caught.value.retryable


# A request of OpenAI's Responses API asks for an *action* in one of four ways, the *reply modes*.
#
# They are a JSON schema, any JSON object, text, and a call of a tool. An action is a JSON object with
# the script to run. The API replies with a list of items, such as `TEXT_ITEM` or `ACTION_CALL_ITEM`:
# both have the action that runs `print(1)`.


@pytest.mark.parametrize(("mode", "item"), REPLY_MODES)
def test_action_is_read_in_every_reply_mode(
    mode: ReplyMode, item: dict[str, object]
) -> None:
    with model_server(response_with(item)) as server:
        reply = ask_for_action(server.url, mode)

    action = action_of(action_text_of(reply))
    assert isinstance(action, Action)
    assert action.code == "print(1)"
    assert reply.reply_mode == mode


@pytest.mark.parametrize(
    ("mode", "format_type"),
    [
        pytest.param(ReplyMode.SCHEMA, "json_schema", id="schema"),
        pytest.param(ReplyMode.JSON, "json_object", id="JSON"),
    ],
)
def test_request_for_json_names_the_format_of_the_text(
    mode: ReplyMode, format_type: str
) -> None:
    with model_server(response_with(TEXT_ITEM)) as server:
        ask_for_action(server.url, mode)

    (request,) = server.asked
    body = request.body
    assert body["text"]["format"]["type"] == format_type
    assert "tool_choice" not in body


def test_request_for_a_text_names_neither_a_format_nor_a_tool() -> None:
    with model_server(response_with(TEXT_ITEM)) as server:
        ask_for_action(server.url, ReplyMode.TEXT)

    (request,) = server.asked
    body = request.body
    assert "format" not in body.get("text", {})
    assert "tool_choice" not in body


def test_request_for_a_tool_call_names_the_tool() -> None:
    with model_server(response_with(ACTION_CALL_ITEM)) as server:
        ask_for_action(server.url, ReplyMode.TOOL)

    (request,) = server.asked
    body = request.body
    assert body["tool_choice"] == {"type": "function", "name": "execute_script"}
    assert "format" not in body.get("text", {})


# A request of OpenAI's Responses API, the newer of two protocols that we speak to models.
#
# Whoever uses an endpoint does not notice which of the two it speaks. The fields here are the same in
# each *reply mode*, that is, however the model is asked for its next script.


@pytest.mark.parametrize(("mode", "item"), REPLY_MODES)
def test_request_has_the_fields_of_the_protocol(
    mode: ReplyMode, item: dict[str, object]
) -> None:
    """The older protocol calls them `messages`, `max_tokens` and `reasoning_effort`."""
    with model_server(response_with(item)) as server:
        settings = EndpointSettings(
            "m",
            server.url,
            api="responses",
            reply_mode=mode,
            max_output_tokens=50,
            reasoning_effort="low",
        )
        single_reply_of(settings, MESSAGES, schema=SCHEMA)

    (request,) = server.asked
    assert request.path == "/v1/responses"
    assert request.body["input"] == MESSAGES
    assert request.body["max_output_tokens"] == 50
    assert request.body["reasoning"] == {"effort": "low"}


@pytest.mark.parametrize(("mode", "item"), REPLY_MODES)
def test_vendor_is_told_not_to_store_the_conversation(
    mode: ReplyMode, item: dict[str, object]
) -> None:
    """By default, OpenAI keeps each response, and its users find it in the dashboard. The user
    of an endpoint has not agreed to that."""
    with model_server(response_with(item)) as server:
        ask_for_action(server.url, mode)

    (request,) = server.asked
    assert request.body["store"] is False


# A conversation of two requests with a model behind OpenAI's Responses API.
#
# First request: the model thinks, and calls the tool `look` twice. Second request: OpenAI has stored
# nothing, so the request has all again: the thought, the two calls, and the result of the first one.

THOUGHT_AND_TWO_CALLS = response_with(
    THOUGHT_ITEM,
    {"type": "function_call", "call_id": "a", "name": "look", "arguments": "{}"},
    {"type": "function_call", "call_id": "b", "name": "look", "arguments": '{"x": 1}'},
)


def test_calls_are_read_in_order() -> None:
    """The model's response has a thought, and then the calls "a" and "b"."""
    with model_server(THOUGHT_AND_TWO_CALLS) as server:
        reply = ask_with_tool(server.url, MESSAGES, api="responses")

    assert reply.tool_calls == (
        ToolCall(name="look", arguments="{}", id="a"),
        ToolCall(name="look", arguments='{"x": 1}', id="b"),
    )


def test_thought_and_calls_are_sent_back_in_order() -> None:
    """OpenAI has stored nothing of the first request. So the second one has its two messages, what the
    model replied, and the result of the call "a"."""
    with model_server(THOUGHT_AND_TWO_CALLS) as server:
        reply = ask_with_tool(server.url, MESSAGES, api="responses")
        calls_message = Message(
            role="assistant",
            content="",
            tool_calls=reply.tool_calls,
            thinking=reply.thinking,
        )
        result_message = Message(role="tool", content="seen", tool_call_id="a")
        conversation = [*MESSAGES, calls_message, result_message]
        ask_with_tool(server.url, conversation, api="responses")

    _first_request, second_request = server.asked
    items = second_request.body["input"]
    system, user, thought, first_call, second_call, result = items
    assert system["role"] == "system"
    assert user["role"] == "user"
    assert thought == THOUGHT_ITEM
    assert first_call["type"] == "function_call"
    assert second_call["type"] == "function_call"
    assert result["type"] == "function_call_output"


def test_thoughts_are_requested_in_a_form_that_can_be_sent_back() -> None:
    """OpenAI does not show thoughts to anybody. But it includes them in encrypted form if the request
    says so."""
    with model_server(THOUGHT_AND_TWO_CALLS) as server:
        ask_with_tool(server.url, MESSAGES, api="responses")

    (request,) = server.asked
    assert request.body["include"] == ["reasoning.encrypted_content"]


# A streamed reply that breaks off, or has an error in it, is not a reply.
#
# The text so far may be half of what the model wanted to say. A whole stream ends with
# `END_OF_STREAM`, which says why the reply ended.


def test_stream_that_ends_early_is_not_a_reply() -> None:
    with (
        model_server(STREAM_HEAD + text_piece("half")) as server,
        pytest.raises(BadReply, match="was cut off"),
    ):
        streamed_reply(server.url)


def test_stream_that_was_asked_for_and_ends_early_is_not_blamed_on_settings() -> None:
    with (
        model_server(STREAM_HEAD + text_piece("half")) as server,
        pytest.raises(BadReply) as caught,
    ):
        streamed_reply(server.url)

    assert "was cut off" in str(caught.value)
    assert "not asked for" not in str(caught.value)
    assert "OPENAI_BASE_URL" not in str(caught.value)


def test_error_in_a_stream_is_raised() -> None:
    """The server fails after it has sent the status 200."""
    error_line = stream_line({"error": {"message": "overloaded", "code": 503}})

    with (
        model_server(STREAM_HEAD + error_line) as server,
        pytest.raises(Exception, match="overloaded"),
    ):
        streamed_reply(server.url)


# A line of a streamed reply ends with a line feed, `\n`, and nothing else.
#
# The parts in which a stream arrives may end anywhere, and a text may have other line separators.
# `stream_of(text_piece("Hello"))` is a stream with one line of text.


def test_line_may_arrive_in_two_parts() -> None:
    """The first part ends with "He"."""
    stream = stream_of(text_piece("Hello"))

    with model_server(
        sending_in_two_parts(stream, second_part_begins_with=b"llo")
    ) as server:
        reply = streamed_reply(server.url)

    assert reply.text == "Hello"


def test_line_separator_in_a_text_does_not_end_a_line_of_the_stream() -> None:
    """Unicode has further characters that end a line in Python, such as U+2028."""
    with model_server(stream_of(text_piece("Gr\u00fc\u2028n"))) as server:
        reply = streamed_reply(server.url)

    assert reply.text == "Gr\u00fc\u2028n"


# All kinds of pieces may be in one streamed reply: text, thinking, a call of a tool, and comments.
#
# A server sends one line for each piece. The network may cut the stream anywhere.


def test_pieces_of_all_kinds_may_be_in_one_stream() -> None:
    """The text and the call have two pieces each. U+2028 ends a line in Python, and not here."""
    call_start = {
        "index": 0,
        "id": "c1",
        "function": {"name": "execute_script", "arguments": '{"code": '},
    }
    call_end = {"index": 0, "function": {"arguments": '"1"}'}}
    stream = stream_of(
        b": a comment\n\n",
        text_piece("first "),
        text_piece("Gr\u00fc\u2028n"),
        piece(reasoning="so"),
        piece(tool_calls=[call_start]),
        piece(tool_calls=[call_end]),
    )
    texts: list[str] = []

    with model_server(
        sending_in_two_parts(stream, second_part_begins_with=b"Gr")
    ) as server:
        reply = streamed_reply(server.url, on_text=texts.append)

    assert texts == ["first ", "Gr\u00fc\u2028n"]
    assert reply.text == "first Gr\u00fc\u2028n"
    assert reply.reasoning == "so"
    assert reply.usage.completion_tokens == 3  # from the last lines of `stream_of`
    (tool_call,) = reply.tool_calls
    assert tool_call.name == "execute_script"
    assert tool_call.arguments == '{"code": "1"}'


# A streamed reply has other pieces than text: a call of a tool, its tokens, and comments.
#
# `stream_of(...)` is what a server sends: one line for each piece, and at the end why the reply ended
# and its tokens, `{"usage": {"prompt_tokens": 5, "completion_tokens": 3}}`.


def test_call_of_a_tool_is_put_together_from_its_pieces() -> None:
    """Only the first piece has the name. `index` says to which call a piece belongs."""
    beginning = {
        "index": 0,
        "id": "c1",
        "function": {"name": "execute_script", "arguments": '{"code": '},
    }
    end = {"index": 0, "function": {"arguments": '"1"}'}}
    stream = stream_of(piece(tool_calls=[beginning]), piece(tool_calls=[end]))

    with model_server(stream) as server:
        reply = streamed_reply(server.url)

    (tool_call,) = reply.tool_calls
    assert tool_call.name == "execute_script"
    assert tool_call.arguments == '{"code": "1"}'


def test_tokens_are_read_from_the_last_lines() -> None:
    with model_server(stream_of(text_piece("Hello"))) as server:
        reply = streamed_reply(server.url)

    assert reply.usage.completion_tokens == 3


def test_stream_that_was_not_asked_for_is_known_by_its_comment() -> None:
    """A comment may come before the first piece, to keep the connection open."""
    stream = STREAM_HEAD + b": PROCESSING\n\n" + text_piece("here") + END_OF_STREAM

    with model_server(stream) as server:
        error = error_of_request(server.url)

    assert "switch streaming off" in str(error)


def test_comment_in_a_stream_is_skipped() -> None:
    """Some servers send comments, lines with a colon in front, so that the connection stays
    open."""
    stream = stream_of(b": a comment\n\n", text_piece("Hello"))

    with model_server(stream) as server:
        reply = streamed_reply(server.url)

    assert reply.text == "Hello"


@pytest.mark.parametrize(
    "chunks",
    [
        pytest.param(
            [{"choices": [{"index": {"choices": [{"a": 1}]}, "delta": {}}]}],
            id="object as an index",
        ),
        pytest.param(
            [{"usage": 1}, {"usage": {"choices": 5}}, {"usage": {"choices": [{}]}}],
            id="number that becomes an object",
        ),
    ],
)
def test_pieces_that_do_not_fit_together_leave_the_text_readable(
    chunks: list[dict[str, object]],
) -> None:
    lines = [stream_line(chunk) for chunk in chunks]

    with model_server(stream_of(*lines, text_piece("Hello"))) as server:
        reply = streamed_reply(server.url)

    assert reply.text == "Hello"


def test_pieces_with_the_same_odd_index_are_joined() -> None:
    pieces = []
    for text in ("Hel", "lo"):
        choice = {"index": {"a": 1}, "delta": {"content": text}}
        pieces.append(stream_line({"choices": [choice]}))

    with model_server(stream_of(*pieces)) as server:
        reply = streamed_reply(server.url)

    assert reply.text == "Hello"


# The text of a reply is shown while the model still writes it.
#
# A server sends the reply in pieces, a *stream*: `stream_of(text_piece("Hel"), text_piece("lo"))`.
# Each piece of text is given to a function, `on_text`, at once, for the user to read, and the whole
# reply, "Hello", is returned at the end.


def test_text_is_put_together_from_its_pieces() -> None:
    stream = stream_of(text_piece("Hel"), text_piece("lo"))
    texts: list[str] = []

    with model_server(stream) as server:
        reply = streamed_reply(server.url, on_text=texts.append)

    assert texts == ["Hel", "lo"]
    assert reply.text == "Hello"


def test_thinking_is_read_and_not_shown_as_text() -> None:
    stream = stream_of(piece(reasoning="so"), text_piece("Hello"))
    texts: list[str] = []

    with model_server(stream) as server:
        reply = streamed_reply(server.url, on_text=texts.append)

    assert texts == ["Hello"]
    assert reply.reasoning == "so"


def test_text_is_shown_as_it_arrives() -> None:
    """The server sends the second piece only after the first is shown. If nothing is shown, it
    breaks off, and the test fails."""
    first_is_shown = threading.Event()
    texts: list[str] = []

    def respond(request: ModelHttpRequest, connection: socket.socket) -> bytes:
        connection.sendall(STREAM_HEAD + text_piece("first "))
        if not first_is_shown.wait(PATIENCE_S):
            return b""
        return text_piece("second") + END_OF_STREAM

    def note_arrival(text: str) -> None:
        texts.append(text)
        first_is_shown.set()

    with model_server(respond) as server:
        streamed_reply(server.url, on_text=note_arrival)

    assert texts == ["first ", "second"]
    (request,) = server.asked
    assert request.body["stream"] is True


# A reply may come whole, and not in pieces, because the server or nobody wants a stream.
#
# The server then answers with one JSON document, `completion_json("whole")`.


def test_endpoint_that_refuses_to_stream_is_asked_without_streaming() -> None:
    """The server refuses a request for a stream, and answers the second request as a whole."""

    def respond(request: ModelHttpRequest, connection: socket.socket) -> bytes:
        if request.body.get("stream"):
            return error_response(400, "stream_options is not supported")
        return http_response(200, completion_json("plain"))

    with model_server(respond) as server:
        reply = streamed_reply(server.url)

    assert reply.text == "plain"
    assert len(server.asked) == 2


@pytest.mark.parametrize(
    "refusal",
    [
        pytest.param(
            error_response(400, "upstream: context length exceeded"),
            id="a word that contains `stream`",
        ),
        pytest.param(
            http_response(
                400, '{"error": {"message": "no"}, "request": {"stream": true}}'
            ),
            id="the request, sent back",
        ),
    ],
)
def test_refusal_for_another_reason_leaves_streaming_on(refusal: bytes) -> None:
    """A first request is refused, and does not have to be sent without a stream."""
    refusals = [refusal]

    def respond(request: ModelHttpRequest, connection: socket.socket) -> bytes:
        if refusals and request.body["messages"][-1]["content"] == "?":
            return refusals.pop()
        return STREAM_HEAD + text_piece("here") + END_OF_STREAM

    with model_server(respond) as server:
        endpoint = streaming_endpoint(server.url)
        with pytest.raises(ModelError):
            endpoint.complete([Message(role="user", content="?")])
        endpoint.complete([Message(role="user", content="?")])

    assert [request.body.get("stream") for request in server.asked].count(None) == 0


def test_streaming_stays_on_if_the_request_is_refused_without_it_too() -> None:
    """The refusal names streams, but is not due to them."""

    def respond(request: ModelHttpRequest, connection: socket.socket) -> bytes:
        if request.body["messages"][-1]["content"] == "long":
            return error_response(400, "the stream of text is too long a prompt")
        return STREAM_HEAD + text_piece("here") + END_OF_STREAM

    with model_server(respond) as server:
        endpoint = streaming_endpoint(server.url)
        with pytest.raises(ModelError):
            endpoint.complete([Message(role="user", content="long")])
        endpoint.complete([Message(role="user", content="?")])

    assert server.asked[-1].body["stream"] is True


def test_whole_reply_to_a_request_for_a_stream_is_accepted() -> None:
    """Some servers ignore that a stream was requested."""
    with model_server(http_response(200, completion_json("whole"))) as server:
        reply = streamed_reply(server.url)

    assert reply.text == "whole"


def test_no_stream_is_requested_if_nobody_reads_the_text_as_it_arrives() -> None:
    with model_server(http_response(200, completion_json("whole"))) as server:
        settings = EndpointSettings(model="m", base_url=server.url, timeout_s=10.0)
        reply = Endpoint(settings).complete([Message(role="user", content="?")])

    assert reply.text == "whole"
    (request,) = server.asked
    assert "stream" not in request.body


# A model's server that never ends its reply is given up after the timeout.
#
# The timeout is for the whole reply, so bytes that arrive do not extend it. No server can hang a run.


@pytest.mark.parametrize(
    ("beginning", "repeated_bytes"),
    [
        pytest.param(b"", b"", id="silence"),
        pytest.param(b"HTTP/1.1 200 OK\r\n", b"x-y: z\r\n", id="headers without end"),
        pytest.param(
            b"HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n",
            b" ",
            id="slow body",
        ),
    ],
)
def test_reply_that_does_not_end_is_given_up_after_the_timeout(
    beginning: bytes, repeated_bytes: bytes
) -> None:
    """The server sends a beginning, and then the same bytes every 0.05 s."""

    def respond_slowly(request: ModelHttpRequest, connection: socket.socket) -> bytes:
        connection.sendall(beginning)
        while not server.ended.wait(0.05):
            connection.sendall(repeated_bytes)
        return b""

    with model_server(respond_slowly) as server:
        error = error_of_request(server.url, timeout_s=0.4)

    assert error.retryable
    assert error.affects_all
    assert "did not answer within 0.4 s" in str(error)
    assert "--model-timeout" in str(error)


# A request ends with its trial: no later than at its deadline, a moment of `time.monotonic`.


@pytest.mark.parametrize("remaining_s", [0.0, 0.4])
def test_request_that_is_not_answered_while_its_trial_lasts_is_out_of_time(
    remaining_s: float,
) -> None:
    def answer_never(request: ModelHttpRequest, connection: socket.socket) -> bytes:
        server.ended.wait(PATIENCE_S)
        return b""

    with (
        model_server(answer_never) as server,
        closing(Endpoint(EndpointSettings("m", server.url))) as endpoint,
    ):
        request = ModelRequest(MESSAGES, deadline=time.monotonic() + remaining_s)
        with pytest.raises(OutOfTime, match="when the trial's time was over"):
            endpoint.reply_to(request)


# A reply that never ends may be due to its conversation, or to the server.
#
# If the server replies to other trials, they go on: the error is not one that `affects_all`. The model
# here fails at the conversation `MESSAGES`, and at no other.

OTHER_MESSAGES = [Message(role="user", content="another trial")]


def opened_endpoint(url: str) -> closing[Endpoint]:
    """Return an endpoint that waits 2 s for a reply, for a `with` block."""
    settings = EndpointSettings(model="m", base_url=url, timeout_s=2.0)
    return closing(Endpoint(settings))


@pytest.mark.parametrize("asks_meanwhile", [True, False])
def test_timeout_affects_all_trials_unless_another_got_a_reply_meanwhile(
    *, asks_meanwhile: bool
) -> None:
    """An earlier reply does not count: the server may hang since then."""

    def respond(request: ModelHttpRequest, connection: socket.socket) -> bytes:
        if request.body["messages"] != OTHER_MESSAGES:
            if asks_meanwhile:
                endpoint.complete(OTHER_MESSAGES)
            server.ended.wait(PATIENCE_S)
        return http_response(200, completion_json("here"))

    with model_server(respond) as server, opened_endpoint(server.url) as endpoint:
        endpoint.complete(OTHER_MESSAGES)
        with pytest.raises(ModelError, match="did not answer within 2 s") as caught:
            endpoint.complete(MESSAGES)

    assert caught.value.retryable
    assert caught.value.affects_all is not asks_meanwhile


def test_too_large_reply_of_an_endpoint_that_has_replied_does_not_affect_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bounds, "MOST_REPLY_BYTES", MIB)

    def respond(request: ModelHttpRequest, connection: socket.socket) -> bytes:
        if request.body["messages"] != OTHER_MESSAGES:
            return http_response(200, b" " * (MIB + 1))
        return http_response(200, completion_json("here"))

    with model_server(respond) as server, opened_endpoint(server.url) as endpoint:
        endpoint.complete(OTHER_MESSAGES)
        with pytest.raises(ModelError, match="sent more than 1 MiB") as caught:
            endpoint.complete(MESSAGES)

    assert caught.value.retryable
    assert not caught.value.affects_all


# A reply of a model's server that is too large does not fill the memory.
#
# The connection is closed as soon as the size limit is reached, `MOST_REPLY_BYTES`. It holds for the
# unpacked reply, too, since a small file in gzip may unpack to a very large one.

MIB = 2**20


def test_body_without_end_is_not_read_beyond_the_size_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The server announces 100 GB, and sends blanks until the connection is closed. The limit
    is lowered to 1 MiB, so that the test is fast."""
    monkeypatch.setattr(bounds, "MOST_REPLY_BYTES", MIB)
    sent_sizes: list[int] = []

    def send_blanks(request: ModelHttpRequest, connection: socket.socket) -> bytes:
        connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 100000000000\r\n\r\n")
        while not server.ended.is_set():
            sent_sizes.append(connection.send(b" " * 2**16))
        return b""

    with model_server(send_blanks) as server:
        error = error_of_request(server.url)

    assert "sent more than 1 MiB" in str(error)
    assert error.retryable
    assert error.affects_all
    # Buffers of the operating system hold some MiB when the connection is closed.
    assert sum(sent_sizes) < 32 * MIB


def test_compressed_body_is_not_unpacked_beyond_the_size_limit() -> None:
    """The body, in gzip, is far smaller than the limit. Unpacked, it is one byte larger."""
    blanks = b" " * (bounds.MOST_REPLY_BYTES + 1)
    head = (
        b"HTTP/1.1 200 OK\r\n"
        b"content-encoding: gzip\r\n"
        b"content-type: application/json\r\n"
        b"connection: close\r\n\r\n"
    )
    body = gzip.compress(blanks, compresslevel=1)

    with model_server(head + body) as server:
        error = error_of_request(server.url)

    limit_mib = bounds.MOST_REPLY_BYTES // MIB
    assert f"sent more than {limit_mib} MiB" in str(error)
    assert error.retryable
    assert error.affects_all


# The address of a model's API has no server, or requests do not get there.
#
# The server may be starting, or the network be down, so the request may be tried again (the error
# is `retryable`), and all other trials would meet the error (`affects_all`).


def test_address_without_a_server_is_an_error_that_may_pass() -> None:
    error = error_of_request(f"http://127.0.0.1:{free_port()}/v1")

    assert error.retryable
    assert error.affects_all
    assert "cannot be reached (" in str(error)
    assert "refused" in str(error).lower()


def test_address_with_an_unknown_host_is_an_error_that_may_pass() -> None:
    """Names cannot be found while the network is down."""
    error = error_of_request("http://no-such-host.invalid/v1")

    assert error.retryable
    assert error.affects_all
    assert "host name that is not found" in str(error)


def require_login(connection: socket.socket, request: bytes) -> None:
    """Refuse a request, as a proxy does that knows nobody."""
    status = b"HTTP/1.1 407 Proxy Authentication Required"
    connection.sendall(status + b"\r\ncontent-length: 0\r\n\r\n")


def test_error_of_a_proxy_names_the_proxy_and_not_the_endpoint(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The environment variable `HTTPS_PROXY` sends all requests through a proxy, here on this
    machine."""
    monkeypatch.setenv("NO_PROXY", "")
    with ByteServer(require_login) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", proxy.url)
        error = error_of_request("https://models.invalid/v1")

    expected_text = (
        "through the proxy (407 Proxy Authentication Required); fix HTTPS_PROXY"
    )
    assert expected_text in str(error)
