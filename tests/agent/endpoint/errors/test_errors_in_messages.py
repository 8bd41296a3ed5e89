r"""Errors of a vendor that a gateway to many vendors writes into the text of its own error.

`{"error": {"message": "upstream said {\"error\": {\"message\": \"no credit\"}}"}}` -> "no credit".
What the user should do is said by the vendor's message inside.
"""

import json

import pytest

from tests.support.endpoint_requests import error_of_request
from tests.support.endpoints import http_response, model_server

VENDOR_MESSAGE = "Your credit balance is too low to access the API."


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(
            {
                "error": {
                    "message": "litellm.BadRequestError: OpenAIException - "
                    f"{{'error': {{'message': '{VENDOR_MESSAGE}'}}}}"
                }
            },
            id="Python syntax in a message",
        ),
        pytest.param(
            {
                "error": {
                    "message": "upstream said "
                    f'{{"error": {{"message": "{VENDOR_MESSAGE}"}}}}'
                }
            },
            id="JSON in a message",
        ),
    ],
)
def test_error_written_into_a_message_is_read_from_inside(body: object) -> None:
    """The user reads that no credit is left, which stops the run, and what the vendor said."""
    with model_server(http_response(400, json.dumps(body))) as server:
        error = error_of_request(server.url)

    assert len(server.asked) == 1
    assert not error.retryable
    assert error.affects_all
    assert str(error).startswith("no credit is left")
    assert VENDOR_MESSAGE in str(error)
    assert f"127.0.0.1:{server.port}/v1" in str(error)
