"""A request asks a model for an *action*, a JSON object with the script to run, in one of four ways.

The *reply modes* are a JSON schema, any JSON object, text, and a call of a tool. In each of them, a
server on this machine replies with the action that runs `print(1)`: as a text, or as the arguments of
a call.
"""

import pytest

from controlplane.agent.model import ReplyMode
from controlplane.agent.reply.reply import Action, action_of
from tests.support.endpoint_requests import ACTION_JSON, action_text_of, request_reply
from tests.support.endpoints import completion_json, http_response, model_server

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
def test_action_is_read_in_every_reply_mode(mode: ReplyMode, completion: str) -> None:
    with model_server(http_response(200, completion)) as server:
        reply = request_reply(server.url, mode=mode)

    action = action_of(action_text_of(reply))
    assert isinstance(action, Action)
    assert action.code == "print(1)"


@pytest.mark.parametrize(
    ("mode", "completion", "format_type", "has_tools"),
    [
        pytest.param(ReplyMode.SCHEMA, TEXT, "json_schema", False, id="schema"),
        pytest.param(ReplyMode.JSON, TEXT, "json_object", False, id="JSON"),
        pytest.param(ReplyMode.TEXT, TEXT, None, False, id="text"),
        pytest.param(ReplyMode.TOOL, CALL, None, True, id="tool"),
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
