"""Calls that the platform refuses because the request is wrong.

The platform (BitGN) runs tasks on a server, and the product's client calls it over HTTP. The error
of a failed call says whether another attempt may succeed (`transient`), and whether the call may
have taken effect (`in_doubt`). A status 404 with the code `not_found` is neither.
"""

import pytest

from tests.benchmarks.bitgn.client.platform_calls import error_of_call
from tests.benchmarks.bitgn.client.stub_platform import http_reply, refusal
from tests.support.byte_server import Behaviour


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        pytest.param(
            refusal(404, "not_found", "no such file"), "not_found", id="not found"
        ),
        pytest.param(
            refusal(401, "unauthenticated", ""), "unauthenticated", id="no key"
        ),
        pytest.param(
            http_reply(b"bad request", status="400 X"),
            "invalid_argument",
            id="bad request",
        ),
        pytest.param(
            http_reply(b"<h1>Too large</h1>", status="413 X"),
            "invalid_argument",
            id="too large",
        ),
    ],
)
def test_wrong_request_is_final_and_did_not_happen(reply: Behaviour, code: str) -> None:
    """Another attempt would be refused, too, so the call is not repeated."""
    error = error_of_call(reply)

    assert error.code == code
    assert error.message
    assert not error.in_doubt
    assert not error.transient
    assert error.retry_after_s is None
