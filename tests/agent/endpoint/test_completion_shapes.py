"""Completions, that is, replies of the chat completions protocol, in the shapes of many vendors.

Usually the text of a completion is in `choices[0].message.content`, and a call of a tool is in
`choices[0].message.tool_calls[0].function`. Some vendors put them elsewhere:
`{"choices": [{"text": "old"}]}` -> the text "old".
"""

import json

import pytest

from controlplane.agent.endpoint import EndpointSettings
from controlplane.agent.model import Reply, Tool
from tests.support.endpoint_requests import MESSAGES, single_reply_of
from tests.support.endpoints import http_response, model_server

LOOK_TOOL = Tool(
    name="look", description="Look.", parameters={"type": "object", "properties": {}}
)


def reply_of_document(document: dict[str, object]) -> Reply:
    """Return how a server's JSON is read. It begins with a byte order mark, as some send it."""
    byte_order_mark = "\ufeff"
    body = byte_order_mark + json.dumps(document)
    with model_server(http_response(200, body)) as server:
        settings = EndpointSettings("m", server.url)
        return single_reply_of(settings, MESSAGES, tools=[LOOK_TOOL])


class TestTexts:
    """The text of a reply is found wherever a vendor puts it.

    `reply_of_document` returns how a server's JSON is read.
    """

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
        ],
    )
    def test_text_is_read_wherever_the_message_stands(
        self, document: dict[str, object], expected_text: str
    ) -> None:
        reply = reply_of_document(document)

        assert reply.text == expected_text
        assert reply.tool_calls == ()


class TestMessages:
    """A message is read from the fields that vendors use for texts and calls.

    A call is an entry of `tool_calls`, such as `{"function": {"name": "look", "arguments": "{}"}}`.
    """

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
        self, message: dict[str, object], expected_text: str
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
    def test_call_is_read_from_a_message_of_any_shape(
        self, message: dict[str, object]
    ) -> None:
        """An object in the list is a call even if it has no name and no arguments: the model is
        then told what is missing."""
        reply = reply_of_document({"choices": [{"message": message}]})

        assert reply.text == ""
        assert len(reply.tool_calls) == 1
