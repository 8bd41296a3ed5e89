"""An error that only the user can correct, such as a wrong key, stops the run.

A request to a model's API fails. To try again would not help (`retryable` is false), and all other
trials would meet the same error (`affects_all`). The message has the status, what the server says,
and what the user can change: 401 -> "the key is refused ...; set OPENAI_API_KEY".
"""

import pytest

from tests.agent.endpoint.errors.failed_request import error_after
from tests.support.endpoint_requests import CANARY_API_KEY
from tests.support.endpoints import error_response, http_response


@pytest.mark.parametrize(
    ("response", "expected_texts"),
    [
        pytest.param(
            error_response(401, f"Incorrect API key provided: {CANARY_API_KEY}"),
            ["the key is refused", "OPENAI_API_KEY", "[key]"],
            id="wrong key",
        ),
        pytest.param(
            error_response(200, "no key", code=401),
            ["the key is refused"],
            id="wrong key with the status 200",
        ),
        pytest.param(
            error_response(403, "not for you"),
            ["the key is refused (403: not for you)", "OPENAI_API_KEY"],
            id="key without the right",
        ),
        pytest.param(
            error_response(402, "Insufficient credits"),
            ["no credit is left", "402"],
            id="no credit",
        ),
        pytest.param(
            error_response(
                429, "You exceeded your current quota", code="insufficient_quota"
            ),
            ["no credit is left"],
            id="no quota",
        ),
        pytest.param(
            error_response(404, "model not found"),
            ["no model 'm'", "--model", "OPENAI_BASE_URL"],
            id="unknown model",
        ),
        pytest.param(
            http_response(404, "404 page not found"),
            ["404 page not found", "/v1"],
            id="wrong path",
        ),
        pytest.param(
            http_response(405, "no"),
            ["no requests are taken", "/v1"],
            id="wrong method",
        ),
        pytest.param(
            http_response(302, "", {"location": "https://elsewhere.test/"}),
            ["elsewhere.test", "OPENAI_BASE_URL"],
            id="redirect",
        ),
    ],
)
def test_error_that_only_the_user_can_correct_stops_the_run(
    response: bytes, expected_texts: list[str]
) -> None:
    error = error_after(response)

    assert not error.retryable
    assert error.affects_all
    for text in expected_texts:
        assert text in str(error)
