"""Models behind OpenAI's Responses API, the newer of two protocols that we speak.

Its reply is a list of items. Each is a text, a thought or a call of a tool:
`{"output": [{"type": "reasoning", ...}, {"type": "function_call", "name": "look", ...}]}`.
The older one is the chat completions protocol. Whoever uses an endpoint does not notice which of
the two it speaks.
"""

import json

import pytest

from controlplane.agent.endpoint import EndpointSettings
from controlplane.agent.model import (
    Message,
    ModelError,
    Reply,
    ReplyMode,
    Tool,
    ToolCall,
)
from controlplane.agent.reply.action import SCHEMA, Action
from controlplane.agent.reply.reply import action_of
from tests.support.endpoints import (
    ACTION_JSON,
    MESSAGES,
    action_text_of,
    http_response,
    model_server,
    single_reply_of,
)


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


# A *reply mode* is the way in which a model is asked for an action: by a JSON schema, as any JSON
# object, as text, or by a tool call.


@pytest.mark.parametrize(
    ("mode", "item"),
    [
        pytest.param(ReplyMode.SCHEMA, TEXT_ITEM, id="schema"),
        pytest.param(ReplyMode.JSON, TEXT_ITEM, id="JSON"),
        pytest.param(ReplyMode.TEXT, TEXT_ITEM, id="text"),
        pytest.param(ReplyMode.TOOL, ACTION_CALL_ITEM, id="tool"),
    ],
)
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

    body = server.asked[0].body
    assert body["text"]["format"]["type"] == format_type
    assert "tool_choice" not in body


def test_request_for_a_text_names_neither_a_format_nor_a_tool() -> None:
    with model_server(response_with(TEXT_ITEM)) as server:
        ask_for_action(server.url, ReplyMode.TEXT)

    body = server.asked[0].body
    assert "format" not in body.get("text", {})
    assert "tool_choice" not in body


def test_request_for_a_tool_call_names_the_tool() -> None:
    with model_server(response_with(ACTION_CALL_ITEM)) as server:
        ask_for_action(server.url, ReplyMode.TOOL)

    body = server.asked[0].body
    assert body["tool_choice"] == {"type": "function", "name": "execute_script"}
    assert "format" not in body.get("text", {})


# What requests and replies have in every mode

in_each_reply_mode = pytest.mark.parametrize(
    ("mode", "item"),
    [
        pytest.param(ReplyMode.SCHEMA, TEXT_ITEM, id="schema"),
        pytest.param(ReplyMode.JSON, TEXT_ITEM, id="JSON"),
        pytest.param(ReplyMode.TEXT, TEXT_ITEM, id="text"),
        pytest.param(ReplyMode.TOOL, ACTION_CALL_ITEM, id="tool"),
    ],
)


@in_each_reply_mode
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

    request = server.asked[0]
    assert request.path == "/v1/responses"
    assert request.body["input"] == MESSAGES
    assert request.body["max_output_tokens"] == 50
    assert request.body["reasoning"] == {"effort": "low"}


@in_each_reply_mode
def test_vendor_is_told_not_to_store_the_conversation(
    mode: ReplyMode, item: dict[str, object]
) -> None:
    """By default, OpenAI keeps each response, and its users find it in the dashboard. The user of an
    endpoint has not agreed to that."""
    with model_server(response_with(item)) as server:
        ask_for_action(server.url, mode)

    assert server.asked[0].body["store"] is False


@in_each_reply_mode
def test_summary_of_a_thought_is_read(mode: ReplyMode, item: dict[str, object]) -> None:
    with model_server(response_with(THOUGHT_ITEM, item)) as server:
        reply = ask_for_action(server.url, mode)

    assert reply.reasoning == "hm"


@in_each_reply_mode
def test_tokens_are_read(mode: ReplyMode, item: dict[str, object]) -> None:
    """Cached tokens are among those of the input, and tokens of thoughts among those of the output."""
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


# A conversation of two requests. OpenAI stores nothing of it, so the second request has all of it again:
# the model's thought, its two calls, and the result of the first call.

LOOK_TOOL = Tool(
    name="look", description="Look.", parameters={"type": "object", "properties": {}}
)

THOUGHT_AND_TWO_CALLS = response_with(
    THOUGHT_ITEM,
    {"type": "function_call", "call_id": "a", "name": "look", "arguments": "{}"},
    {"type": "function_call", "call_id": "b", "name": "look", "arguments": '{"x": 1}'},
)


def ask_with_tool(url: str, messages: list[Message]) -> Reply:
    """Return the reply to messages, with the tool `look` on offer."""
    settings = EndpointSettings("m", url, api="responses")
    return single_reply_of(settings, messages, tools=[LOOK_TOOL])


def test_calls_are_read_in_order() -> None:
    with model_server(THOUGHT_AND_TWO_CALLS) as server:
        reply = ask_with_tool(server.url, MESSAGES)

    assert reply.tool_calls == (
        ToolCall(name="look", arguments="{}", id="a"),
        ToolCall(name="look", arguments='{"x": 1}', id="b"),
    )


def test_thought_and_calls_are_sent_back_in_order() -> None:
    with model_server(THOUGHT_AND_TWO_CALLS) as server:
        reply = ask_with_tool(server.url, MESSAGES)
        calls_message = Message(
            role="assistant",
            content="",
            tool_calls=reply.tool_calls,
            thinking=reply.thinking,
        )
        result_message = Message(role="tool", content="seen", tool_call_id="a")
        ask_with_tool(server.url, [*MESSAGES, calls_message, result_message])

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
        ask_with_tool(server.url, MESSAGES)

    assert server.asked[0].body["include"] == ["reasoning.encrypted_content"]


# Why a reply ended
#
# The protocol says for example "incomplete" and "max_output_tokens", where the older one says "length".
# Our name is that of the older protocol. The vendor's word is kept beside it if it differs.


REFUSAL_ITEM = {"type": "message", "content": [{"type": "refusal", "refusal": "no"}]}


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
        pytest.param(response_with(REFUSAL_ITEM), "refusal", "", id="refused"),
    ],
)
def test_finish_reason_is_named_as_in_the_older_protocol(
    response: bytes, finish_reason: str, native_reason: str
) -> None:
    with model_server(response) as server:
        reply = ask_for_action(server.url)

    assert reply.finish_reason == finish_reason
    assert reply.native_finish_reason == native_reason


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
    """The server has failed, although it says 200. The request may be tried again."""
    with (
        model_server(http_response(200, json.dumps(document))) as server,
        pytest.raises(ModelError) as caught,
    ):
        ask_for_action(server.url)

    assert caught.value.retryable
