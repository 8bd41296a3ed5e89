"""A request to a model's API has what the user has set: the model, limits, the temperature and the key.

They are in each of the *reply modes*, the four ways to ask a model for a script. The requests are sent to
a server on this machine, and `server.asked` has what was sent.
"""

import pytest

from controlplane.agent.model import ReplyMode
from tests.support.endpoint_requests import (
    ACTION_JSON,
    CANARY_API_KEY,
    MESSAGES,
    request_reply,
)
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
