"""A reply that the model spoilt is asked for again, in this trial only.

The server works, so other trials can go on (the error is not one that `affects_all`), and the model
may write a better reply next time (it is `retryable`).
"""

import pytest

from tests.agent.endpoint.errors.failed_request import error_after
from tests.support.endpoints import error_response, http_response


@pytest.mark.parametrize(
    ("response", "expected_text"),
    [
        pytest.param(
            error_response(400, "Failed to generate JSON", code="json_validate_failed"),
            "no proper form",
            id="invalid JSON of the model",
        ),
        pytest.param(
            http_response(200, '{"choices": [' + "{}," * 100_000 + "{}]}"),
            "it holds too many values",
            id="too many values",
        ),
    ],
)
def test_bad_reply_of_the_model_is_tried_again_in_this_trial(
    response: bytes, expected_text: str
) -> None:
    error = error_after(response)

    assert error.retryable
    assert not error.affects_all
    assert expected_text in str(error)
