"""A request of OpenAI's Responses API asks for an *action* in one of four ways, the *reply modes*.

They are a JSON schema, any JSON object, text, and a call of a tool. An action is a JSON object with
the script to run. The API replies with a list of items, such as `TEXT_ITEM` or `ACTION_CALL_ITEM`:
both have the action that runs `print(1)`.
"""

import pytest

from controlplane.agent.model import ReplyMode
from controlplane.agent.reply.reply import Action, action_of
from tests.agent.endpoint.responses.reply_modes import REPLY_MODES
from tests.agent.endpoint.responses.responses_items import (
    ACTION_CALL_ITEM,
    TEXT_ITEM,
    ask_for_action,
    response_with,
)
from tests.support.endpoint_requests import action_text_of
from tests.support.endpoints import model_server


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
