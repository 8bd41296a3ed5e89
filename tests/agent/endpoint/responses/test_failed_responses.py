"""A response of OpenAI's Responses API that has the status 200, and no reply of the model in it.

The server has failed, although it says 200: `{"output": [], "error": {"message": "boom"}}`. The
request may be tried again (the error is `retryable`).
"""

import json

import pytest

from controlplane.agent.model import ModelError
from tests.agent.endpoint.responses.responses_items import ask_for_action
from tests.support.endpoints import http_response, model_server


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
