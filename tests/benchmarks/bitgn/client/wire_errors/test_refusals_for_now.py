"""Calls that are refused for now: they are made again, even those that must not happen twice.

A call to the platform (BitGN, a server that offers tasks to agents) that is refused had no effect,
so its error is not `in_doubt`. It is `transient` if another attempt may succeed, as after a status
503 with the code `unavailable`.
"""

import pytest

from tests.benchmarks.bitgn.client.platform_calls import error_of_call
from tests.benchmarks.bitgn.client.stub_platform import http_reply, refusal
from tests.support.byte_server import Behaviour


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        pytest.param(refusal(503, "unavailable", ""), "unavailable", id="unavailable"),
        pytest.param(
            http_reply(b"", status="429 X", headers="Retry-After: soon\r\n"),
            "resource_exhausted",
            id="too many requests, and an unreadable pause",
        ),
        # The platform sends a code with these. So another site has answered, to which the
        # network leads for now: the page of a hotel's login, for example.
        pytest.param(
            http_reply(b"", status="401 X"), "unavailable", id="login of another site"
        ),
        pytest.param(
            http_reply(b"no", status="403 X"), "unavailable", id="ban of another site"
        ),
        pytest.param(
            http_reply(b"<html>nothing here</html>", status="404 X"),
            "unavailable",
            id="page of another site",
        ),
    ],
)
def test_refusal_for_now_may_pass_and_did_not_happen(
    reply: Behaviour, code: str
) -> None:
    error = error_of_call(reply)

    assert error.code == code
    assert error.message
    assert not error.in_doubt
    assert error.transient
    assert error.retry_after_s is None
