"""A response that is not a completion (a model's reply) is reported, and asked for again.

Somebody else may have answered, such as the login page of a network. So the message of the error
says what came instead. The request may be tried again (`retryable`), and all other trials would meet
the error (`affects_all`).
"""

import pytest

from tests.agent.endpoint.errors.failed_request import error_after
from tests.support.endpoint_requests import CANARY_API_KEY
from tests.support.endpoints import http_response


@pytest.mark.parametrize(
    ("response", "expected_texts"),
    [
        pytest.param(
            http_response(
                200,
                "<!DOCTYPE html><html><head><title>Sign in</title></head>"
                "<body><h1>Welcome</h1></body></html>",
                {"content-type": "text/html"},
            ),
            ["other than a chat completion", "'Sign in'", "OPENAI_BASE_URL"],
            id="page to sign in",
        ),
        pytest.param(
            http_response(200, ""),
            ["other than a chat completion", "an empty body"],
            id="empty body",
        ),
        pytest.param(
            http_response(200, '{"models": []}'),
            ["other than a chat completion", "it has no choices", "/v1"],
            id="JSON of another kind",
        ),
        pytest.param(
            http_response(200, "[" * 100_000),
            ["other than a chat completion"],
            id="deeply nested JSON",
        ),
        pytest.param(
            http_response(200, b"\xff\xfe\x00" + CANARY_API_KEY.encode()),
            ["other than a chat completion"],
            id="bytes that are not text",
        ),
        pytest.param(
            http_response(200, "{}", {"content-encoding": "br"}),
            ["content-encoding is 'br'"],
            id="unsupported compression",
        ),
    ],
)
def test_body_that_is_not_a_completion_is_tried_again(
    response: bytes, expected_texts: list[str]
) -> None:
    error = error_after(response)

    assert error.retryable
    assert error.affects_all
    for text in expected_texts:
        assert text in str(error)
