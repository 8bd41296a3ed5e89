"""An error that is due to one conversation ends only its trial.

A model's API refuses a request for its content or its length. The conversations of other trials may
be shorter or have other contents, so the run goes on: the error is not one that `affects_all`. To
send the same conversation again would not help, so it is not `retryable`.
"""

import pytest

from tests.agent.endpoint.errors.failed_request import error_after
from tests.support.endpoints import error_response


@pytest.mark.parametrize(
    ("response", "expected_texts"),
    [
        pytest.param(
            error_response(403, "Input was flagged by moderation"),
            ["403: Input was flagged"],
            id="refused content",
        ),
        pytest.param(
            error_response(400, "the request exceeds the available context size"),
            ["--initial-prompt-chars", "context"],
            id="too long for llama.cpp",
        ),
        pytest.param(
            error_response(400, "This model's maximum context length is 8 tokens"),
            ["--initial-prompt-chars"],
            id="too long for OpenAI",
        ),
    ],
)
def test_error_due_to_the_conversation_ends_only_this_trial(
    response: bytes, expected_texts: list[str]
) -> None:
    error = error_after(response)

    assert not error.retryable
    assert not error.affects_all
    for text in expected_texts:
        assert text in str(error)
