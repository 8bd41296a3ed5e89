"""Errors of a vendor that a gateway passes on.

A gateway sends requests to many vendors. It wraps their errors into its own, each gateway in
another way: `{"error": {"message": "Provider returned error", "metadata": {"raw": "..."}}}`. What
the user should do is said by the vendor's message inside.
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
                    "message": "Provider returned error",
                    "code": 400,
                    "metadata": {"raw": VENDOR_MESSAGE},
                }
            },
            id="metadata",
        ),
        pytest.param(
            {
                "error": {
                    "message": "All providers failed.",
                    "attempts": [{"status": 400, "message": VENDOR_MESSAGE}],
                }
            },
            id="list of attempts",
        ),
        pytest.param([{"error": {"message": VENDOR_MESSAGE}}], id="list"),
        pytest.param(
            {"detail": [{"loc": ["body"], "msg": VENDOR_MESSAGE}]}, id="detail"
        ),
        pytest.param(
            {"detail": {"error": {"message": VENDOR_MESSAGE}}}, id="error in a detail"
        ),
        pytest.param(
            {"success": False, "errors": [{"code": 7, "message": VENDOR_MESSAGE}]},
            id="list of errors",
        ),
        pytest.param({"object": "error", "message": VENDOR_MESSAGE}, id="top level"),
    ],
)
def test_error_that_a_gateway_passes_on_is_read_from_inside(body: object) -> None:
    """The user reads that no credit is left, which stops the run, and what the vendor said."""
    with model_server(http_response(400, json.dumps(body))) as server:
        error = error_of_request(server.url)

    assert len(server.asked) == 1
    assert not error.retryable
    assert error.affects_all
    assert str(error).startswith("no credit is left")
    assert VENDOR_MESSAGE in str(error)
    assert f"127.0.0.1:{server.port}/v1" in str(error)
