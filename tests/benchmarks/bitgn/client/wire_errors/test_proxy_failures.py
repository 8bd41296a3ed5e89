"""Failures of a proxy between the client and the platform (BitGN).

The platform is a server that offers tasks to agents. The proxy may have passed the call on before
it failed, so the call may have taken effect, and its error is `in_doubt`. It is `transient`, too:
another attempt may succeed. Such replies have no code, or one that is not the platform's.
"""

import pytest

from tests.benchmarks.bitgn.client.platform_calls import error_of_call
from tests.benchmarks.bitgn.client.stub_platform import http_reply, refusal
from tests.support.byte_server import Behaviour


@pytest.mark.parametrize(
    "reply",
    [
        pytest.param(http_reply(b"<h1>Down</h1>", status="503 X"), id="page"),
        pytest.param(http_reply(b"", status="502 X"), id="bad gateway"),
        pytest.param(http_reply(b"", status="504 X"), id="timeout of a gateway"),
        pytest.param(
            refusal(503, "ServiceUnavailable", "x"),
            id="code that is not the platform's",
        ),
        pytest.param(refusal(504, "504", "upstream timeout"), id="number as a code"),
        pytest.param(
            http_reply(
                b"", status="301 X", headers="Location: http://127.0.0.1:1/\r\n"
            ),
            id="redirect",
        ),
        pytest.param(http_reply(b'["code"]', status="418 X"), id="unknown status"),
    ],
)
def test_failure_of_a_proxy_leaves_the_call_in_doubt(reply: Behaviour) -> None:
    error = error_of_call(reply)

    assert error.code == "unavailable"
    assert error.message
    assert error.in_doubt
    assert error.transient
    assert error.retry_after_s is None
