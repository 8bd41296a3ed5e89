"""A single request to a model behind OpenAI's Responses API, the newer of two protocols that we speak.

Whoever uses an endpoint does not notice which of the two it speaks: a model is asked for an
*action*, a JSON object with a script, and the reply is a list of items, such as
`{"output": [{"type": "message", "content": [...]}]}`.
"""

import pytest

from controlplane.agent.endpoint import EndpointSettings
from controlplane.agent.model import ReplyMode
from controlplane.agent.reply.action import Action
from controlplane.agent.reply.action_schema import SCHEMA
from controlplane.agent.reply.reply import action_of
from tests.agent.endpoint.responses_items import (
    ACTION_CALL_ITEM,
    TEXT_ITEM,
    THOUGHT_ITEM,
    ask_for_action,
    response_with,
)
from tests.support.endpoint_requests import MESSAGES, action_text_of, single_reply_of
from tests.support.endpoints import model_server

in_each_reply_mode = pytest.mark.parametrize(
    ("mode", "item"),
    [
        pytest.param(ReplyMode.SCHEMA, TEXT_ITEM, id="schema"),
        pytest.param(ReplyMode.JSON, TEXT_ITEM, id="JSON"),
        pytest.param(ReplyMode.TEXT, TEXT_ITEM, id="text"),
        pytest.param(ReplyMode.TOOL, ACTION_CALL_ITEM, id="tool"),
    ],
)


class TestReplyModes:
    """A request asks for an action in one of four ways, the *reply modes*.

    They are a JSON schema, any JSON object, text, and a tool call. `TEXT_ITEM` and
    `ACTION_CALL_ITEM` are items of a reply with the action that runs `print(1)`: as a text, and as
    a call.
    """

    @in_each_reply_mode
    def test_action_is_read_in_every_reply_mode(
        self, mode: ReplyMode, item: dict[str, object]
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
        self, mode: ReplyMode, format_type: str
    ) -> None:
        with model_server(response_with(TEXT_ITEM)) as server:
            ask_for_action(server.url, mode)

        body = server.asked[0].body
        assert body["text"]["format"]["type"] == format_type
        assert "tool_choice" not in body

    def test_request_for_a_text_names_neither_a_format_nor_a_tool(self) -> None:
        with model_server(response_with(TEXT_ITEM)) as server:
            ask_for_action(server.url, ReplyMode.TEXT)

        body = server.asked[0].body
        assert "format" not in body.get("text", {})
        assert "tool_choice" not in body

    def test_request_for_a_tool_call_names_the_tool(self) -> None:
        with model_server(response_with(ACTION_CALL_ITEM)) as server:
            ask_for_action(server.url, ReplyMode.TOOL)

        body = server.asked[0].body
        assert body["tool_choice"] == {"type": "function", "name": "execute_script"}
        assert "format" not in body.get("text", {})


class TestEveryMode:
    """Requests and replies have the rest of their fields in every reply mode.

    `item` is the part of the server's reply that has the action.
    """

    @in_each_reply_mode
    def test_request_has_the_fields_of_the_protocol(
        self, mode: ReplyMode, item: dict[str, object]
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
        self, mode: ReplyMode, item: dict[str, object]
    ) -> None:
        """By default, OpenAI keeps each response, and its users find it in the dashboard. The user
        of an endpoint has not agreed to that."""
        with model_server(response_with(item)) as server:
            ask_for_action(server.url, mode)

        assert server.asked[0].body["store"] is False

    @in_each_reply_mode
    def test_summary_of_a_thought_is_read(
        self, mode: ReplyMode, item: dict[str, object]
    ) -> None:
        with model_server(response_with(THOUGHT_ITEM, item)) as server:
            reply = ask_for_action(server.url, mode)

        assert reply.reasoning == "hm"

    @in_each_reply_mode
    def test_tokens_are_read(self, mode: ReplyMode, item: dict[str, object]) -> None:
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
