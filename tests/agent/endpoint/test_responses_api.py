"""Models behind OpenAI's Responses API, the newer of two protocols that we speak.

Its reply is a list of items. Each is a text, a thought or a call of a tool:
`{"output": [{"type": "reasoning", ...}, {"type": "function_call", "name": "look", ...}]}`.
The tests show that the user of an endpoint does not notice which protocol it speaks.
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

LOOK_TOOL = Tool(
    name="look", description="Look.", parameters={"type": "object", "properties": {}}
)

TEXT_ITEM = {
    "type": "message",
    "role": "assistant",
    "content": [{"type": "output_text", "text": ACTION_JSON}],
}
THOUGHT_ITEM = {
    "type": "reasoning",
    "id": "rs_1",
    "summary": [{"type": "summary_text", "text": "hm"}],
    "encrypted_content": "x",
}
"""A thought. Only OpenAI can read its encrypted content; we see the summary."""

CACHED_TOKENS = 5
REASONING_TOKENS = 3
USAGE = {
    "input_tokens": 11,
    "output_tokens": 7,
    "input_tokens_details": {"cached_tokens": CACHED_TOKENS},
    "output_tokens_details": {"reasoning_tokens": REASONING_TOKENS},
}
"""The tokens of every response in this file, as the protocol reports them."""


def response_with(*items: object, **fields: object) -> bytes:
    """Return an HTTP response with these output items; `fields` replace or add others."""
    document = {
        "object": "response",
        "status": "completed",
        "output": items,
        "usage": USAGE,
    }
    return http_response(200, json.dumps(document | fields))


def call_item(*, name: str, arguments: str, call_id: str = "c1") -> dict[str, object]:
    """Return an output item that calls a tool."""
    return {
        "type": "function_call",
        "call_id": call_id,
        "name": name,
        "arguments": arguments,
    }


def responses_settings(url: str, mode: ReplyMode | None = None) -> EndpointSettings:
    """Return the settings of an endpoint that speaks the Responses API."""
    return EndpointSettings(
        "m",
        url,
        api="responses",
        reply_mode=mode,
        max_output_tokens=50,
        reasoning_effort="low",
    )


def ask_for_action(url: str, mode: ReplyMode | None = None) -> Reply:
    """Return the reply to a request for an action, a JSON object with a script."""
    return single_reply_of(responses_settings(url, mode), schema=SCHEMA)


def ask_with_tool(url: str, messages: list[Message]) -> Reply:
    """Return the reply to messages, with the tool `look` on offer."""
    return single_reply_of(responses_settings(url), messages, tools=[LOOK_TOOL])


EXECUTE_SCRIPT_CALL = call_item(name="execute_script", arguments=ACTION_JSON)


@pytest.mark.parametrize(
    ("mode", "item"),
    [
        (ReplyMode.SCHEMA, TEXT_ITEM),
        (ReplyMode.JSON, TEXT_ITEM),
        (ReplyMode.TEXT, TEXT_ITEM),
        (ReplyMode.TOOL, EXECUTE_SCRIPT_CALL),
    ],
)
def test_action_is_read_in_every_reply_mode(
    mode: ReplyMode, item: dict[str, object]
) -> None:
    """A model is asked for an action, a JSON object with a script, as text or as a tool call."""
    with model_server(response_with(THOUGHT_ITEM, item)) as server:
        reply = ask_for_action(server.url, mode)

    action = action_of(action_text_of(reply))
    assert isinstance(action, Action)
    assert action.code == "print(1)"
    assert reply.reply_mode == mode
    assert reply.reasoning == "hm"
    assert reply.usage.prompt_tokens == USAGE["input_tokens"]
    assert reply.usage.completion_tokens == USAGE["output_tokens"]
    assert reply.usage.cached_tokens == CACHED_TOKENS
    assert reply.usage.reasoning_tokens == REASONING_TOKENS


@pytest.mark.parametrize(
    ("mode", "item", "format_type", "tool_choice"),
    [
        (ReplyMode.SCHEMA, TEXT_ITEM, "json_schema", None),
        (ReplyMode.JSON, TEXT_ITEM, "json_object", None),
        (ReplyMode.TEXT, TEXT_ITEM, None, None),
        (
            ReplyMode.TOOL,
            EXECUTE_SCRIPT_CALL,
            None,
            {"type": "function", "name": "execute_script"},
        ),
    ],
)
def test_request_has_the_form_of_its_reply_mode(
    mode: ReplyMode,
    item: dict[str, object],
    format_type: str | None,
    tool_choice: dict[str, str] | None,
) -> None:
    """The fields are named differently than in the older protocol: `input`, `text`, `reasoning`. Their
    values are those of `responses_settings`: 50 tokens and the effort "low"."""
    with model_server(response_with(item)) as server:
        ask_for_action(server.url, mode)

    request = server.asked[0]
    assert request.path == "/v1/responses"
    assert request.body["input"] == MESSAGES
    assert request.body["max_output_tokens"] == 50
    assert request.body["store"] is False
    assert request.body["reasoning"] == {"effort": "low"}
    text_format = request.body.get("text", {}).get("format", {})
    assert text_format.get("type") == format_type
    assert request.body.get("tool_choice") == tool_choice


def test_calls_and_thoughts_are_sent_back_in_order() -> None:
    """The model sees its earlier thought and calls only if the next request has them.

    First request: the model thinks, and calls the tool twice. Second request: the whole
    conversation, with the result of the first call.
    """
    response = response_with(
        THOUGHT_ITEM,
        call_item(name="look", arguments="{}", call_id="a"),
        call_item(name="look", arguments='{"x": 1}', call_id="b"),
    )

    with model_server(response) as server:
        reply = ask_with_tool(server.url, MESSAGES)
        calls_message = Message(
            role="assistant",
            content="",
            tool_calls=reply.tool_calls,
            thinking=reply.thinking,
        )
        result_message = Message(role="tool", content="seen", tool_call_id="a")
        ask_with_tool(server.url, [*MESSAGES, calls_message, result_message])

    assert reply.tool_calls[1] == ToolCall(name="look", arguments='{"x": 1}', id="b")
    second_body = server.asked[1].body
    system, user, thought, first_call, second_call, result = second_body["input"]
    assert system["role"] == "system"
    assert user["role"] == "user"
    assert thought == THOUGHT_ITEM
    assert first_call["type"] == "function_call"
    assert second_call["type"] == "function_call"
    assert result["type"] == "function_call_output"
    assert second_body["include"] == ["reasoning.encrypted_content"]


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
    """The protocol says for example "incomplete" and "max_output_tokens", where the older one says
    "length". The vendor's word is kept as the native reason if it differs from ours."""
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
