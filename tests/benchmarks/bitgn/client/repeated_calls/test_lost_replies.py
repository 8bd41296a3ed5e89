"""Calls of the platform (BitGN) whose reply is lost: nobody knows whether they have happened.

The platform is a server that offers tasks to agents. Such a call is *in doubt*. Reading a file may
be repeated in any case, and placing an order may not: `max_repeats_in_doubt` says how often a call
in doubt may be repeated.
"""

from tests.benchmarks.bitgn.client.platform_calls import error_of_call
from tests.benchmarks.bitgn.client.stub_platform import (
    RepliesInTurn,
    http_reply,
    lose_connection,
)


def test_a_lost_call_that_must_not_be_repeated_is_in_doubt() -> None:
    replies = RepliesInTurn(lose_connection)

    error = error_of_call(replies, retry_s=5.0, max_repeats_in_doubt=0)

    assert replies.calls == 1
    assert error.code == "unavailable"
    assert error.in_doubt


def test_a_lost_call_is_repeated_as_often_as_its_policy_allows() -> None:
    replies = RepliesInTurn(lose_connection)

    error = error_of_call(replies, retry_s=5.0, max_repeats_in_doubt=1)

    assert replies.calls == 2
    assert error.code == "unavailable"
    assert error.in_doubt


def test_a_page_of_a_proxy_is_like_a_lost_reply() -> None:
    """The proxy may have passed the call on."""
    page = http_reply(b"<h1>Down</h1>", status="503 X", content_type="text/html")
    replies = RepliesInTurn(page)

    error = error_of_call(replies, retry_s=5.0, max_repeats_in_doubt=1)

    assert replies.calls == 2
    assert error.code == "unavailable"
    assert error.in_doubt
