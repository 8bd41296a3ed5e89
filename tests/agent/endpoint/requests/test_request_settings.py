"""A request to a model's API has what the user has set: the model, limits, and the temperature.

The requests are sent to a server on this machine, and `server.asked` has what was sent.
"""

from contextlib import closing

import pytest

from controlplane.agent.endpoint import Endpoint, EndpointSettings
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
    """The reply mode is how the model is asked for a script. The model's name is "m"."""
    with model_server(http_response(200, completion)) as server:
        request_reply(server.url, mode=mode, max_output_tokens=50, temperature=0.5)

    (request,) = server.asked
    assert request.path == "/v1/chat/completions"
    assert request.headers["authorization"] == f"Bearer {CANARY_API_KEY}"
    assert request.body["model"] == "m"
    assert request.body["messages"] == MESSAGES
    assert request.body["max_tokens"] == 50
    assert request.body["temperature"] == 0.5


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
    """A model that repeats itself is asked again with at least `min_temperature`."""
    with model_server(http_response(200, TEXT)) as server:
        settings = EndpointSettings("m", server.url, temperature=configured)
        with closing(Endpoint(settings)) as endpoint:
            endpoint.complete([{"role": "user", "content": "x"}], min_temperature=1.0)

    (request,) = server.asked
    assert request.body["temperature"] == sent
