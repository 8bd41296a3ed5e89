"""A model's server refuses a request for an unknown reason, and a small request, too.

If the reason is not known, such as "400: temperature must be 1", the endpoint sends a second, small
request with the same fields and another conversation. If that is refused as well, the refusal is not
due to the conversation. All other trials would meet it, so the run is stopped (`affects_all`).
"""

import pytest

from tests.support.endpoint_requests import error_of_request
from tests.support.endpoints import error_response, http_response, model_server


@pytest.mark.parametrize(
    ("refusal", "expected_text"),
    [
        pytest.param(
            error_response(400, "temperature must be 1"),
            "the request is refused (400: temperature must be 1)",
            id="unknown reason",
        ),
        pytest.param(
            http_response(422, '{"detail": [{"msg": "field required"}]}'),
            "the request is refused (422: field required)",
            id="unknown reason in the form of FastAPI",
        ),
        pytest.param(
            http_response(400, '{"error": [' + "{}," * 100_000 + "{}]}"),
            "the request is refused (400",
            id="error of 100,000 objects",
        ),
    ],
)
def test_refusal_of_every_request_for_an_unknown_reason_stops_the_run(
    refusal: bytes, expected_text: str
) -> None:
    """The small request is refused, too, so the refusal is not due to the conversation."""
    with model_server(refusal) as server:
        error = error_of_request(server.url)

    assert not error.retryable
    assert error.affects_all
    assert expected_text in str(error)
    assert f"127.0.0.1:{server.port}/v1" in str(error)
    assert len(server.asked) == 2
