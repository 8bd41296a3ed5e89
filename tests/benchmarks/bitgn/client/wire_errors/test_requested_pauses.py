"""Replies that ask to make a call again after some seconds, by the header `Retry-After: 7`.

The status of the reply tells whether the call may have taken effect. Then its error is `in_doubt`.

    429, 503    the call was refused before it was made
    502, 504    the call was passed on to the platform, which did not reply in time

In both cases, the error is `transient`: the same call may succeed later.
"""

import pytest

from tests.benchmarks.bitgn.client.platform_calls import error_of_call
from tests.benchmarks.bitgn.client.stub_platform import http_reply, refusal
from tests.support.byte_server import Behaviour


@pytest.mark.parametrize(
    ("reply", "code", "pause_s"),
    [
        pytest.param(
            refusal(
                status=429,
                code="resource_exhausted",
                message="",
                headers="Retry-After: 7\r\n",
            ),
            "resource_exhausted",
            7.0,
            id="too many requests",
        ),
        pytest.param(
            http_reply(b"slow down", status="429 Busy", headers="Retry-After: 0.5\r\n"),
            "resource_exhausted",
            0.5,
            id="too many requests, without a code",
        ),
        pytest.param(
            http_reply(
                b"<h1>Down</h1>", status="503 Down", headers="Retry-After: 3\r\n"
            ),
            "unavailable",
            3.0,
            id="page instead of a code",
        ),
    ],
)
def test_pause_requested_before_the_call_means_that_it_did_not_happen(
    reply: Behaviour, code: str, pause_s: float
) -> None:
    error = error_of_call(reply)

    assert error.code == code
    assert error.message
    assert error.retry_after_s == pause_s
    assert not error.in_doubt
    assert error.transient


@pytest.mark.parametrize("status", [502, 504])
def test_pause_after_the_call_was_passed_on_leaves_it_in_doubt(status: int) -> None:
    reply = refusal(
        status=status, code="", message="no reply", headers="Retry-After: 3\r\n"
    )

    error = error_of_call(reply)

    assert error.code == "unavailable"
    assert error.message
    assert error.retry_after_s == 3.0
    assert error.in_doubt
    assert error.transient
