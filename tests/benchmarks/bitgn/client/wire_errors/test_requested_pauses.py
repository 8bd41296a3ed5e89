"""Replies that ask to make a call again after some seconds, by the header `Retry-After: 7`.

Usually the platform (BitGN, a server that offers tasks to agents) refuses a call with it, so that
nothing has happened. Only a gateway between may send it after the call was passed on: then the
call may have taken effect, and its error is `in_doubt`.
"""

import pytest

from tests.benchmarks.bitgn.client.platform_calls import error_of_call
from tests.benchmarks.bitgn.client.stub_platform import http_reply, refusal
from tests.support.byte_server import Behaviour


@pytest.mark.parametrize(
    ("reply", "code", "pause_s"),
    [
        pytest.param(
            refusal(429, "resource_exhausted", "", headers="Retry-After: 7\r\n"),
            "resource_exhausted",
            7.0,
            id="too many requests",
        ),
        pytest.param(
            http_reply(b"slow down", status="429 X", headers="Retry-After: 0.5\r\n"),
            "resource_exhausted",
            0.5,
            id="too many requests, without a code",
        ),
        pytest.param(
            http_reply(b"<h1>Down</h1>", status="503 X", headers="Retry-After: 3\r\n"),
            "unavailable",
            3.0,
            id="page of a proxy",
        ),
    ],
)
def test_requested_pause_means_that_the_call_did_not_happen(
    reply: Behaviour, code: str, pause_s: float
) -> None:
    error = error_of_call(reply)

    assert error.code == code
    assert error.message
    assert error.retry_after_s == pause_s
    assert not error.in_doubt
    assert error.transient


def test_pause_requested_by_a_gateway_that_failed_leaves_the_call_in_doubt() -> None:
    """502 means that the gateway has passed the call on, and got no reply from the platform."""
    error = error_of_call(refusal(502, "", "x", headers="Retry-After: 3\r\n"))

    assert error.code == "unavailable"
    assert error.message
    assert error.retry_after_s == 3.0
    assert error.in_doubt
    assert error.transient
