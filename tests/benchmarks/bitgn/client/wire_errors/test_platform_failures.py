"""Failures of the platform (BitGN) while it makes a call, perhaps after the call had its effect.

The platform is a server that offers tasks to agents. The error of the call is `in_doubt`: the
client makes the call again only if it may happen twice. A status 500 with the code `internal` is
such a failure, and `transient`: another attempt may succeed.
"""

import pytest

from tests.benchmarks.bitgn.client.platform_calls import error_of_call
from tests.benchmarks.bitgn.client.stub_platform import http_reply, refusal
from tests.support.byte_server import Behaviour


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        pytest.param(refusal(500, "internal", "x"), "internal", id="fault"),
        pytest.param(
            http_reply(b"", status="500 X"), "internal", id="fault without a code"
        ),
        pytest.param(
            http_reply(b"[" * 200_000, status="500 X"),
            "internal",
            id="fault as broken JSON",
        ),
        pytest.param(refusal(499, "canceled", ""), "canceled", id="given up"),
        pytest.param(
            refusal(504, "deadline_exceeded", ""), "deadline_exceeded", id="deadline"
        ),
    ],
)
def test_failure_of_the_platform_leaves_the_call_in_doubt(
    reply: Behaviour, code: str
) -> None:
    error = error_of_call(reply)

    assert error.code == code
    assert error.message
    assert error.in_doubt
    assert error.transient
    assert error.retry_after_s is None


@pytest.mark.parametrize("code", ["unknown", "data_loss"])
def test_unknown_failure_is_final_and_the_call_may_have_happened(code: str) -> None:
    """The server does not know what happened, and would fail in the same way again."""
    error = error_of_call(refusal(500, code, "x"))

    assert error.code == code
    assert error.message
    assert error.in_doubt
    assert not error.transient
    assert error.retry_after_s is None
