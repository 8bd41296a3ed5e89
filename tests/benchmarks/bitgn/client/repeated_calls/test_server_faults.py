"""Calls at which the platform (BitGN) fails by a fault of its own: they may have happened.

The platform is a server that offers tasks to agents. As the fault may come again, a call that may
be repeated is made three times at most.
"""

from tests.benchmarks.bitgn.client.platform_calls import error_of_call
from tests.benchmarks.bitgn.client.stub_platform import RepliesInTurn, refusal


def test_a_call_that_meets_a_fault_is_made_three_times() -> None:
    replies = RepliesInTurn(refusal(500, "internal", "a fault"))

    error = error_of_call(replies, retry_s=5.0)

    assert replies.calls == 3
    assert error.code == "internal"
    assert error.in_doubt


def test_a_call_that_the_server_gives_up_is_made_three_times() -> None:
    replies = RepliesInTurn(refusal(499, "canceled", "the server stops"))

    error = error_of_call(replies, retry_s=5.0)

    assert replies.calls == 3
    assert error.code == "canceled"
    assert error.in_doubt


def test_a_call_that_the_server_gives_up_may_be_one_that_must_not_be_repeated() -> None:
    replies = RepliesInTurn(refusal(499, "canceled", "the server stops"))

    error = error_of_call(replies, retry_s=5.0, max_repeats_in_doubt=0)

    assert replies.calls == 1
    assert error.code == "canceled"
    assert error.in_doubt
