"""A model that repeats itself is asked again with a higher temperature, which varies its replies.

The request says `min_temperature=1.0`. If the user has configured a higher one, that is sent.
"""

from contextlib import closing

import pytest

from controlplane.agent.endpoint import Endpoint, EndpointSettings
from tests.support.endpoint_requests import MESSAGES
from tests.support.endpoints import completion_json, http_response, model_server


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
