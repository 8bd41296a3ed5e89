"""A server of a model that gets too many requests is asked again later.

The error says that the request may be tried again (`retryable`), that other trials would meet it
(`affects_all`), and which option lowers the number of requests: `--concurrency`.
"""

import pytest

from tests.agent.endpoint.errors.failed_request import error_after
from tests.support.endpoints import error_response, http_response


@pytest.mark.parametrize(
    ("response", "expected_texts"),
    [
        pytest.param(
            error_response(429, "slow down"),
            ["too many requests", "--concurrency", "slow down"],
            id="too many requests",
        ),
        pytest.param(
            http_response(429, "no", {"retry-after": "\u00d9"}),
            ["too many requests"],
            id="unreadable header",
        ),
    ],
)
def test_too_many_requests_are_tried_again(
    response: bytes, expected_texts: list[str]
) -> None:
    """The header `retry-after` may say when. Here it is missing, or is not a number."""
    error = error_after(response)

    assert error.retryable
    assert error.affects_all
    for text in expected_texts:
        assert text in str(error)
